import { z } from 'zod'
import { relationshipType } from './connections.ts'
import { route } from './route.ts'
import { id, query, tags } from './values.ts'

const contextSource = z
  .object({
    number: z.int().describe('How the text names it: `[1]`.'),
    memory_id: id,
    role: z
      .enum(['hit', 'contradiction', 'neighbour'])
      .describe('Found for the question, or connected with the memory it stands beside.'),
    score: z.number().nullable().describe('Of a hit, 0 to 1.'),
    beside_id: id.nullable().describe('The memory it stands beside.'),
    relationship_type: relationshipType.nullable().describe('How it is connected with that one.'),
    excerpt: z.boolean().describe('Only the beginning of its content is shown.'),
  })
  .meta({ id: 'ContextSource' })

export type ContextSource = z.infer<typeof contextSource>

export const contextRoutes = {
  composeContext: route({
    method: 'POST',
    path: '/context',
    group: 'Memories',
    summary: 'Compose what is remembered about a question, within a budget of tokens',
    description:
      'The best hits of a hybrid search, beside each what contradicts it, then their strongest neighbours. Tokens are estimated, rather too high than too low, and the estimate never exceeds the budget. While the memories stay as they are, the same question has the same text. Records no recall.',
    input: z.strictObject({
      query,
      max_tokens: z
        .int()
        .min(100)
        .max(32_000)
        .default(2_000)
        .describe('The budget for the text; 32000 is the maximum.'),
      tags: tags.optional(),
      tags_match: z.enum(['all', 'any']).default('all'),
    }),
    output: z.object({
      text: z.string().describe('For a prompt: each memory with its number, id, day, policy and tags.'),
      tokens: z.int().describe('The estimate for the text.'),
      sources: z.array(contextSource).describe('The memories in the text, in its order.'),
      left_out: z.int().describe('Hits and neighbours for which there was no room.'),
      truncated: z
        .boolean()
        .describe('The bound on work was reached, as by a query of very many words: matches may be missing.'),
      degraded: z.boolean().describe('Searched by words alone: the embedding provider gives no vector.'),
    }),
    problems: [],
    scope: 'read',
  }),
}
