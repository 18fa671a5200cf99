import type { Context } from '../../context.ts'
import type { ChangeKind } from '../../contract/changes.ts'
import type { LeftOut, MaintenanceChange } from '../../contract/maintenance.ts'
import { recordMemoryChangeAs } from '../feed/record.ts'
import { keepVersion } from '../memories/history.ts'
import { lockMemories } from '../memories/lock.ts'
import { removeJobs } from '../memories/remove.ts'
import { writerOf } from '../memories/write.ts'
import { int, type Transaction, transact } from '../neo4j/statements.ts'
import { liveUntil } from '../neo4j/tokens.ts'
import { readLifecyclesWithin } from './due.ts'
import { figureProperties, type LifecycleRow, type PlannedChange, sortedById } from './figures.ts'
import { missingPolicies } from './policies.ts'
import { copiedEnds, copyConnections } from './take-over.ts'

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
    await lockMemories(
      transaction,
      ends.map(id => ({ tenant: ctx.tenant, id })),
    )
    if (!(await begin(transaction))) return applied
    const present = await readLifecyclesWithin(transaction.run, ctx.tenant, ids)
    const missing = await missingPolicies(
      transaction,
      changes.filter(moves).map(({ after }) => ({ tenant: ctx.tenant, policy: after.policy })),
    )
    applied = divided(
      changes,
      new Map(present.map(row => [row.id, row])),
      new Set(missing.map(({ policy }) => policy)),
    )
    const rows = applied.done.map(change => rowOf(ctx, runId, change)).sort(sortedById)
    const parameters = { tenant: ctx.tenant, runId, by: writerOf(ctx), rows }
    await transaction.run(applyRows, parameters)
    await transaction.run(removeMarked, parameters)
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
  if (names.some(name => before[name] !== row[name])) return 'it has changed since the plan'
  if (FADES.test(change.rule) && row.recalls.length > change.unfolded) return 'it was recalled since the plan'
  return moves(change) && missing.has(change.after.policy)
    ? `the policy ${change.after.policy} was deleted. Define it again, then plan again`
    : undefined
}

const rowOf = (
  ctx: Context,
  runId: string,
  { memory_id: id, change, reason, rule, after, unfolded }: PlannedChange,
) => ({
  id,
  author: `rule:${rule}`,
  reason,
  after: figureProperties(ctx, { ...after, lastRun: runId, lastRunVersion: after.version }),
  unfolded: int(unfolded),
  removed: after.state === 'removed',
  recorded: recordedAs[change] ?? null,
})

/** What the feed records; ageing and recalls are no change of a memory. */
export const recordedAs: Partial<Record<MaintenanceChange['change'], ChangeKind>> = {
  promote: 'promoted',
  archive: 'archived',
  remove: 'removed',
  merge: 'updated',
}

const applyRows = `CYPHER 25
  UNWIND $rows AS row
  MATCH (m:Memory {tenant: $tenant, id: row.id}) USING INDEX SEEK m:Memory(tenant, id)
  CALL (m, row) {
    WITH m, row WHERE row.recorded IS NOT NULL AND NOT row.removed
    ${keepVersion('m')}
    SET m.author = row.author, m.reason = row.reason
  }
  SET m += row.after
  SET m.liveUntil = ${liveUntil('m')}
  WITH m, row
  CALL (m, row) {
    MATCH (r:Recall {tenant: $tenant, memoryId: m.id}) WHERE r.foldedBy IS NULL AND NOT row.removed
    WITH r, row ORDER BY r.at
    WITH row, collect(r) AS waiting
    UNWIND waiting[..row.unfolded] AS r
    SET r.foldedBy = $runId, r.foldedAt = datetime.realtime('Z')
  }
  CALL (m, row) {
    WITH m, row WHERE row.recorded IS NOT NULL
    ${recordMemoryChangeAs('row.recorded', 'm')}
  }`

/**
 * A removed memory loses its label, and its connections their keys: no index, search or walk finds them any more. All
 * else stays for as long as the run can be undone. One of the same id that was removed earlier makes room.
 */
const removeMarked = `CYPHER 25
  UNWIND [row IN $rows WHERE row.removed] AS row
  MATCH (m:Memory {tenant: $tenant, id: row.id}) USING INDEX SEEK m:Memory(tenant, id) WHERE m.lastRun = $runId
  CALL (m) { MATCH (earlier:RemovedMemory {tenant: $tenant, id: m.id}) DETACH DELETE earlier }
  REMOVE m:Memory
  SET m:RemovedMemory, m.removedAt = datetime.realtime('Z'), m.removedBy = $runId
  WITH m
  ${removeJobs('m')}
  MATCH (m)-[r]-() WHERE r.key IS NOT NULL
  WITH DISTINCT r, r.key AS key
  SET r.removedKey = key
  REMOVE r.key, r.tenant`
