import { z } from 'zod'
import { policyName, policyRules } from './policies.ts'
import { route } from './route.ts'
import { id, limit, timestamp } from './values.ts'

/** What maintenance changes of a memory. */
const lifecycle = z.object({
  state: z.enum(['active', 'archived', 'removed']),
  policy: z.string(),
  health: z.number(),
  importance: z.number(),
})

const change = z
  .object({
    memory_id: id,
    change: z
      .enum(['decay', 'recall', 'promote', 'archive', 'remove'])
      .describe('The weightiest of what happens to it.'),
    reason: z.string(),
    rule: z.string().describe('The policy and the rule of it, for instance `short_term.archive_at_health`.'),
    before: lifecycle,
    after: lifecycle,
  })
  .meta({ id: 'LifecycleChange' })

export type Change = z.infer<typeof change>

const summary = z
  .object({
    memories: z.int().describe('How many the tenant has.'),
    decay: z.int(),
    recall: z.int(),
    promote: z.int(),
    archive: z.int(),
    remove: z.int(),
  })
  .meta({ id: 'MaintenanceSummary' })

export type Summary = z.infer<typeof summary>

const run = z
  .object({
    id,
    state: z
      .enum(['planned', 'waiting', 'applied', 'undone'])
      .describe('`waiting`: it would archive or remove too much at once and waits for an explicit apply.'),
    origin: z.enum(['asked', 'scheduled']),
    at: timestamp.describe('The time for which it was reckoned.'),
    applied_at: timestamp.nullable(),
    undone_at: timestamp.nullable(),
    undo_until: timestamp.nullable(),
    summary,
  })
  .meta({ id: 'MaintenanceRun' })

export type Run = z.infer<typeof run>

const group = 'Lifecycle'
const runId = z.strictObject({ id })

export const maintenanceRoutes = {
  planMaintenance: route({
    method: 'POST',
    path: '/maintenance/plan',
    group,
    summary: 'Tell what maintenance would do now, or at a time and with policies to be tried out',
    description:
      'Without `at` and `policies` the plan is kept for a day and can be applied exactly. With either it is a what-if: nothing is written, and there is no plan id.',
    input: z.strictObject({
      at: timestamp.optional().describe('A time in the future.'),
      policies: z
        .array(policyRules.extend({ name: policyName }))
        .min(1)
        .max(100)
        .optional()
        .describe('As if these were defined.'),
    }),
    output: z.object({
      plan_id: id.nullable(),
      at: timestamp,
      changes: z.array(change),
      summary,
      truncated: z.boolean().describe('There is more to do than one plan holds: apply it and plan again.'),
    }),
    problems: [],
    scope: 'admin',
  }),
  applyMaintenance: route({
    method: 'POST',
    path: '/maintenance/plans/{id}/apply',
    group,
    summary: 'Do exactly what a plan says, or nothing when its memories have moved',
    description:
      'Moved is what was changed, recalled, archived, restored, removed or maintained since. A plan may hold thousands of memories: after a 503 `GET /maintenance/runs/{id}` tells whether it was applied.',
    input: runId,
    output: z.object({ run_id: id, applied: z.int(), summary }),
    problems: ['malformed_id', 'plan_not_found', 'plan_moved', 'plan_not_open'],
    scope: 'admin',
  }),
  listMaintenanceRuns: route({
    method: 'GET',
    path: '/maintenance/runs',
    group,
    summary: 'List plans and runs, newest first',
    input: z.strictObject({
      limit: limit(20, 200),
      state: z.enum(['planned', 'waiting', 'applied', 'undone']).optional(),
    }),
    output: z.object({ runs: z.array(run), has_more: z.boolean() }),
    problems: [],
    scope: 'admin',
  }),
  getMaintenanceRun: route({
    method: 'GET',
    path: '/maintenance/runs/{id}',
    group,
    summary: 'Fetch a plan or run with all its changes',
    description: 'The changes are kept for 7 days after the run, the summary for 90.',
    input: runId,
    output: run.extend({ changes: z.array(change) }),
    problems: ['malformed_id', 'run_not_found'],
    scope: 'admin',
  }),
  undoMaintenance: route({
    method: 'POST',
    path: '/maintenance/runs/{id}/undo',
    group,
    summary: 'Undo a run, within 7 days',
    description: 'Memories that have changed since keep what they have; they are named as skipped.',
    input: runId,
    output: z.object({ run_id: id, undone: z.int(), skipped: z.array(id) }),
    problems: ['malformed_id', 'run_not_found', 'run_not_undoable'],
    scope: 'admin',
  }),
}
