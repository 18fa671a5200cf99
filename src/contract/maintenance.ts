import { z } from 'zod'
import { closedSet } from './closed-sets.ts'
import { filters } from './filters.ts'
import { NEAR_DUPLICATE } from './insights.ts'
import { policyName, policyRules } from './policies.ts'
import { route } from './route.ts'
import { id, limit, timestamp } from './values.ts'

const planKind = closedSet('MaintenanceKind').describe(
  '`lifecycle`: what the policies ask for. `forget`: archive all active memories that match `filters`. `merge`: archive near duplicates that hold at the same time, and give their tags, metadata and connections to the memory that is kept: the pinned one, else the one that lives longest, the most recalled or the oldest one. It has all their tags and keys; of two values of a key, it keeps its own.',
)

const runKind = closedSet('MaintenanceRunKind').describe(
  'What the plan is for. `extract`: a run in which a chat model has extracted facts from turns. `supersede`: a chat model proposes to archive a memory that a newer one replaces.',
)

/** The fields of a memory that maintenance changes. */
const lifecycle = z.object({
  state: closedSet('LifecycleState').describe('The state of the memory.'),
  policy: z.string().describe('The policy of the memory.'),
  health: z.number().describe('The health of the memory, 0 to 100.'),
  importance: z.number().describe('The importance of the memory, 0 to 1.'),
})

const change = z
  .object({
    memory_id: id.describe('The memory.'),
    change: closedSet('LifecycleChangeKind').describe(
      'What happens to the memory. If several things happen, this is the one with the greatest effect.',
    ),
    reason: z.string().describe('Why it happens, as a sentence.'),
    rule: z.string().describe('The policy and its rule, for example short_term.archive_at_health.'),
    before: lifecycle.describe('The memory before the change.'),
    after: lifecycle.describe('The memory after the change.'),
  })
  .meta({ id: 'LifecycleChange', description: 'What maintenance does to one memory.' })

export type MaintenanceChange = z.infer<typeof change>

const leftOut = z
  .object({
    memory_id: id.describe('The memory.'),
    reason: z.string().describe('Why the plan leaves it as it is.'),
  })
  .meta({ id: 'LeftOutMemory', description: 'A memory that a plan leaves as it is.' })

export type LeftOut = z.infer<typeof leftOut>

const summary = z
  .object({
    memories: z.int().describe('How many memories the tenant has.'),
    decay: z.int().describe('How many memories only lose health or importance.'),
    recall: z.int().describe('How many memories gain health from recalls.'),
    promote: z.int().describe('How many memories move to another policy.'),
    archive: z.int().describe('How many memories are archived.'),
    remove: z.int().describe('How many memories are removed.'),
    merge: z.int().describe('How many memories take over from near duplicates.'),
    extract: z.int().describe('How many facts were extracted from turns.'),
  })
  .meta({ id: 'MaintenanceSummary', description: 'The number of memories by what happens to them.' })

export type Summary = z.infer<typeof summary>

const runState = closedSet('MaintenanceState')

const run = z
  .object({
    id: id.describe('The id of the plan, and of its run.'),
    state: runState.describe(
      '`planned`: not applied yet. `waiting`: a scheduled run with which scheduled runs would archive or remove too many memories within 7 days; it waits for you to apply it. `applied`: done. `undone`: done and undone.',
    ),
    kind: runKind,
    origin: closedSet('MaintenanceOrigin').describe(
      'Whether a caller, the schedule or the answer of a chat model started it.',
    ),
    at: timestamp.describe('The time for which the changes were computed.'),
    applied_at: timestamp.nullable().describe('When the plan was applied; null if it was not.'),
    undone_at: timestamp.nullable().describe('When the run was undone; null if it was not.'),
    undo_until: timestamp.nullable().describe('Until when you can undo the run; null if it was not applied.'),
    summary: summary.describe('How many memories it concerns, by what happens to them.'),
  })
  .meta({ id: 'MaintenanceRun', description: 'A maintenance plan, or a run of one.' })

export type MaintenanceRun = z.infer<typeof run>

const planId = z.strictObject({ id: id.describe('The id of the plan.') })
const runId = z.strictObject({ id: id.describe('The id of the run.') })

