import { z } from 'zod'
import { memory } from './memory.ts'
import { exactlyOnce, pageInput, pageOutput } from './pages.ts'
import { route } from './route.ts'
import { id, timestamp } from './values.ts'

const group = 'Connections'

const conflict = z
  .object({
    source: memory.describe('The memory that contradicts the other one.'),
    target: memory.describe('The memory that it contradicts.'),
    created_at: timestamp.describe('When the contradiction was recorded.'),
  })
  .meta({ id: 'Conflict', description: 'Two active memories of which one contradicts the other.' })

/** Which active memories a result is in conflict with. */
export const conflictIds = z
  .array(id)
  .describe('The ids of active memories that contradict this one, or that it contradicts.')

export const conflictRoutes = {
  listConflicts: route({
    method: 'GET',
    path: '/conflicts',
    group,
    summary: 'List pairs of active memories that contradict each other',
    description: `The newest contradiction comes first. A \`contradicts\` connection records a contradiction. ${exactlyOnce('a pair')}`,
    input: z.strictObject({
      ...pageInput('pairs', { usual: 20, most: 200, furthest: 10_000 }),
    }),
    output: z.object({
      conflicts: z.array(conflict).describe('The pairs, the newest contradiction first.'),
      ...pageOutput('pairs'),
    }),
    problems: ['invalid_cursor'],
    scope: 'read',
  }),
  resolveConflict: route({
    method: 'POST',
    path: '/conflicts/resolve',
    group,
    summary: 'Resolve a conflict: keep one memory and archive the other',
    description:
      'The memory is archived as `superseded` and stops to hold (`valid_until`); its connections stay. Searches with a `valid_at` before that still find it. `restoreMemory` makes it active and hold again. A version that you name is that of the memory to archive.',
    input: z.strictObject({
      keep_id: id.describe('The id of the memory to keep.'),
      archive_id: id.describe('The id of the memory to archive.'),
      reason: z
        .string()
        .trim()
        .min(1)
        .max(200)
        .optional()
        .meta({ examples: ['The customer corrected the address.'] })
        .describe('Why, for the history of the archived memory. Its `archived_reason` is `superseded`.'),
    }),
    output: z.object({
      kept_id: id.describe('The id of the memory that was kept.'),
      archived_id: id.describe('The id of the memory that was archived.'),
      archived_reason: z.string().describe('Why the memory is archived: `superseded`.'),
    }),
    problems: ['memory_not_found', 'memory_archived', 'connection_not_found', 'version_mismatch'],
    scope: 'write',
    precondition: 'If-Match',
  }),
}
