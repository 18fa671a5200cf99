import { z } from 'zod'
import { closedSet } from './closed-sets.ts'
import { filters } from './filters.ts'
import { onDuplicate } from './memory.ts'
import { route, textStream } from './route.ts'
import { id } from './values.ts'

const changes = {
  created: z.int().describe('How many were created.'),
  updated: z.int().describe('How many were changed to what the bundle contains.'),
  unchanged: z.int().describe('How many already were as the bundle has them.'),
  kept: z.int().describe('How many stay as they are, because the service has a newer or conflicting state.'),
  removed: z.int().describe('How many the mode `replace` removed, because the bundle does not contain them.'),
}

const counts = z.object(changes).meta({ id: 'ImportCounts', description: 'What the import did, by outcome.' })

const totals = z.object({
  policies: counts.describe('What the import did to policies.'),
  memories: counts.describe('What the import did to memories.'),
  versions: counts.describe('What the import did to earlier versions.'),
  connections: counts.describe('What the import did to connections.'),
  earlier_connections: counts.describe(
    'What the import did to connections that had changed or been removed.',
  ),
  rejections: counts.describe(
    'What the import did to connections that somebody rejected, and to suggested conflicts.',
  ),
  vectors: z
    .object({
      taken: z.int().describe('How many vectors were stored.'),
      left_out: z
        .int()
        .describe(
          'How many vectors belong to an embedding space that this service does not have. The queue computes new ones.',
        ),
    })
    .meta({ id: 'ImportedVectors', description: 'The vectors of an import, by outcome.' })
    .describe('What the import did to vectors.'),
})

const leftOut = z
  .object({
    line: z.int().describe('The number of the line in the bundle, from 1.'),
    reason: closedSet('LeftOutReason').describe(
      '`unknown_policy`: the tenant has no such policy. `missing_memory`: the memory of the version does not exist. `missing_end`: a memory of the connection does not exist. `secret`: it contains a secret, and the settings refuse those.',
    ),
    id: id.describe('The memory, or the source of the connection.'),
  })
  .meta({ id: 'LeftOut', description: 'A line of the bundle that the import skipped.' })

const duplicate = z
  .object({
    id: id.describe('The memory of the bundle.'),
    duplicate_of: id.describe('The memory of the tenant that says the same.'),
  })
  .meta({
    id: 'ImportedDuplicate',
    description: 'A memory of the bundle that the tenant has under another id.',
  })

export const portabilityRoutes = {
  exportBundle: route({
    method: 'GET',
    path: '/export',
    summary: 'Export the data of the tenant as a bundle',
    description:
      'A bundle is a text with one JSON object per line: a first line, policies, memories with their vectors, earlier versions, connections, earlier connections, rejected connections, and a manifest. With filters, it contains the matching memories and the connections between them, and all policies. The manifest contains the number of lines and the digest of each section. `importBundle` reads it. If the connection breaks, the bundle has no manifest; continue with the cursor of its last `checkpoint` line.',
    input: z.strictObject({
      ...filters('any'),
      vectors: z
        .boolean()
        .default(true)
        .describe(
          'Whether to include the vectors of the active embedding space. Then the import need not compute them again.',
        ),
      cursor: z
        .string()
        .meta({ examples: ['eyJrIjoiMDFhMWY4M2QifQ.4f8Q1m'] })
        .optional()
        .describe(
          'Continue an interrupted export: the cursor of its last `checkpoint` line. Use it with the same filters.',
        ),
    }),
    output: textStream,
    mediaTypes: ['application/x-ndjson'],
    problems: ['invalid_cursor'],
    scope: 'read',
  }),
  importBundle: route({
    method: 'POST',
    path: '/import',
    summary: 'Import a bundle in parts',
    description:
      'Send the lines of a bundle in order, in several calls. Pass the `cursor` of each response to the next call, until `done` is true. Each part is durable when its response arrives. Sending a part again, or the whole bundle, changes nothing more. If a line is invalid, the service refuses the whole part and names the line. Send all policies in one part, and each vector in the part of its memory. The service queues discovery only for memories that come without a usable vector, with changed content, or that were archived or expired here.',
    input: z.strictObject({
      lines: z
        .array(z.string().max(1_000_000))
        .max(2_000)
        .describe(
          'The lines of the bundle, unchanged and without line breaks. Send an empty list only to continue a removal.',
        ),
      cursor: z
        .string()
        .meta({ examples: ['eyJrIjoiMDFhMWY4M2QifQ.4f8Q1m'] })
        .optional()
        .describe('The `cursor` of the previous response. Omit it for the first part.'),
      mode: closedSet('ImportMode')
        .default('merge')
        .describe(
          '`merge`: the newer state of a memory stays. `replace`: the bundle wins. After the last part, if the digests match, the import removes everything that the bundle does not contain and that existed before the import.',
        ),
      dry_run: z
        .boolean()
        .default(false)
        .describe(
          'Whether to only report what the import would do. It does not check whether the memories of a connection exist.',
        ),
      on_duplicate: onDuplicate
        .optional()
        .describe(
          'What to do with a memory whose id the tenant does not have, if another memory says the same for the same source and session. `store`: import it. `return` (default): do not import it, count it as `kept`, and connect the other memory in its place. Archived memories are always imported, and memories of one bundle are not compared. An import remembers 5,000 duplicates, and stores further ones. In the mode `replace`, which needs `store`, that is the default.',
        ),
    }),
    output: z.object({
      tenant: z.string().describe('The tenant that the import writes to.'),
      lines: z.int().describe('How many lines the import has read so far.'),
      done: z.boolean().describe('Whether the import is complete.'),
      cursor: z
        .string()
        .nullable()
        .describe('The cursor for the next part; null when the import is complete.'),
      totals: totals
        .meta({ id: 'ImportTotals', description: 'What an import did.' })
        .describe('What the import did since its first part.'),
      left_out: z.array(leftOut).describe('The lines of this part that the import skipped, and why.'),
      duplicates: z
        .array(duplicate)
        .describe(
          'The memories of this part that another memory stands for, with `on_duplicate` set to `return`.',
        ),
    }),
    problems: ['invalid_cursor', 'quota_exceeded'],
    scope: 'admin',
    narrows: ['dry_run'],
  }),
}
