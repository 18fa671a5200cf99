import type { Context } from '../../context.ts'
import type { LeftOut, MaintenanceChange } from '../../contract/maintenance.ts'
import { readLifecyclesWithin } from '../../store/lifecycle/due.ts'
import { figureProperties, type LifecycleRow, type PlannedChange } from '../../store/lifecycle/figures.ts'
import { foldRecalls } from '../../store/lifecycle/folding.ts'
import { missingPolicies } from '../../store/lifecycle/policies.ts'
import { setAside } from '../../store/lifecycle/removed.ts'
import { copiedEnds, copyConnections } from '../../store/lifecycle/take-over.ts'
import type { MemoryChange } from '../../store/memories/change.ts'
import { lockMemories } from '../../store/memories/lock.ts'
import { keysOf } from '../../store/neo4j/lock.ts'
import { type Transaction, transact } from '../../store/neo4j/statements.ts'
import { liveUntilOf } from '../../store/neo4j/tokens.ts'
import { changeWithin } from '../memories/unit.ts'

export type Frame<Done> = {
  /** Comes behind the locks of the memories. False when an earlier try has done everything and its answer was lost. */
  begin: (transaction: Transaction) => Promise<boolean>
  /** Comes last, with what was done; what it throws undoes it all. */
  finish: (transaction: Transaction, done: Done) => Promise<unknown>
}

export type Applied = { readonly done: readonly PlannedChange[]; readonly leftOut: readonly LeftOut[] }

/**
 * Gives memories their new figures, in one transaction, and folds the recalls that are in them. What no longer fits is left
 * alone: of memories that are merged, all of them.
 */
export function applyChanges(
  ctx: Context,
  runId: string,
  changes: readonly PlannedChange[],
  { begin, finish }: Frame<Applied>,
): Promise<Applied> {
  const ids = changes.map(({ memory_id }) => memory_id)
  let applied: Applied = { done: [], leftOut: [] }
  return transact(ctx, async transaction => {
    const ends = [...ids, ...(await copiedEnds(ctx, transaction, changes))]
    await lockMemories(transaction, keysOf(ctx, ends))
    if (!(await begin(transaction))) return applied
    const present = await readLifecyclesWithin(transaction.run, ctx.tenant, ids)
    const missing = await missingPolicies(
      transaction,
      changes.filter(moves).map(({ after }) => ({ tenant: ctx.tenant, policy: after.policy })),
    )
    const known = new Map(present.map(row => [row.id, row]))
    applied = divided(changes, known, new Set(missing.map(({ policy }) => policy)))
    const rows = applied.done.map(change => changeOf(ctx, runId, change, known))
    await changeWithin(transaction, ctx, rows)
    const of = { tenant: ctx.tenant, runId }
    const gone = applied.done.filter(isGone).map(({ memory_id }) => memory_id)
    const folded = applied.done.filter(change => change.unfolded > 0 && !isGone(change))
    if (folded.length > 0) await foldRecalls(transaction, of, folded)
    if (gone.length > 0) await setAside(transaction, of, gone.sort())
    await copyConnections(ctx, transaction, runId, applied.done)
    await finish(transaction, applied)
    return applied
  })
}

const moves = ({ before, after }: PlannedChange) => before.policy !== after.policy

/** Which changes fit memories as they are, and why the others do not. */
function divided(
  changes: readonly PlannedChange[],
  present: ReadonlyMap<string, LifecycleRow>,
  missing: ReadonlySet<string>,
): Applied {
  const faults = new Map<string, string>()
  for (const change of changes) {
    const fault = faultOf(change, present.get(change.memory_id), missing)
    if (fault) faults.set(change.memory_id, fault)
  }
  for (const { memory_id, mergedIds = [] } of changes) {
    const group = mergedIds.length === 0 ? [] : [memory_id, ...mergedIds]
    const moved = group.find(id => faults.has(id))
    for (const id of moved ? group : [])
      if (!faults.has(id)) faults.set(id, `${moved}, with which it would be merged, does not fit`)
  }
  return {
    done: changes.filter(({ memory_id }) => !faults.has(memory_id)),
    leftOut: Array.from(faults, ([memory_id, reason]) => ({ memory_id, reason })),
  }
}

/** What fades only as long as nobody recalls it. */
const FADES = /\.(archive_at_health|remove_after_seconds)$/

/** A recall that came since is in the figures of the next run. It holds up only what is archived or removed for want of recalls. */
function faultOf(
  change: PlannedChange,
  row: LifecycleRow | undefined,
  missing: ReadonlySet<string>,
): string | undefined {
  if (!row) return 'it was removed since the plan'
  const { given: _given, ...before } = change.before
  const names = Object.keys(before) as (keyof typeof before)[]
  // A plan may have read the recalls before another run folded them, and the figures afterwards.
  if (names.some(name => before[name] !== row[name]) || row.recalls.length < change.unfolded)
    return 'it has changed since the plan'
  if (FADES.test(change.rule) && row.recalls.length > change.unfolded) return 'it was recalled since the plan'
  return moves(change) && missing.has(change.after.policy)
    ? `the policy ${change.after.policy} was deleted. Define it again, then plan again`
    : undefined
}

const isGone = ({ after }: PlannedChange) => after.state === 'removed'

function changeOf(
  ctx: Context,
  runId: string,
  { memory_id: id, change, reason, rule, after }: PlannedChange,
  known: ReadonlyMap<string, LifecycleRow>,
): MemoryChange {
  const { expiresAt } = known.get(id) as LifecycleRow
  const recorded = recordedAs[change] ?? null
  const isVersion = recorded !== null && after.state !== 'removed'
  return {
    ...{ tenant: ctx.tenant, id, recorded },
    set: {
      ...figureProperties(ctx, { ...after, lastRun: runId, lastRunVersion: after.version }),
      liveUntil: liveUntilOf({ ...after, expiresAt }),
      ...(isVersion && { author: `rule:${rule}`, reason }),
    },
    keepsVersion: isVersion,
  }
}

/** What the feed records; ageing and recalls are no change of a memory. */
export const recordedAs: Partial<Record<MaintenanceChange['change'], MemoryChange['recorded']>> = {
  promote: 'promoted',
  archive: 'archived',
  remove: 'removed',
  merge: 'updated',
}