export const maintenanceRoutes = {
  planMaintenance: route({
    method: 'POST',
    path: '/maintenance/plan',
    summary: 'Plan maintenance: see what it would do, without doing it',
    description:
      'Without `at` and `policies`, the service keeps the plan for one day, and you can apply exactly these changes. With either of them, the call only simulates: the service stores nothing, and `plan_id` is null. A plan of the kind `forget` or `merge` changes nothing before you apply it, and you can undo its run.',
    input: z.strictObject({
      kind: planKind.default('lifecycle'),
      filters: z
        .strictObject(filters('any'))
        .optional()
        .meta({ examples: [{ source: 'https://wiki.example/runbooks/checkout' }] })
        .describe(
          'Which memories the plan is about; by default all. A plan to forget needs at least one filter.',
        ),
      threshold: z
        .number()
        .min(0.8)
        .max(1)
        .default(NEAR_DUPLICATE)
        .describe('The cosine from which two memories are near duplicates, for a plan to merge.'),
      cursor: z
        .string()
        .optional()
        .describe(
          'Where to continue: the `next_cursor` of a plan with the same kind, filters and threshold.',
        ),
      at: timestamp.optional().describe('Simulate maintenance at this time in the future.'),
      policies: z
        .array(policyRules.extend({ name: policyName.describe('The name of the policy.') }))
        .min(1)
        .max(100)
        .optional()
        .describe('Simulate maintenance as if these policies were defined.'),
    }),
    output: z.object({
      plan_id: id.nullable().describe('The id of the plan; null for a simulation.'),
      at: timestamp.describe('The time for which the changes were computed.'),
      changes: z.array(change).describe('What would happen to each memory.'),
      summary: summary.describe('How many memories it concerns, by what happens to them.'),
      truncated: z
        .boolean()
        .describe(
          'Whether there may be more changes than the plan has: more than one plan holds, or half of the time for the request ended before the search for near duplicates. Apply the plan, then plan again with `next_cursor`.',
        ),
      next_cursor: z
        .string()
        .nullable()
        .describe('Where the next plan continues; null if this plan has looked at all memories.'),
      left_out: z
        .array(leftOut)
        .describe(
          'Near duplicates that a plan to merge leaves as they are, because they hold at another time than the kept memory, contradict it, or would give it more than 50 tags or 32 metadata keys.',
        ),
    }),
    problems: ['invalid_cursor'],
    scope: 'admin',
    narrows: ['filters'],
  }),
  applyMaintenance: route({
    method: 'POST',
    path: '/maintenance/plans/{id}/apply',
    summary: 'Apply a maintenance plan',
    description:
      'The service applies every change that still fits, and returns the others as `left_out`: their memory was changed, archived, restored, removed or maintained since, or the policy that it would move to was deleted. A memory that was only recalled still fits. Memories that are merged into one another are left out together. If no change fits, the response is `plan_moved`. After an interrupted request, call `getMaintenanceRun` to see whether the plan was applied.',
    input: planId,
    output: z.object({
      run_id: id.describe('The id of the run, which is the id of the plan.'),
      applied: z.int().describe('How many memories were changed.'),
      left_out: z.array(leftOut).describe('The memories that stay as they are, and why.'),
      summary: summary.describe('How many memories were changed, by what happened to them.'),
    }),
    problems: ['malformed_id', 'plan_not_found', 'plan_moved', 'plan_not_open'],
    scope: 'admin',
  }),
  listMaintenanceRuns: route({
    method: 'GET',
    path: '/maintenance/runs',
    summary: 'List maintenance plans and runs, newest first',
    input: z.strictObject({
      limit: limit(20, 200),
      state: runState.optional().describe('Only plans and runs in this state.'),
    }),
    output: z.object({
      runs: z.array(run).describe('The plans and runs, newest first.'),
      has_more: z.boolean().describe('Whether more of them match than `limit` allows.'),
    }),
    scope: 'admin',
  }),
  getMaintenanceRun: route({
    method: 'GET',
    path: '/maintenance/runs/{id}',
    summary: 'Fetch a maintenance plan or run with its changes',
    description: 'The service keeps the changes for 7 days after the run, and the summary for 90 days.',
    input: runId,
    output: run.extend({
      changes: z.array(change).describe('What happened to each memory, or would happen.'),
    }),
    problems: ['malformed_id', 'run_not_found'],
    scope: 'admin',
  }),
  undoMaintenance: route({
    method: 'POST',
    path: '/maintenance/runs/{id}/undo',
    summary: 'Undo a maintenance run within 7 days',
    description:
      'Memories that have changed since the run stay as they are. The response lists them as `skipped`.',
    input: runId,
    output: z.object({
      run_id: id.describe('The id of the run.'),
      undone: z.int().describe('How many memories were changed back.'),
      skipped: z
        .array(id)
        .describe('The memories that stay as they are, because they changed since the run.'),
    }),
    problems: ['malformed_id', 'run_not_found', 'run_not_undoable'],
    scope: 'admin',
  }),
}
