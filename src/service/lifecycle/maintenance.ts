import { v7 as mintId } from 'uuid'
import type { Context } from '../../context.ts'
import type { Output, Parsed } from '../../contract/index.ts'
import type { MaintenanceChange, MaintenanceRun } from '../../contract/maintenance.ts'
import { invalid, ServiceError } from '../../contract/problems.ts'
import { audit } from '../../store/access/audit.ts'
import { takeBackFacts } from '../../store/chat-model/extraction.ts'
import { revertSupersession } from '../../store/chat-model/supersession.ts'
import { applyChanges } from '../../store/lifecycle/apply.ts'
import { readTenant } from '../../store/lifecycle/due.ts'
import type { Figures, PlannedChange } from '../../store/lifecycle/figures.ts'
import { UNDO_DAYS } from '../../store/lifecycle/retention.ts'
import { findRun, listRuns, moveRun, saveRun } from '../../store/lifecycle/runs.ts'
import { revertChanges } from '../../store/lifecycle/undo.ts'
import { START } from '../../store/memories/look-through.ts'
import { toFilter } from '../memories/filters.ts'
import { forgetMatching, refuseEmptyFilters } from './forget.ts'
import { type Merge, mergeDuplicates } from './merge.ts'
import { MOST_PLANNED, planFrom, summarise } from './plan.ts'
import { holdPolicies, policiesOf, triedOut } from './policies.ts'
import { applySupersession } from './supersessions.ts'

export async function planMaintenance(
  ctx: Context,
  input: Parsed<'planMaintenance'>,
): Promise<Output<'planMaintenance'>> {
  refuseEmptyFilters(input.filters)
  if (input.kind !== 'lifecycle') return planAsked(ctx, input, input.kind)
  const { now, memories } = await readTenant(ctx)
  const at = input.at === undefined ? now : Date.parse(input.at)
  if (at < now - 1000) throw invalid('/at', 'in_the_past', 'must be in the future')
  const policies = triedOut(await policiesOf(ctx), input.policies ?? [], now)
  const prospect = { at, policies, filter: input.filters && toFilter(input.filters) }
  const { changes, next } = await planFrom(ctx, prospect, START)
  const summary = summarise(changes, memories)
  const isWhatIf = input.at !== undefined || input.policies !== undefined
  const planId = isWhatIf ? null : mintId()
  if (planId)
    await saveRun(ctx, {
      id: planId,
      state: 'planned',
      origin: 'asked',
      kind: 'lifecycle',
      at,
      summary,
      changes,
    })
  return {
    plan_id: planId,
    at: new Date(at).toISOString(),
    changes: changes.map(toChange),
    summary,
    truncated: next !== null,
    left_out: [],
  }
}

/** A plan of a kind that only a person asks for. Nothing is kept of a plan without changes. */
async function planAsked(
  ctx: Context,
  input: Parsed<'planMaintenance'>,
  kind: 'forget' | 'merge',
): Promise<Output<'planMaintenance'>> {
  for (const name of ['at', 'policies'] as const)
    if (input[name] !== undefined)
      throw invalid(`/${name}`, 'not_applicable', 'goes together with the kind `lifecycle`')
  const { now: at, memories } = await readTenant(ctx)
  const bounds = { at, limit: MOST_PLANNED }
  const {
    changes,
    truncated,
    left_out = [],
  }: Partial<Merge> & Pick<Merge, 'changes' | 'truncated'> = kind === 'forget'
    ? await forgetMatching(ctx, input.filters, bounds)
    : await mergeDuplicates(ctx, input, bounds)
  const summary = summarise(changes, memories)
  const planId = changes.length === 0 ? null : mintId()
  if (planId)
    await saveRun(ctx, { id: planId, state: 'planned', origin: 'asked', kind, at, summary, changes })
  return {
    plan_id: planId,
    at: new Date(at).toISOString(),
    changes: changes.map(toChange),
    summary,
    truncated,
    left_out,
  }
}

export async function applyMaintenance(
  ctx: Context,
  { id }: Parsed<'applyMaintenance'>,
): Promise<Output<'applyMaintenance'>> {
  const found = await findRun<PlannedChange>(ctx, id)
  if (!found) throw new ServiceError('plan_not_found', `There is no plan ${id}.`)
  const { run, changes } = found
  if (run.kind === 'supersede') return applySupersession(ctx, run, changes)
  const call = mintId()
  await applyChanges(ctx, id, changes, {
    async begin(transaction) {
      const outcome = await moveRun(ctx, transaction, id, {
        from: ['planned', 'waiting'],
        to: 'applied',
        call,
      })
      if (outcome === 'refused')
        throw new ServiceError('plan_not_open', `The plan ${id} has been applied already.`)
      if (outcome !== 'moved') return false
      const missing = await holdPolicies(
        ctx,
        transaction,
        changes.map(({ after }) => after.policy),
      )
      if (missing) throw new ServiceError('plan_moved', needsPolicy(id, missing))
      return true
    },
    async finish(transaction, done) {
      if (done.length < changes.length) throw moved(changes, done)
      await audit(ctx, transaction, { target: id })
    },
  })
  return { run_id: id, applied: changes.length, summary: run.summary }
}

export async function undoMaintenance(
  ctx: Context,
  { id }: Parsed<'undoMaintenance'>,
): Promise<Output<'undoMaintenance'>> {
  const found = await findRun<PlannedChange>(ctx, id)
  if (!found) throw runNotFound(id)
  const call = mintId()
  const skipped = await revertOf(found.run)(ctx, id, found.changes, async transaction => {
    const move = { from: ['applied'], to: 'undone', call, withinDays: UNDO_DAYS } as const
    const outcome = await moveRun(ctx, transaction, id, move)
    if (outcome === 'refused') throw notUndoable(found.run)
    if (outcome !== 'moved') return false
    const missing = await holdPolicies(
      ctx,
      transaction,
      found.changes.map(({ before }) => before.policy),
    )
    if (missing) throw new ServiceError('run_not_undoable', needsPolicy(id, missing))
    await audit(ctx, transaction, { target: id })
    return true
  })
  ctx.app.wake()
  return { run_id: id, undone: found.changes.length - skipped.length, skipped }
}

function revertOf({ kind }: Pick<MaintenanceRun, 'kind'>) {
  if (kind === 'extract') return takeBackFacts
  return kind === 'supersede' ? revertSupersession : revertChanges
}

export async function listMaintenanceRuns(
  ctx: Context,
  { limit, state }: Parsed<'listMaintenanceRuns'>,
): Promise<Output<'listMaintenanceRuns'>> {
  const runs = await listRuns(ctx, state, limit + 1)
  return { runs: runs.slice(0, limit), has_more: runs.length > limit }
}

export async function getMaintenanceRun(
  ctx: Context,
  { id }: Parsed<'getMaintenanceRun'>,
): Promise<Output<'getMaintenanceRun'>> {
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

function moved(changes: readonly PlannedChange[], done: readonly PlannedChange[]) {
  const kept = new Set(done)
  const others = changes.filter(change => !kept.has(change))
  return new ServiceError(
    'plan_moved',
    `${others.length} memories have changed since the plan, the first is ${others[0]?.memory_id}.`,
  )
}

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
