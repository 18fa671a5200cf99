import { z } from 'zod'
import { route, textStream } from './route.ts'
import { id } from './values.ts'

const group = 'Portability'

const changes = {
  created: z.int(),
  updated: z.int().describe('Brought to what the bundle says.'),
  unchanged: z.int().describe('As the bundle has it already.'),
  kept: z.int().describe('Newer here, made otherwise here, or no longer warranted here, and left as it is.'),
  removed: z.int().describe('Not in the bundle, and removed by `replace`.'),
}

const counts = z.object(changes).meta({ id: 'ImportCounts' })

const totals = z.object({
  policies: counts,
  memories: counts,
  connections: counts,
  vectors: z
    .object({
      taken: z.int(),
      left_out: z
        .int()
        .describe('Of an embedding space that is not kept here: they are made anew by the queue.'),
    })
    .meta({ id: 'ImportedVectors' }),
})

const leftOut = z
  .object({
    line: z.int().describe('In the bundle, from 1.'),
    reason: z.enum(['id_taken', 'unknown_policy', 'missing_end']),
    id: id.describe('The memory, or the source of the connection.'),
  })
  .meta({ id: 'LeftOut' })

export const portabilityRoutes = {
  exportBundle: route({
    method: 'GET',
    path: '/export',
    group,
    summary: 'Export everything of the tenant as a bundle, for `POST /import`',
    description:
      'One JSON object a line: what the bundle is, policies, memories with their vectors, connections, and a manifest with the number of lines and the digest of each section. It is read while it is sent. An export that was cut off has no manifest; from its last line `checkpoint` on it is gone on with.',
    input: z.strictObject({
      vectors: z
        .boolean()
        .default(true)
        .describe(
          'With the vectors of the space that is searched, so that nothing is embedded anew but what still waits for its discovery.',
        ),
      cursor: z
        .string()
        .optional()
        .describe('Of the last `checkpoint`: the lines that follow it, and a manifest of the whole.'),
    }),
    output: textStream,
    mediaTypes: ['application/x-ndjson'],
    problems: ['invalid_cursor'],
    scope: 'read',
  }),
  importBundle: route({
    method: 'POST',
    path: '/import',
    group,
    summary: 'Import a bundle, part by part',
    description:
      'Send the lines of a bundle in order, some at a time, each time with the `cursor` of the answer before, until it says `done`. What a part holds is durable when it is answered; sending it again, or the whole bundle again, changes nothing more. A part that breaks a rule is refused as a whole, by line. A vector stands in the part of its memory, and all policies in one part. Discovery is queued for those memories alone that come without a vector of the space searched here, with another content than is here, or that were archived or expired here.',
    input: z.strictObject({
      lines: z
        .array(z.string().max(1_000_000))
        .max(2_000)
        .describe('Lines as they are, without line breaks. Empty only to go on with a removal.'),
      cursor: z.string().optional().describe('Of the answer before; left out for the first part.'),
      mode: z
        .enum(['merge', 'replace'])
        .default('merge')
        .describe(
          '`merge`: what was changed later stays. `replace`: the bundle wins, and what is neither in it nor made since the import began is removed, once all of it has come and its digests fit.',
        ),
      dry_run: z
        .boolean()
        .default(false)
        .describe('Says what would happen. Whether the ends of connections exist is not looked at.'),
    }),
    output: z.object({
      tenant: z.string(),
      lines: z.int().describe('Read so far.'),
      done: z.boolean(),
      cursor: z.string().nullable().describe('For the next part; null when all is done.'),
      totals: totals.meta({ id: 'ImportTotals', description: 'Since the first part.' }),
      left_out: z.array(leftOut).describe('What of this part could not be taken over, and why.'),
    }),
    problems: ['invalid_cursor'],
    scope: 'admin',
  }),
}
