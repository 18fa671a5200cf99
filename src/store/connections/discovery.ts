import type { Integer } from 'neo4j-driver'
import type { Context, GroupCommit, Space } from '../../context.ts'
import { recordConnectionChange } from '../feed/record.ts'
import { JOBS_A_LEASE, type LeasedJob, ours, settleDone } from '../jobs/leases.ts'
import { NOW } from '../neo4j/projections.ts'
import { type Caller, int, read, type Transaction, transact } from '../neo4j/statements.ts'
import { live } from '../neo4j/tokens.ts'

export type Subject = {
  /** Only where a vector is missing: then it is needed. */
  content: string | null
  /** The properties of the spaces, of those asked for, in which it has no vector. */
  missing: string[]
  /** Whether the job still speaks of the memory as it is: active, and at this revision of its content. */
  current: boolean
  /** The space that is active now; this process may not have followed a switch yet. */
  active: string
}

/** No caller waits for discovery: its statements run one at a time, so that requests find the database free. */
const background = { queue: 'discovery', rows: JOBS_A_LEASE }

/** Each tenant has its share of the queue. */
const commit = <Row, Answer>(ctx: Context, group: GroupCommit<Row, Answer>, row: Row) =>
  ctx.app.groupCommits.commit(group, { signal: ctx.signal, space: ctx.space, share: ctx.tenant }, row)

/** The memory that a job is about; undefined when it has been removed. */
export const getSubject = (
  ctx: Context,
  job: LeasedJob,
  spaces: readonly Space[],
): Promise<Subject | undefined> =>
  commit(ctx, subjects, {
    id: job.memoryId,
    tenant: ctx.tenant,
    revision: int(job.revision),
    properties: spaces.map(({ property }) => property),
  })

type SubjectRow = { id: string; tenant: string; revision: Integer; properties: string[] }

const subjects: GroupCommit<SubjectRow, Subject | undefined> = {
  ...background,
  size: Number.POSITIVE_INFINITY,
  sizeOf: () => 0,
  async commit(caller, _space, rows) {
    const found = await read<{ id: string; revision: number; subject: Subject }>(
      caller,
      `CYPHER 25
      MATCH (s:Setting {name: 'activeSpace'})
      WITH s.value AS active
      UNWIND $rows AS row
      MATCH (m:Memory {id: row.id}) USING INDEX SEEK m:Memory(id) WHERE m.tenant = row.tenant
      WITH active, m, row, [name IN row.properties WHERE NOT name IN keys(m)] AS missing
      RETURN row.id AS id, row.revision AS revision, {missing: missing,
        content: CASE WHEN size(missing) > 0 THEN m.content END,
        current: m.state = 'active' AND row.revision = m.revision, active: active} AS subject`,
      { rows },
    )
    const subjectOf = new Map(found.map(({ id, revision, subject }) => [`${id}:${revision}`, subject]))
    return rows.map(({ id, revision }) => subjectOf.get(`${id}:${revision}`))
  },
}

/** Two vectors of 32-bit floats, each with last bits of its own: their cosine is known to this much. */
export const COSINE_TOLERANCE = 4e-6

export type Neighbour = { id: string; cosine: number }

/**
 * `last` is the cosine of the farthest candidate that was seen; null when there are no further ones. The index also counts
 * what is archived or removed in that moment, which is not seen: some missing do not mean that there are no further ones.
 */
export type Neighbours = { found: Neighbour[]; last: number | null }

/**
 * The active memories among the `candidates` nearest whose cosine is at least the threshold, nearest first, the subject
 * left out. Its vector must be stored.
 */
export const neighbours = (
  ctx: Context,
  job: LeasedJob,
  threshold: number,
  candidates: number,
): Promise<Neighbours> =>
  commit(ctx, nearest, {
    id: job.memoryId,
    tenant: ctx.tenant,
    floor: threshold - COSINE_TOLERANCE,
    candidates,
  })

type NearestRow = { id: string; tenant: string; floor: number; candidates: number }

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
      for (const { id, found, last } of await nearestOf(caller, space, candidates, some))
        answers.push([id, { found: found.sort(byNearness), last }])
    const byId = new Map(answers)
    return rows.map(({ id }) => byId.get(id) ?? { found: [], last: null })
  },
}

