import { v7 as mintId } from 'uuid'
import type { Context } from '../../context.ts'
import type { Parsed } from '../../contract/index.ts'
import type { LeftOut, MaintenanceChange, MaintenanceRun } from '../../contract/maintenance.ts'
import { invalid, ServiceError } from '../../contract/problems.ts'
import { audit } from '../../store/access/audit.ts'
import { readTenant } from '../../store/lifecycle/due.ts'
import type { Figures, PlannedChange } from '../../store/lifecycle/figures.ts'
import { missingPolicies } from '../../store/lifecycle/policies.ts'
import { UNDO_DAYS } from '../../store/lifecycle/retention.ts'
import { findRun, keepApplied, listRuns, moveRun, saveRun } from '../../store/lifecycle/runs.ts'
import { START } from '../../store/memories/look-through.ts'
import { takeBackFacts } from '../chat-model/facts.ts'
import { seal, unseal } from '../cursors.ts'
import type { Handler } from '../handler.ts'
import { toFilter } from '../memories/filters.ts'
import { applyChanges } from './apply.ts'
import { forgetMatching, refuseEmptyFilters } from './forget.ts'
import { type Merge, mergeDuplicates } from './merge.ts'
import { MOST_PLANNED, type Prospect, planFrom, summarise } from './plan.ts'
import { policiesOf, triedOut } from './policies.ts'
import { applySupersession, claimPlan, revertSupersession } from './supersessions.ts'
import { type Revert, revertChanges, undoChanges } from './undo.ts'

export const planMaintenance: Handler<'planMaintenance'> = async (ctx, input) => {
  refuseEmptyFilters(input.filters)
  const { kind, at: until, filters, threshold, cursor } = input
  const isWhatIf = until !== undefined || input.policies !== undefined
  if (kind !== 'lifecycle' && isWhatIf) throw whatIfOf(input.at === undefined ? 'policies' : 'at')
  const { now, memories } = await readTenant(ctx)
  const at = until === undefined ? now : Date.parse(until)
  if (at < now - 1000) throw invalid('/at', 'in_the_past', 'must be in the future')
  const walk = ['planMaintenance', kind, filters ?? null, threshold]
  const after = cursor === undefined ? START : (unseal(ctx, walk, cursor) as string)
  const policies = triedOut(await policiesOf(ctx), input.policies ?? [], now)
  const { changes, next, left_out } = await planned(ctx, input, { at, policies, after })
  const summary = summarise(changes, memories)
  // Nothing is kept of a trial, nor of a plan of a kind that only a person asks for if it has no changes.
  const planId = isWhatIf || (kind !== 'lifecycle' && changes.length === 0) ? null : mintId()
  if (planId)
    await saveRun(ctx, { id: planId, state: 'planned', origin: 'asked', kind, at, summary, changes })
  return {
    plan_id: planId,
    at: new Date(at).toISOString(),
    changes: changes.map(toChange),
    summary,
    truncated: next !== null,
    next_cursor: next === null ? null : seal(ctx, walk, next),
    left_out,
  }
}

const whatIfOf = (name: 'at' | 'policies') =>
  invalid(`/${name}`, 'not_applicable', 'goes together with the kind `lifecycle`')

type Start = Required<Pick<Prospect, 'at' | 'policies'>> & { after: string }

async function planned(
  ctx: Context,
  { kind, filters, threshold }: Parsed<'planMaintenance'>,
  { at, policies, after }: Start,
): Promise<Merge> {
  const bounds = { at, after, limit: MOST_PLANNED }
  if (kind === 'merge') return mergeDuplicates(ctx, { filters, threshold }, { ...bounds, policies })
  const found =
    kind === 'forget'
      ? await forgetMatching(ctx, filters, bounds)
      : await planFrom(ctx, { at, policies, filter: filters && toFilter(filters) }, after)
  return { ...found, left_out: [] }
}

