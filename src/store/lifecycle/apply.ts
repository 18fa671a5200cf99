import type { Context } from '../../context.ts'
import type { ChangeKind } from '../../contract/changes.ts'
import type { MaintenanceChange } from '../../contract/maintenance.ts'
import { recordMemoryChangeAs } from '../feed/record.ts'
import { keepVersion } from '../memories/history.ts'
import { removeJobs } from '../memories/remove.ts'
import { lockNow } from '../neo4j/lock.ts'
import { int, type Transaction, transact } from '../neo4j/statements.ts'
import { liveUntil } from '../neo4j/tokens.ts'
import { figureProperties, type PlannedChange, sortedById } from './figures.ts'
import { copyConnections } from './take-over.ts'

export type Frame = {
  /** Comes first. False when an earlier try has done everything and its answer was lost. */
  begin: (transaction: Transaction) => Promise<boolean>
  /** Comes last, with what was done; what it throws undoes it all. */
  finish: (transaction: Transaction, done: readonly PlannedChange[]) => Promise<unknown>
}

/**
 * Gives memories their new figures, in one transaction, and folds the recalls that are in them. Those that are no
 * longer as they were read are left alone. Returns the changes that were made.
 */
export function applyChanges(
  ctx: Context,
  runId: string,
  changes: readonly PlannedChange[],
  { begin, finish }: Frame,
): Promise<readonly PlannedChange[]> {
  const rows = changes.map(change => rowOf(ctx, runId, change)).sort(sortedById)
  let done: readonly PlannedChange[] = []
  return transact(ctx, async transaction => {
    if (!(await begin(transaction))) return done
    const parameters = { tenant: ctx.tenant, runId, rows }
    const unmoved = await transaction.run<{ id: string }>(applyUnmoved(ctx), parameters)
    const ids = new Set(unmoved.map(({ id }) => id))
    done = changes.filter(({ memory_id }) => ids.has(memory_id))
    await transaction.run(removeMarked, parameters)
    await copyConnections(ctx, transaction, runId, done)
    await finish(transaction, done)
    return done
  })
}

const rowOf = (
  ctx: Context,
  runId: string,
  { memory_id: id, change, reason, rule, before, after, recallCount, unfolded }: PlannedChange,
) => ({
  id,
  author: `rule:${rule}`,
  reason,
  before: figureProperties(ctx, before),
  after: figureProperties(ctx, { ...after, lastRun: runId, lastRunVersion: after.version }),
  recallCount: int(recallCount),
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

/** All that a change was computed from is compared under the lock, as it was not read in one moment. */
const applyUnmoved = ({ app }: Context) => `CYPHER 25
  UNWIND $rows AS row
  MATCH (m:Memory {tenant: $tenant, id: row.id}) USING INDEX SEEK m:Memory(tenant, id)
  ${lockNow('m')}
  WITH m, row WHERE m.removedBy IS NULL AND m.recallCount = row.recallCount
    AND all(name IN keys(row.before) WHERE m[name] = row.before[name] OR (m[name] IS NULL AND row.before[name] IS NULL))
    AND COUNT { MATCH (r:Recall {tenant: $tenant, memoryId: m.id}) WHERE r.foldedBy IS NULL } = row.unfolded
  CALL (m, row) {
    WITH m, row WHERE row.recorded IS NOT NULL AND NOT row.removed
    ${keepVersion(app, 'm')}
    SET m.author = row.author, m.reason = row.reason
  }
  SET m += row.after
  SET m.liveUntil = ${liveUntil('m')}
  WITH m, row
  CALL (m, row) {
    MATCH (r:Recall {tenant: $tenant, memoryId: m.id}) WHERE r.foldedBy IS NULL AND NOT row.removed
    SET r.foldedBy = $runId, r.foldedAt = datetime.realtime('Z')
  }
  CALL (m, row) {
    WITH m, row WHERE row.recorded IS NOT NULL
    ${recordMemoryChangeAs('row.recorded', 'm')}
  }
  RETURN m.id AS id`

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
