import { v7 as mintId, v5 as nameId } from 'uuid'
import type { Context } from '../../context.ts'
import type { Output } from '../../contract/index.ts'
import type { MaintenanceRun } from '../../contract/maintenance.ts'
import { ServiceError } from '../../contract/problems.ts'
import { audit } from '../../store/access/audit.ts'
import { readLifecycles, readTenant } from '../../store/lifecycle/due.ts'
import type { PlannedChange } from '../../store/lifecycle/figures.ts'
import { hasRun, moveRun, saveRun } from '../../store/lifecycle/runs.ts'
import { authorOf } from '../../store/memories/change.ts'
import { withMemoryLocks } from '../../store/memories/lock.ts'
import { lockStates } from '../../store/memories/states.ts'
import { keysOf } from '../../store/neo4j/lock.ts'
import { type Transaction, transact } from '../../store/neo4j/statements.ts'
import { restored } from '../memories/rules.ts'
import { supersede } from '../memories/supersede.ts'
import { archiveAs } from './forget.ts'
import { summarise } from './plan.ts'
import { changeUnmoved, type Revert } from './undo.ts'

/** Two memories with the revisions of their contents. */
export type Replacement = {
  readonly newer: { readonly id: string; readonly revision: number }
  readonly older: { readonly id: string; readonly revision: number }
  readonly reason: string
  readonly rule: string
}

const PLANS = 'b0a7f3f0-6b0e-4d51-9d5c-6d4b1d1c2a10'

/** Plans of what a model proposes: to archive a memory that another one replaces. There is none where it is gone. */
export async function planReplacements(ctx: Context, replacements: readonly Replacement[]) {
  if (replacements.length === 0) return []
  const ids = [...new Set(replacements.map(({ older }) => older.id))]
  const [{ now, memories }, rows] = await Promise.all([readTenant(ctx), readLifecycles(ctx, ids)])
  const known = new Map(rows.map(row => [row.id, row]))
  return replacements.flatMap(({ newer, older, reason, rule }) => {
    const row = known.get(older.id)
    if (!row) return []
    const why = `superseded by ${newer.id}: ${reason}`
    const change = {
      ...archiveAs(row, now, { archivedReason: 'superseded', reason: why, rule }),
      supersededBy: { id: newer.id, revision: newer.revision, ofRevision: older.revision },
    }
    return {
      // One of the same texts is the same plan, also once it was applied.
      id: nameId([ctx.tenant, newer.id, newer.revision, older.id, older.revision].join(), PLANS),
      state: 'waiting' as const,
      origin: 'model' as const,
      kind: 'supersede' as const,
      at: now,
      summary: summarise([change], memories),
      changes: [change] as const,
    }
  })
}

type SupersedePlan = Awaited<ReturnType<typeof planReplacements>>[number]

/** Keeps plans that are new. They wait until somebody applies them. */
export async function keepPlans(ctx: Context, transaction: Transaction, plans: readonly SupersedePlan[]) {
  for (const plan of plans)
    if (!(await hasRun(ctx, transaction, plan.id))) await saveRun(ctx, plan, transaction)
}

/** Marks a plan as applied by a call. False if an earlier try of it has. @throws ServiceError `plan_not_open` */
export async function claimPlan(ctx: Context, transaction: Transaction, id: string, call: string) {
  const move = { from: ['planned', 'waiting'], to: 'applied', call } as const
  const outcome = await moveRun(ctx, transaction, id, move)
  if (outcome === 'refused')
    throw new ServiceError('plan_not_open', `The plan ${id} has been applied already.`)
  return outcome === 'moved'
}

export async function applySupersession(
  ctx: Context,
  { id, summary }: MaintenanceRun,
  changes: readonly PlannedChange[],
): Promise<Output<'applyMaintenance'>> {
  const call = mintId()
  const moved = () =>
    new ServiceError('plan_moved', `One of the two memories of ${id} has changed since the plan.`)
  const [{ memory_id: oldId = '', supersededBy: by = undefined } = {}] = changes
  if (!by) throw moved()
  const pair = { id: by.id, oldId, writeId: call, reason: `superseded by ${by.id}` }
  const apply = async (transaction: Transaction) => {
    const states = await lockStates(transaction, ctx.space, keysOf(ctx, [by.id, oldId]))
    if (!(await claimPlan(ctx, transaction, id, call))) return
    const isCurrent = (memoryId: string, revision: number) =>
      states.some(each => each.id === memoryId && each.state === 'active' && each.revision === revision)
    if (!isCurrent(by.id, by.revision) || !isCurrent(oldId, by.ofRevision)) throw moved()
    await supersede(transaction, ctx, [pair], states)
    await audit(ctx, transaction, { target: id })
  }
  await withMemoryLocks(ctx, [oldId, by.id], () => transact(ctx, apply))
  return { run_id: id, applied: 1, left_out: [], summary }
}

/** Brings back a memory that a plan has archived, unless it has changed since. */
export const revertSupersession: Revert = (ctx, transaction, _runId, changes) => {
  const superseding = new Map(changes.map(({ memory_id, supersededBy }) => [memory_id, supersededBy?.id]))
  return changeUnmoved(ctx, transaction, changes, {
    isUnmoved: ({ id, archivedReason, supersededBy }) =>
      archivedReason === 'superseded' && supersededBy !== null && supersededBy === superseding.get(id),
    change: state => restored(state, authorOf(ctx)),
  })
}
