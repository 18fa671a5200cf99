import type { Context, GroupCommit, Space } from '../../context.ts'
import type { LeasedJob } from '../jobs/leases.ts'
import type { Caller } from '../neo4j/attempts.ts'
import { keyOf } from '../neo4j/lock.ts'
import { int, read } from '../neo4j/statements.ts'
import { live } from '../neo4j/tokens.ts'
import { comparedWords } from '../neo4j/words.ts'
import { background, commit } from './subjects.ts'

/** Two vectors of 32-bit floats, each with last bits of its own: their cosine is known to this much. */
export const COSINE_TOLERANCE = 4e-6

export type Neighbour = {
  id: string
  cosine: number
  /** What they hold (`comparedWords`), where that was asked for. */
  words?: string | null
}

/**
 * `last` is the cosine of the farthest candidate that was seen; null when there are no further ones. The index also counts
 * what is archived or removed in that moment, which is not seen: some missing do not mean that there are no further ones.
 */
export type Neighbours = { found: Neighbour[]; last: number | null; words?: string | null }

/**
 * The active memories among the `candidates` nearest whose cosine is at least the threshold, nearest first, the subject
 * left out, with their words and its own if `worded`. Its vector must be stored.
 */
export const neighbours = (
  ctx: Context,
  job: LeasedJob,
  threshold: number,
  candidates: number,
  worded = false,
): Promise<Neighbours> =>
  commit(ctx, nearest, {
    id: job.memoryId,
    tenant: ctx.tenant,
    floor: threshold - COSINE_TOLERANCE,
    candidates,
    worded,
  })

type NearestRow = { id: string; tenant: string; floor: number; candidates: number; worded: boolean }

/** Candidates that one statement looks at: more would hold up the searches of callers. */
const MOST_CANDIDATES = 2_048

const nearest: GroupCommit<NearestRow, Neighbours> = {
  ...background,
  size: MOST_CANDIDATES,
  sizeOf: ({ candidates }) => candidates,
  async commit(caller, space, rows) {
    const widths = Map.groupBy(rows, ({ candidates }) => candidates)
    const answers: [string, Neighbours][] = []
    for (const [candidates, some] of widths)
      for (const { found, last, words, ...key } of await nearestOf(caller, space, candidates, some))
        answers.push([keyOf(key), { found: found.sort(byNearness), last, words }])
    const byMemory = new Map(answers)
    return rows.map(row => byMemory.get(keyOf(row)) ?? { found: [], last: null })
  },
}

const byNearness = (a: Neighbour, b: Neighbour) => b.cosine - a.cosine || (a.id < b.id ? -1 : 1)

const nearestOf = (caller: Caller, space: Space, candidates: number, rows: readonly NearestRow[]) =>
  read<Required<Neighbours> & { tenant: string; id: string }>(
    caller,
    `UNWIND $rows AS row
    MATCH (m:Memory {tenant: row.tenant, id: row.id}) USING INDEX SEEK m:Memory(tenant, id) WHERE m.${space.property} IS NOT NULL
    CALL (m, row) {
      MATCH (n:Memory)
      SEARCH n IN (VECTOR INDEX ${space.index} FOR m.${space.property}
        WHERE n.tenant = row.tenant AND ${live('n')} LIMIT $candidates) SCORE AS similarity
      WITH n, 2 * similarity - 1 AS cosine
      RETURN collect(CASE WHEN cosine >= row.floor AND n <> m THEN {id: n.id, cosine: cosine,
          words: CASE WHEN row.worded THEN ${comparedWords('n')} END} END) AS found,
        CASE WHEN count(n) >= $candidates / 2 THEN min(cosine) END AS last
    }
    RETURN row.tenant AS tenant, row.id AS id, found, last, CASE WHEN row.worded THEN ${comparedWords('m')} END AS words`,
    { rows, candidates: int(candidates) },
  )
