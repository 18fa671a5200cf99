import type { Context, GroupCommit, RecallFigures } from '../../context.ts'
import { byKey, keyOf, lockMemory, unlock } from '../neo4j/lock.ts'
import { fromMillis, inMillis, NOW } from '../neo4j/projections.ts'
import { write } from '../neo4j/statements.ts'

/** Recalls of a memory within this time of the first one count as one. */
export const BURST_MS = 30_000

/**
 * Whether the last burst of recalls has nothing to do with a recall at this time. One that waited may be a little older than the burst. A burst that ends later
 * than it could was written by a clock that ran ahead.
 */
export const isBurstOver = (m: string, at: string) =>
  `NOT 0 < coalesce(${m}.recallBurstEnds - ${at}.epochMillis, 0) <= ${2 * BURST_MS}`

/** A recall of one memory. `key` names it: to record it again changes nothing. */
export type Recall = {
  readonly tenant: string
  readonly id: string
  readonly key: string
  /** When it happened, in milliseconds. */
  readonly at: number
}

/** Records recalls in one statement with those of other callers. Returns the figures of those memories that are there. */
export const recordRecalls = (
  { app, share, space, signal }: Pick<Context, 'app' | 'share' | 'space' | 'signal'>,
  recalls: readonly Recall[],
): Promise<ReadonlyMap<string, RecallFigures>> =>
  app.groupCommits.commit(recording, { share, space, signal }, recalls)

/** The most locks that one transaction takes is the size of a commit. */
const recording: GroupCommit<readonly Recall[], ReadonlyMap<string, RecallFigures>> = {
  rows: 128,
  size: 500,
  sizeOf: ({ length }) => length,
  async commit(caller, _space, groups) {
    const rows = await write<{ tenant: string; id: string } & RecallFigures>(caller, record, {
      // Several of one memory are recorded each, the earliest first.
      rows: groups.flat().sort((a, b) => byKey(a, b) || a.at - b.at),
    })
    const figures = new Map(rows.map(row => [keyOf(row), row]))
    return groups.map(
      recalls =>
        new Map(
          recalls.flatMap(recall => {
            const found = figures.get(keyOf(recall))
            return found ? [[recall.id, found] as const] : []
          }),
        ),
    )
  },
}

/** The clock of this process may run ahead of that of the database. */
const at = `CASE WHEN row.at < ${NOW}.epochMillis THEN ${fromMillis('toInteger(row.at)')} ELSE ${NOW} END AS at`

/**
 * Appends a recall event to each memory, unless one began within the 30 seconds before. Of callers that come at once, the
 * first appends it, and the others find it.
 */
const record = `UNWIND $rows AS row
  MATCH (m:Memory {tenant: row.tenant, id: row.id}) USING INDEX SEEK m:Memory(tenant, id)
  CALL (m, row) {
    WITH m, row, ${at}
    WITH m, row, at WHERE ${isBurstOver('m', 'at')}
    ${lockMemory}
    WITH m, row, at, ${isBurstOver('m', 'at')} AND NOT EXISTS { (:Recall {id: row.key}) } AS isFirst
    ${unlock('m')}
    WITH m, row, at WHERE isFirst
    CREATE (:Recall {id: row.key, tenant: m.tenant, memoryId: m.id, at: at})
    SET m.recallCount = m.recallCount + 1
    WITH m, at WHERE coalesce(m.lastRecalledAt < at, true)
    SET m.lastRecalledAt = at, m.recallOrder = at.epochMillis, m.recallBurstEnds = at.epochMillis + ${BURST_MS}
  }
  WITH m WHERE m.recallCount IS NOT NULL
  RETURN m.tenant AS tenant, m.id AS id, 1.0 * m.recallCount AS count, ${inMillis('m.lastRecalledAt')} AS last`
