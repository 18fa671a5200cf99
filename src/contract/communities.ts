import { z } from 'zod'
import { route } from './route.ts'
import { id, limit, timestamp } from './values.ts'

const central = z
  .object({
    memory_id: id.describe('The memory.'),
    title: z.string().describe('The beginning of its content.'),
    rank: z.number().describe('Its PageRank, as a multiple of the mean of all connected memories.'),
    degree: z.int().describe('How many connections it has with active memories.'),
  })
  .meta({ id: 'CentralMemory', description: 'A memory in the centre of a community.' })

const community = z
  .object({
    id: z.string().describe('The id. It stays as long as most memories of the community stay together.'),
    name: z.string().describe('The words that tell it from the rest of the memories.'),
    words: z.array(z.string()).describe('More of these words, the most telling first.'),
    memories: z.int().describe('How many active memories belong to it.'),
    central: z.array(central).describe('Its most central memories, at most 3.'),
  })
  .meta({
    id: 'Community',
    description: 'Memories that have more connections among each other than with the rest.',
  })

export type Community = z.infer<typeof community>

export const communityRoutes = {
  listCommunities: route({
    method: 'GET',
    path: '/graph/communities',
    summary: 'List the communities of the graph, the largest first',
    description:
      'A community has at least 3 active memories, which have more connections among each other than with the rest. The worker computes the communities by the Louvain method, and a PageRank, after enough changes: the same graph always has the same communities. An id stays with the community that keeps most of its memories. The filter `community` finds the memories of one.',
    input: z.strictObject({ limit: limit(20, 100) }),
    output: z.object({
      communities: z.array(community).describe('The communities, the largest first.'),
      total: z.int().describe('How many communities there are.'),
      computed_at: timestamp
        .nullable()
        .describe('When the communities were computed; null if they were never computed.'),
    }),
    scope: 'read',
  }),
}
