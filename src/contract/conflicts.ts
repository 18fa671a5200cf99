import { z } from 'zod'
import { closedSet } from './closed-sets.ts'
import { memory } from './memory.ts'
import { exactlyOnce, pageInput, pageOutput } from './pages.ts'
import { route } from './route.ts'
import { id, timestamp } from './values.ts'

const conflictStatus = closedSet('ConflictStatus')

const conflict = z
  .object({
    source: memory.describe('The memory that contradicts the other one.'),
    target: memory.describe('The memory that it contradicts.'),
    created_at: timestamp.describe('When the contradiction was recorded.'),
    status: conflictStatus.describe(
      '`confirmed`: it counts as a conflict. `suggested`: the service suspects it. `rejected`: somebody has rejected the suggestion.',
    ),
    rule: z
      .string()
      .nullable()
      .describe(
        'By which rule it is suspected, such as number, date, name or negation; null if it is confirmed, or was rejected before an import.',
      ),
    reason: z.string().nullable().describe('Why they contradict each other, or may; null if unknown.'),
  })
  .meta({ id: 'Conflict', description: 'Two active memories of which one contradicts the other, or may.' })

/** Which active memories a result is in conflict with. */
export const conflictIds = z
  .array(id)
  .describe('The ids of active memories that contradict this one, or that it contradicts.')

export const conflictRoutes = {
  listConflicts: route({
    method: 'GET',
    path: '/conflicts',
    summary: 'List pairs of active memories that contradict each other',
    description: `The newest contradiction comes first. A \`contradicts\` connection records a contradiction. ${exactlyOnce('a pair')}`,
    input: z.strictObject({
      status: conflictStatus
        .default('confirmed')
        .describe(
          'Which pairs: those that contradict each other, those that may, or those of which somebody has said that they do not.',
        ),
      ...pageInput('pairs', { usual: 20, most: 200, furthest: 10_000 }),
    }),
    output: z.object({
      conflicts: z.array(conflict).describe('The pairs, the newest contradiction first.'),
      ...pageOutput('pairs'),
    }),
    problems: ['invalid_cursor'],
    scope: 'read',
  }),
  reviewConflict: route({
    method: 'POST',
    path: '/conflicts/review',
    summary: 'Confirm or reject a suggested conflict',
    description:
      'Discovery suggests a conflict if two memories that are near in meaning say nearly the same with another number, date, unit, name or place, or with a negation. A confirmed pair becomes a contradicts connection from the newer memory to the older one. A rejected pair is not suggested again until one of the two texts changes.',
    input: z.strictObject({
      source_id: id.describe('The id of one of the two memories.'),
      target_id: id.describe('The id of the other one.'),
      outcome: closedSet('ReviewOutcome').describe('Whether the two memories contradict each other.'),
    }),
    output: z.object({
      source_id: id.describe('The id of the newer memory.'),
      target_id: id.describe('The id of the older memory.'),
      status: closedSet('ReviewOutcome').describe('The outcome.'),
    }),
    problems: ['connection_not_found', 'memory_not_found', 'memory_archived'],
    scope: 'write',
  }),
  resolveConflict: route({
    method: 'POST',
    path: '/conflicts/resolve',
    summary: 'Resolve a conflict: keep one memory and archive the other',
    description:
      'The two contradict each other, or a conflict of them is suggested, which this confirms. The memory is archived as `superseded` and stops to hold (`valid_until`); its connections stay. Searches with a `valid_at` before that still find it. `restoreMemory` makes it active and hold again. A version that you name is that of the memory to archive.',
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
