import type { Context, GroupCommit } from '../../context.ts'
import { inLockOrder, unlock } from '../neo4j/lock.ts'
import { NOW } from '../neo4j/projections.ts'
import { write } from '../neo4j/statements.ts'
import { lockMemory } from './write.ts'

/** Recalls of a memory within this time of the first one count as one. */
export const BURST_MS = 30_000

/** Whether the last burst of recalls has ended; one that ends later than it could was written by a clock that ran ahead. */
const isOver = (m: string, now: string) =>
  `NOT 0 < coalesce(${m}.recallBurstEnds - ${now}.epochMillis, 0) <= ${BURST_MS}`

/**
 * Appends a recall event to the memory `m`, unless one began within the last 30 seconds. Of callers that come at once,
 * the first appends it, and the others find it.
 */
export const appendRecall = `
  CALL (m) {
    WITH m, ${NOW} AS now WHERE ${isOver('m', 'now')}
    ${lockMemory}
    WITH m, ${NOW} AS now
    WITH m, now, ${isOver('m', 'now')} AS isFirst
    ${unlock('m')}
    WITH m, now WHERE isFirst
    CREATE (:Recall {id: randomUUID(), tenant: m.tenant, memoryId: m.id, at: now})
    SET m.recallCount = m.recallCount + 1, m.lastRecalledAt = now, m.recallOrder = now.epochMillis,
      m.recallBurstEnds = now.epochMillis + ${BURST_MS}
  }`

/** Records a recall of each memory, in one statement with the recalls of other callers. */
export const recordRecalls = (
  { app, tenant, share, space, signal }: Pick<Context, 'app' | 'tenant' | 'share' | 'space' | 'signal'>,
  ids: readonly string[],
): Promise<void> => app.groupCommits.commit(recalls, { share, space, signal }, { tenant, ids })

type Recalled = { tenant: string; ids: readonly string[] }

/** The most locks that one transaction takes is the size of a commit. */
const recalls: GroupCommit<Recalled, void> = {
  queue: 'recall',
  rows: 128,
  size: 500,
  sizeOf: ({ ids }) => ids.length,
  async commit(caller, _space, recalled) {
    const rows = recalled.flatMap(({ tenant, ids }) => ids.map(id => ({ tenant, id })))
    await write(
      caller,
      `CYPHER 25
      UNWIND $rows AS row
      MATCH (m:Memory {tenant: row.tenant, id: row.id}) USING INDEX SEEK m:Memory(tenant, id)
      ${appendRecall}`,
      { rows: inLockOrder(rows) },
    )
    return recalled.map(() => undefined)
  },
}

/** Each once, and in one order, so that no two transactions wait for each other's locks. */
