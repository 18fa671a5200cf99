import type { Context } from '../../context.ts'
import { recordMemoryChangeAs } from '../feed/record.ts'
import { queueDiscovery } from '../jobs/enqueue.ts'
import { keepVersion } from '../memories/history.ts'
import { lockMemories } from '../memories/lock.ts'
import { writerOf } from '../memories/write.ts'
import { lockNow } from '../neo4j/lock.ts'
import { NOW, otherEnd } from '../neo4j/projections.ts'
import { type Transaction, transact } from '../neo4j/statements.ts'
import { liveUntil } from '../neo4j/tokens.ts'
import type { Frame, recordedAs } from './apply.ts'
import { type FigureProperties, figureProperties, type PlannedChange, sortedById } from './figures.ts'
import { copyEnds, giveBack } from './take-over.ts'

/** Takes back what a run did to memories, whose locks are held. Returns the ids of those that it left as they are. */
export type Revert = (
  ctx: Context,
  transaction: Transaction,
  runId: string,
  changes: readonly PlannedChange[],
) => Promise<string[]>

/** Undoes a run in one transaction, behind the locks of its memories and of those that they were connected with. */
export function undoChanges(
  ctx: Context,
  { runId, changes, revert }: { runId: string; changes: readonly PlannedChange[]; revert: Revert },
  { begin, finish }: Frame<string[]>,
): Promise<string[]> {
  let skipped: string[] = []
  return transact(ctx, async transaction => {
    const ids = [
      ...changes.map(({ memory_id }) => memory_id),
      ...(await copyEnds(ctx, transaction, runId, changes)),
    ]
    await lockMemories(
      transaction,
      ids.map(id => ({ tenant: ctx.tenant, id })),
    )
    if (!(await begin(transaction))) return skipped
    skipped = await revert(ctx, transaction, runId, changes)
    await finish(transaction, skipped)
    return skipped
  })
}

/**
 * Gives memories back the figures from before a run, unless they have changed since. What callers noticed of the run is
 * undone by a new version. The history does not keep what a memory took over from others: they may be removed for good.
 */
export const revertChanges: Revert = async (ctx, transaction, runId, changes) => {
  const rows = changes.map(({ memory_id: id, change, before, after }) => ({
    id,
    before: withoutVersion(figureProperties(ctx, before)),
    tookOver: before.given !== undefined,
    wasLast: before.lastRunVersion === before.version,
    recorded: undoneAs[change] ?? null,
    revived: before.state === 'active' && after.state !== 'active',
  }))
  const parameters = { tenant: ctx.tenant, runId, by: writerOf(ctx), rows: rows.sort(sortedById) }
  await transaction.run(bringBack, parameters)
  const reverted = await transaction.run<{ id: string }>(revertUnmoved, parameters)
  const done = new Set(reverted.map(({ id }) => id))
  const undone = changes.filter(({ memory_id }) => done.has(memory_id))
  await giveBack(ctx, transaction, runId, undone)
  return rows.map(({ id }) => id).filter(id => !done.has(id))
}

const withoutVersion = ({ version: _version, updatedAt: _at, ...figures }: FigureProperties) => figures

/** What the feed records of an undo. */
const undoneAs: typeof recordedAs = {
  promote: 'updated',
  archive: 'restored',
  remove: 'restored',
  merge: 'updated',
}

/**
 * A connection comes back as soon as both of its ends have. A memory that got the id in the meantime, by an import, keeps it.
 */
const bringBack = `CYPHER 25
  UNWIND $rows AS row
  MATCH (m:RemovedMemory {tenant: $tenant, id: row.id}) WHERE m.removedBy = $runId
    AND NOT EXISTS { MATCH (other:Memory {tenant: $tenant, id: row.id}) USING INDEX SEEK other:Memory(tenant, id) }
  SET m:Memory
  REMOVE m:RemovedMemory, m.removedAt, m.removedBy
  WITH collect(m) AS back
  UNWIND back AS m
  MATCH (m)-[r]-${otherEnd('n')} WHERE r.removedKey IS NOT NULL AND n.tenant = $tenant
  WITH DISTINCT r, r.removedKey AS key
  SET r.key = key, r.tenant = $tenant
  REMOVE r.removedKey`

/** One that is active again is discovered again: what was written in the meantime did not find it. */
const revertUnmoved = `CYPHER 25
  UNWIND $rows AS row
  MATCH (m:Memory {tenant: $tenant, id: row.id}) USING INDEX SEEK m:Memory(tenant, id)
  ${lockNow('m')}
  WITH m, row WHERE m.lastRun = $runId AND m.version = m.lastRunVersion AND m.removedBy IS NULL
  CALL (m, row) {
    WITH m WHERE row.recorded IS NOT NULL AND NOT row.tookOver
    ${keepVersion('m')}
  }
  CALL (m, row) {
    WITH m WHERE row.recorded IS NOT NULL
    SET m.version = m.version + 1, m.updatedAt = ${NOW}, m.author = $by.author, m.reason = 'undo of the run ' + $runId
  }
  SET m += row.before
  SET m.lastRunVersion = CASE WHEN row.wasLast THEN m.version ELSE m.lastRunVersion END, m.liveUntil = ${liveUntil('m')}
  WITH m, row
  CALL (m) {
    MATCH (r:Recall {tenant: $tenant, memoryId: m.id}) WHERE r.foldedBy = $runId
    REMOVE r.foldedBy, r.foldedAt
  }
  CALL (m, row) {
    WITH m WHERE row.revived
    ${queueDiscovery}
  }
  CALL (m, row) {
    WITH m, row WHERE row.recorded IS NOT NULL
    ${recordMemoryChangeAs('row.recorded', 'm')}
  }
  RETURN m.id AS id`
