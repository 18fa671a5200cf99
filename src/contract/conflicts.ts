import { z } from 'zod'
import { memory } from './memory.ts'
import { route } from './route.ts'
import { id, limit, timestamp } from './values.ts'

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
    description: 'The newest contradiction comes first. A `contradicts` connection records a contradiction.',
    input: z.strictObject({
      limit: limit(20, 200),
      offset: z.int().min(0).max(10_000).default(0).describe('How many pairs to skip.'),
    }),
    output: z.object({
      conflicts: z.array(conflict).describe('The pairs, the newest contradiction first.'),
      has_more: z.boolean().describe('Whether there are more pairs.'),
      limit: z.int().describe('The `limit` of the request.'),
      offset: z.int().describe('The `offset` of the request.'),
    }),
    problems: [],
    scope: 'read',
  }),
  resolveConflict: route({
    method: 'POST',
    path: '/conflicts/resolve',
    group,
    summary: 'Resolve a conflict: keep one memory and archive the other',
    description:
      'The archived memory stops to hold (`valid_until`), and its connections stay. `restoreMemory` makes it active again.',
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
    problems: ['memory_not_found', 'memory_archived', 'connection_not_found'],
    scope: 'write',
  }),
}
