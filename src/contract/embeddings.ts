import { z } from 'zod'
import { closedSet } from './closed-sets.ts'
import { route } from './route.ts'
import { limit, timestamp } from './values.ts'

const spaceId = z
  .string()
  .regex(/^[0-9a-f]{12}$/, 'must be the id of an embedding space: 12 characters of 0-9 and a-f')
  .meta({ examples: ['8c1f0a5be294'] })
  .describe('The id of the embedding space.')

const space = z
  .object({
    id: z.string().describe('The id of the embedding space.'),
    provider: z.string().describe('The provider of the embedding model.'),
    model: z.string().describe('The embedding model.'),
    dimensions: z.int().describe('The number of dimensions of its vectors.'),
    state: closedSet('SpaceState').describe(
      '`active`: searches use it. `building`: the queue still adds vectors. `standby`: complete and up to date, so you can switch to it.',
    ),
    available: z.boolean().describe('Whether this process can compute embeddings for it.'),
    ready: z.int().describe('The number of active memories, of all tenants, with a vector in it.'),
    missing: z.int().describe('The number of active memories, of all tenants, without a vector in it.'),
    created_at: timestamp.describe('When the embedding space was created.'),
  })
  .meta({ id: 'EmbeddingSpace', description: 'The vectors of one provider, model and number of dimensions.' })

/** These concern all tenants: only the operator may call them. */
export const embeddingRoutes = {
  listEmbeddingSpaces: route({
    method: 'GET',
    path: '/admin/embeddings',
    summary: 'List the embedding spaces with their progress',
    description: 'Concerns all tenants, so only the operator key can call it.',
    input: z.strictObject({}),
    output: z.object({
      active: z.string().describe('The id of the embedding space that searches use.'),
      spaces: z.array(space).describe('All embedding spaces.'),
    }),
    scope: 'admin',
  }),
  compareEmbeddingSpaces: route({
    method: 'POST',
    path: '/admin/embeddings/{id}/compare',
    summary: 'Compare an embedding space with the active one',
    description:
      'Use this before you switch. For a sample of the newest memories of the tenant, the service compares their nearest neighbours in both spaces. Only the operator key can call it.',
    input: z.strictObject({
      id: spaceId,
      sample: limit(100, 500).describe('How many memories to compare; 500 is the maximum.'),
      nearest: limit(10, 50).describe('How many neighbours of each memory to compare; 50 is the maximum.'),
    }),
    output: z.object({
      sample: z.int().describe('How many memories were compared.'),
      nearest: z.int().describe('How many neighbours of each memory were compared.'),
      overlap: z
        .number()
        .nullable()
        .describe(
          'The mean share of neighbours that both spaces have in common, 0 to 1; null if nothing could be compared.',
        ),
    }),
    problems: ['malformed_id', 'space_not_found'],
    scope: 'admin',
  }),
  switchEmbeddingSpace: route({
    method: 'POST',
    path: '/admin/embeddings/{id}/switch',
    summary: 'Switch searches to an embedding space',
    description:
      'The request fails while more than 1 % of the memories have no vector in the space. To roll back, switch to the previous space. Only the operator key can call it.',
    input: z.strictObject({ id: spaceId }),
    output: z.object({
      active: z.string().describe('The id of the embedding space that searches use now.'),
      previous: z
        .string()
        .nullable()
        .describe('The id of the space that searches used before; null if none.'),
    }),
    problems: ['malformed_id', 'space_not_found', 'space_incomplete'],
    scope: 'admin',
  }),
  deleteEmbeddingSpace: route({
    method: 'DELETE',
    path: '/admin/embeddings/{id}',
    summary: 'Delete an embedding space and its vectors',
    description: 'You cannot delete the active space. Only the operator key can call this.',
    input: z.strictObject({ id: spaceId }),
    output: z.object({
      id: z.string().describe('The id of the deleted embedding space.'),
      deleted: z.literal(true).describe('Always true.'),
    }),
    problems: ['malformed_id', 'space_not_found', 'space_in_use'],
    scope: 'admin',
  }),
}