const byNearness = (a: Neighbour, b: Neighbour) => b.cosine - a.cosine || (a.id < b.id ? -1 : 1)

const nearestOf = (caller: Caller, space: Space, candidates: number, rows: readonly NearestRow[]) =>
  read<Neighbours & { id: string }>(
    caller,
    `CYPHER 25
    UNWIND $rows AS row
    MATCH (m:Memory {id: row.id}) USING INDEX SEEK m:Memory(id) WHERE m.tenant = row.tenant AND m.${space.property} IS NOT NULL
    CALL (m, row) {
      MATCH (n:Memory)
      SEARCH n IN (VECTOR INDEX ${space.index} FOR m.${space.property}
        WHERE n.tenant = row.tenant AND ${live('n')} LIMIT $candidates) SCORE AS similarity
      WITH n, 2 * similarity - 1 AS cosine
      RETURN collect(CASE WHEN cosine >= row.floor AND n <> m THEN {id: n.id, cosine: cosine} END) AS found,
        CASE WHEN count(n) >= $candidates / 2 THEN min(cosine) END AS last
    }
    RETURN row.id AS id, found, last`,
    { rows, candidates: int(candidates) },
  )

/**
 * Makes the discovered connections of a memory equal to its neighbours and settles the job, in one transaction, which
 * it shares with the discoveries that end at the same time. Connections point from the newer memory to the older. A
 * pair with a `related_to` in either direction is left alone; a discovered one that is no longer warranted goes. The
 * memory is marked with the revision that was discovered: one whose revision is neither marked nor queued has lost its
 * discovery. Answers how many were made, or undefined when the job was no longer ours or the memory had changed: then
 * nothing is done.
 */
export const connectNeighbours = (
  ctx: Context,
  job: LeasedJob,
  found: readonly Neighbour[],
  report: string | null,
): Promise<number | undefined> =>
  commit(ctx, connect, {
    id: job.memoryId,
    tenant: ctx.tenant,
    revision: int(job.revision),
    neighbours: found.map(({ id }) => id),
    threshold: ctx.app.config.discovery.threshold,
    job: { id: job.id, owner: job.owner, attempt: int(job.attempt) },
    report,
  })

type ConnectRow = {
  id: string
  tenant: string
  revision: Integer
  neighbours: string[]
  threshold: number
  job: { id: string; owner: string; attempt: Integer }
  report: string | null
}

/** Locks that one transaction takes: writers of these memories wait for it. */
const MOST_ENDS = 1_000

const connect: GroupCommit<ConnectRow, number | undefined> = {
  ...background,
  size: MOST_ENDS,
  sizeOf: ({ neighbours: { length } }) => length + 1,
  commit: (caller, space, rows) => transact(caller, transaction => connectRows(transaction, space, rows)),
}

async function connectRows(
  { run }: Transaction,
  space: Space,
  rows: readonly ConnectRow[],
): Promise<(number | undefined)[]> {
  const tolerance = COSINE_TOLERANCE
  // All ends are locked in the order of their ids before any is read: no two discoveries wait for each other.
  await run(lockEnds, { ends: endsOf(rows) })
  const held = await run<{ job: string }>(holdJobs, { rows })
  const current = new Set(held.map(({ job }) => job))
  const ours = rows.filter(({ job }) => current.has(job.id))
  await run(retireUnwarranted(space), { rows: ours, tolerance })
  const made = await run<{ job: string; made: number }>(connectPairs(space), {
    rows: withoutRepeats(ours),
    model: space.model,
    tolerance,
  })
  const counts = new Map(made.map(each => [each.job, each.made]))
  return rows.map(({ job }) => (current.has(job.id) ? (counts.get(job.id) ?? 0) : undefined))
}

function endsOf(rows: readonly ConnectRow[]) {
  const ends = rows.flatMap(({ id, tenant, neighbours }) =>
    [id, ...neighbours].map(end => ({ id: end, tenant })),
  )
  return [...new Map(ends.map(end => [end.id, end])).values()].sort((a, b) => (a.id < b.id ? -1 : 1))
}