export const applyMaintenance: Handler<'applyMaintenance'> = async (ctx, { id }) => {
  const found = await findRun<PlannedChange>(ctx, id)
  if (!found) throw new ServiceError('plan_not_found', `There is no plan ${id}.`)
  const { run, changes } = found
  if (run.kind === 'supersede') return applySupersession(ctx, run, changes)
  const call = mintId()
  let { summary } = run
  const { done, leftOut } = await applyChanges(ctx, id, changes, {
    begin: transaction => claimPlan(ctx, transaction, id, call),
    async finish(transaction, made) {
      if (made.done.length === 0 && changes.length > 0) throw moved(made.leftOut)
      if (made.leftOut.length > 0) {
        summary = summarise(made.done, summary.memories)
        await keepApplied(ctx, transaction, { id, summary, changes: made.done })
      }
      await audit(ctx, transaction, { target: id })
    },
  })
  return { run_id: id, applied: done.length, left_out: [...leftOut], summary }
}

export const undoMaintenance: Handler<'undoMaintenance'> = async (ctx, { id }) => {
  const found = await findRun<PlannedChange>(ctx, id)
  if (!found) throw runNotFound(id)
  const call = mintId()
  const undoing = { runId: id, changes: found.changes, revert: revertOf(found.run) }
  const skipped = await undoChanges(ctx, undoing, {
    async begin(transaction) {
      const move = { from: ['applied'], to: 'undone', call, withinDays: UNDO_DAYS } as const
      const outcome = await moveRun(ctx, transaction, id, move)
      if (outcome === 'refused') throw notUndoable(found.run)
      if (outcome !== 'moved') return false
      const [missing] = await missingPolicies(transaction, returningTo(ctx, found.changes))
      if (missing) throw new ServiceError('run_not_undoable', needsPolicy(id, missing.policy))
      return true
    },
    finish: transaction => audit(ctx, transaction, { target: id }),
  })
  ctx.app.wake()
  return { run_id: id, undone: found.changes.length - skipped.length, skipped }
}

/** The policies that memories would have again. */
const returningTo = ({ tenant }: Context, changes: readonly PlannedChange[]) =>
  changes.flatMap(({ before: { policy }, after }) =>
    policy !== after.policy || after.state === 'removed' ? [{ tenant, policy }] : [],
  )

function revertOf({ kind }: Pick<MaintenanceRun, 'kind'>): Revert {
  if (kind === 'extract') return takeBackFacts
  return kind === 'supersede' ? revertSupersession : revertChanges
}

export const listMaintenanceRuns: Handler<'listMaintenanceRuns'> = async (ctx, { limit, state }) => {
  const runs = await listRuns(ctx, state, limit + 1)
  return { runs: runs.slice(0, limit), has_more: runs.length > limit }
}

export const getMaintenanceRun: Handler<'getMaintenanceRun'> = async (ctx, { id }) => {
  const found = await findRun<PlannedChange>(ctx, id)
  if (!found) throw runNotFound(id)
  return { ...found.run, changes: found.changes.map(toChange) }
}

const toChange = ({ memory_id, change, reason, rule, before, after }: PlannedChange): MaintenanceChange => ({
  memory_id,
  change,
  reason,
  rule,
  before: shown(before),
  after: shown(after),
})

const shown = ({ state, policy, health, importance }: Figures) => ({
  state,
  policy,
  health,
  importance,
})

const moved = (leftOut: readonly LeftOut[]) =>
  new ServiceError(
    'plan_moved',
    `${leftOut.length} memories have changed since the plan, the first is ${leftOut[0]?.memory_id}.`,
  )

const needsPolicy = (id: string, policy: string) =>
  `Memories of ${id} would have the policy ${policy}, which was deleted. Define it again, then repeat the request.`

const runNotFound = (id: string) => new ServiceError('run_not_found', `There is no run ${id}.`)

const notUndoable = ({ id, state }: { id: string; state: string }) =>
  new ServiceError(
    'run_not_undoable',
    state === 'applied'
      ? `The run ${id} is older than ${UNDO_DAYS} days, or is being undone.`
      : `The run ${id} is ${state}, not applied.`,
  )
