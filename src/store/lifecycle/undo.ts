import type { Context } from '../../context.ts'
import { recordMemoryChangeAs } from '../feed/record.ts'
import { queueDiscovery } from '../jobs/enqueue.ts'
import { lockNow } from '../neo4j/lock.ts'
import { int, transact } from '../neo4j/statements.ts'
import { liveUntil } from '../neo4j/tokens.ts'
import type { Frame, recordedAs } from './apply.ts'
import { figureProperties, type PlannedChange, sortedById } from './figures.ts'
import { giveBack } from './take-over.ts'

/**
 * Gives memories back the figures from before a run, unless they have changed since. Answers the ids of those that it
 * could not give back.
 */
export function revertChanges(
  ctx: Context,
  runId: string,
  changes: readonly PlannedChange[],
  begin: Frame['begin'],
): Promise<string[]> {
  const rows = changes.map(({ memory_id: id, change, before, after }) => ({
    id,
    version: int(after.version),
    before: figureProperties(ctx, before),
    recorded: undoneAs[change] ?? null,
    revived: before.state === 'active' && after.state !== 'active',
  }))
  let skipped: string[] = []
  return transact(ctx, async transaction => {
    if (!(await begin(transaction))) return skipped
    const parameters = { tenant: ctx.tenant, runId, rows: rows.sort(sortedById) }
    await transaction.run(bringBack, parameters)
    await giveBack(ctx, transaction, runId, changes)
    const reverted = await transaction.run<{ id: string }>(revertUnmoved, parameters)
    const done = new Set(reverted.map(({ id }) => id))
    skipped = rows.map(({ id }) => id).filter(id => !done.has(id))
    return skipped
  })
}

/** What the feed records of an undo. */
const undoneAs: typeof recordedAs = {
  promote: 'updated',
  archive: 'restored',
  remove: 'restored',
  merge: 'updated',
}

/**
 * A connection comes back as soon as both of its ends have. A memory that got the id meanwhile, by an import, keeps it.
 */
const bringBack = `CYPHER 25
  UNWIND $rows AS row
  MATCH (m:RemovedMemory {tenant: $tenant, id: row.id}) WHERE m.removedBy = $runId
    AND NOT EXISTS { MATCH (other:Memory {tenant: $tenant, id: row.id}) USING INDEX SEEK other:Memory(tenant, id) }
  SET m:Memory
  REMOVE m:RemovedMemory, m.removedAt, m.removedBy
  WITH collect(m) AS back
  UNWIND back AS m
  MATCH (m)-[r]-(n:Memory) WHERE r.removedKey IS NOT NULL AND n.tenant = $tenant
  WITH DISTINCT r, r.removedKey AS key
  SET r.key = key, r.tenant = $tenant
  REMOVE r.removedKey`

/** One that is active again is discovered again: what was written meanwhile did not find it. */
const revertUnmoved = `CYPHER 25
  UNWIND $rows AS row
  MATCH (m:Memory {tenant: $tenant, id: row.id}) USING INDEX SEEK m:Memory(tenant, id)
  ${lockNow('m')}
  WITH m, row WHERE m.version = row.version AND m.lastRun = $runId AND m.removedBy IS NULL
  CALL (m, row) {
    MATCH (v:Version {tenant: $tenant, memoryId: m.id}) WHERE v.version = row.before.version
    SET m.author = v.author, m.reason = v.reason
    DELETE v
  }
  SET m += row.before
  SET m.liveUntil = ${liveUntil('m')}
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