/** Two that found each other are one pair: the first of them has it. */
function withoutRepeats(rows: readonly ConnectRow[]): ConnectRow[] {
  const pairs = new Set<string>()
  const isNew = (pair: string) => !pairs.has(pair) && pairs.add(pair)
  return rows.map(row => ({
    ...row,
    neighbours: row.neighbours.filter(other => isNew([row.id, other].sort().join())),
  }))
}

const lockEnds = `CYPHER 25
  UNWIND $ends AS row
  MATCH (m:Memory {id: row.id}) USING INDEX SEEK m:Memory(id) WHERE m.tenant = row.tenant
  SET m.lock = true
  REMOVE m.lock`

const holdJobs = `CYPHER 25
  UNWIND $rows AS row
  MATCH (j:Job {id: row.job.id}) USING INDEX SEEK j:Job(id) SET j.lock = row.job.owner
  WITH j, row WHERE ${ours('j', 'row.job')}
  OPTIONAL MATCH (m:Memory {id: row.id}) USING INDEX SEEK m:Memory(id) WHERE m.tenant = row.tenant
  WITH j, m, row, coalesce(m.state = 'active' AND row.revision = m.revision, false) AS current
  FOREACH (_ IN CASE WHEN current THEN [1] ELSE [] END | SET m.discoveredRevision = row.revision)
  ${settleDone('j', 'row.report')}
  WITH row WHERE current
  RETURN row.job.id AS job`

const retireUnwarranted = ({ property }: Space) => `CYPHER 25
  UNWIND $rows AS row
  MATCH (m:Memory {id: row.id})-[r:RELATED_TO]-(n:Memory) USING INDEX SEEK m:Memory(id)
  WHERE m.tenant = row.tenant AND n.tenant = row.tenant AND r.origin = 'discovered' AND NOT n.id IN row.neighbours
    AND 2 * vector.similarity.cosine(m.${property}, n.${property}) - 1 < row.threshold - $tolerance
  WITH DISTINCT r
  ${recordConnectionChange('disconnected', 'r')}
  DELETE r`

/** A neighbour may have got another content, and with it another vector, since it was found: its present one decides. */
const connectPairs = ({ property }: Space) => `CYPHER 25
  UNWIND $rows AS row
  MATCH (m:Memory {id: row.id}) USING INDEX SEEK m:Memory(id) WHERE m.tenant = row.tenant
  WITH row, m, m.${property} AS own
  UNWIND row.neighbours AS other
  MATCH (n:Memory {id: other}) USING INDEX SEEK n:Memory(id) WHERE n.tenant = row.tenant AND n.state = 'active'
  WITH row, m, n, 2 * vector.similarity.cosine(own, n.${property}) - 1 AS cosine
  WHERE cosine >= row.threshold - $tolerance
  WITH row, cosine,
    CASE WHEN m.createdAt > n.createdAt OR (m.createdAt = n.createdAt AND m.id > n.id) THEN m ELSE n END AS newer,
    CASE WHEN m.createdAt > n.createdAt OR (m.createdAt = n.createdAt AND m.id > n.id) THEN n ELSE m END AS older
  CALL (row, newer, older, cosine) {
    MATCH (newer)-[r:RELATED_TO]-(older) WHERE r.origin = 'discovered'
    WITH row, r, cosine, abs(r.strength - cosine) > $tolerance AS moved
    SET r.strength = cosine, r.model = $model, r.threshold = row.threshold
    WITH r WHERE moved
    ${recordConnectionChange('connected', 'r')}
  }
  WITH row, newer, older, cosine WHERE NOT EXISTS { (newer)-[:RELATED_TO]-(older) }
  CREATE (newer)-[r:RELATED_TO {key: newer.id + ':' + older.id, tenant: row.tenant, origin: 'discovered',
    strength: cosine, model: $model, threshold: row.threshold,
    createdAt: ${NOW}}]->(older)
  ${recordConnectionChange('connected', 'r', 'newer', 'older')}
  RETURN row.job.id AS job, count(*) AS made`
