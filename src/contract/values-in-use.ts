import { z } from 'zod'
import { route } from './route.ts'
import { limit } from './values.ts'

const inUse = z
  .object({
    value: z.string().describe('The value.'),
    count: z.int().describe('How many active memories have it.'),
  })
  .meta({ id: 'ValueInUse', description: 'A tag, source or session with the number of its memories.' })

const listOf = (path: string, things: string) =>
  route({
    method: 'GET',
    path,
    group: 'Memories',
    summary: `List the ${things} of active memories, the most frequent first`,
    description: 'Ties are in alphabetical order.',
    input: z.strictObject({
      prefix: z
        .string()
        .min(1)
        .max(200)
        .optional()
        .meta({ examples: ['check'] })
        .describe('Only values that begin with this text.'),
      limit: limit(50, 500),
      offset: z.int().min(0).max(100_000).default(0).describe('How many values to skip.'),
    }),
    output: z.object({
      values: z.array(inUse).describe('The values, the most frequent first.'),
      has_more: z.boolean().describe('Whether there are more values.'),
      limit: z.int().describe('The `limit` of the request.'),
      offset: z.int().describe('The `offset` of the request.'),
    }),
    problems: [],
    scope: 'read',
  })

export const valueRoutes = {
  listTags: listOf('/tags', 'tags'),
  listSources: listOf('/sources', 'sources'),
  listSessions: listOf('/sessions', 'sessions'),
}
