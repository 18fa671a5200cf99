import { z } from 'zod'
import { exactlyOnce, pageInput, pageOutput } from './pages.ts'
import { route } from './route.ts'
import { composedText } from './values.ts'

const inUse = z
  .object({
    value: z.string().describe('The value.'),
    count: z.int().describe('How many active memories have it.'),
  })
  .meta({ id: 'ValueInUse', description: 'A tag, source, session or kind with the number of its memories.' })

const listOf = (path: string, things: string) =>
  route({
    method: 'GET',
    path,
    summary: `List the ${things} of active memories, the most frequent first`,
    description: `Ties are in alphabetical order. ${exactlyOnce('a value')} Pages by cursor contain the first 1,000 values in this order, and the others in alphabetical order, as counts change in the meantime.`,
    input: z.strictObject({
      prefix: composedText()
        .min(1)
        .max(200)
        .optional()
        .meta({ examples: ['check'] })
        .describe('Only values that begin with this text.'),
      ...pageInput('values', { usual: 50, most: 500, furthest: 100_000 }),
    }),
    output: z.object({
      values: z.array(inUse).describe('The values, the most frequent first.'),
      ...pageOutput('values'),
    }),
    problems: ['invalid_cursor'],
    scope: 'read',
  })

export const valueRoutes = {
  listTags: listOf('/tags', 'tags'),
  listSources: listOf('/sources', 'sources'),
  listSessions: listOf('/sessions', 'sessions'),
  listKinds: listOf('/kinds', 'kinds'),
}
