import { z } from 'zod'
import { route } from './route.ts'
import { limit, timestamp } from './values.ts'

const spaceId = z.string().regex(/^[0-9a-f]{12}$/, 'must be the id of an embedding space')

const space = z
  .object({
    id: z.string(),
    provider: z.string(),
    model: z.string(),
    dimensions: z.int(),
    state: z
      .enum(['active', 'building', 'standby'])
      .describe(
        '`active` is searched; `building` is being filled; `standby` is kept up to date to switch to.',
      ),
    available: z.boolean().describe('This process can embed into it.'),
    ready: z.int().describe('Active memories, of all tenants, with a vector in it.'),
    missing: z.int().describe('Active memories that are still to get one.'),
    created_at: timestamp,
  })
  .meta({ id: 'EmbeddingSpace' })

const group = 'Administration'

/** These concern all tenants: they are the operator's alone. */
export const embeddingRoutes = {
  listEmbeddingSpaces: route({
    method: 'GET',
    path: '/admin/embeddings',
    group,
    summary: 'List the embedding spaces with their progress',
    input: z.strictObject({}),
    output: z.object({ active: z.string(), spaces: z.array(space) }),
    problems: [],
    scope: 'admin',
  }),
  compareEmbeddingSpaces: route({
    method: 'POST',
    path: '/admin/embeddings/{id}/compare',
    group,
    summary: 'Compare a space with the active one before switching',
    description:
      "Takes the tenant's newest memories and looks how many of their nearest are the same in both spaces.",
    input: z.strictObject({ id: spaceId, sample: limit(100, 500), nearest: limit(10, 50) }),
    output: z.object({
      sample: z.int().describe('Memories compared.'),
      nearest: z.int(),
      overlap: z.number().nullable().describe('Mean share of the nearest that both spaces agree on, 0 to 1.'),
    }),
    problems: ['malformed_id', 'space_not_found'],
    scope: 'admin',
  }),
  switchEmbeddingSpace: route({
    method: 'POST',
    path: '/admin/embeddings/{id}/switch',
    group,
    summary: 'Search in this space from now on; switching back is the roll-back',
    description: 'Refused while more than one in a hundred memories has no vector in it.',
    input: z.strictObject({ id: spaceId }),
    output: z.object({ active: z.string(), previous: z.string().nullable() }),
    problems: ['malformed_id', 'space_not_found', 'space_incomplete'],
    scope: 'admin',
  }),
  deleteEmbeddingSpace: route({
    method: 'DELETE',
    path: '/admin/embeddings/{id}',
    group,
    summary: 'Take away a space that is not active, with its vectors',
    input: z.strictObject({ id: spaceId }),
    output: z.object({ id: z.string(), deleted: z.literal(true) }),
    problems: ['malformed_id', 'space_not_found', 'space_in_use'],
    scope: 'admin',
  }),
}
