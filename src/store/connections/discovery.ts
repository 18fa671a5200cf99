import type { Integer } from 'neo4j-driver'
import type { Context, GroupCommit, Space } from '../../context.ts'
import { recordConnectionChange } from '../feed/record.ts'
import { endJob } from '../jobs/ending.ts'
import { queueJobOfMemory, queueRediscoveryOfMemory, queueWalk } from '../jobs/enqueue.ts'
import { type LeasedJob, ours } from '../jobs/leases.ts'
import { lockMemories } from '../memories/lock.ts'
import { inLockOrder, lock } from '../neo4j/lock.ts'
import { connectionKey, isNewer, isNotRejected, NOW, otherEnd } from '../neo4j/projections.ts'
import { int, type Transaction, transact } from '../neo4j/statements.ts'
import { keepChanged, keepConnection } from './earlier.ts'
import { COSINE_TOLERANCE } from './neighbours.ts'
import { background, commit } from './subjects.ts'
import { keepSuspicions, type Suspected } from './suspicions.ts'

/** One of the nearest, and why the pair counts if that is not its cosine alone. */
export type FoundNeighbour = { readonly id: string; readonly cosine: number; readonly reason?: string }

export type Discovered = {
  /** The list of the memory, nearest first. */
  readonly found: readonly FoundNeighbour[]
  readonly suspected: readonly Suspected[]
  readonly report: string | null
  /** A cosine below it connects nothing. */
  readonly threshold: number
  /** Other things than the cosine decide too. */
  readonly byRule: boolean
  /** The tenant is to be measured again. */
  readonly measures: boolean
}

/**
 * Makes the discovered connections of a memory equal to its list and ends the job, in one transaction, which
 * it shares with the discoveries that end at the same time. Connections point from the newer memory to the older. A
 * pair with a `related_to` in either direction is left alone; a discovered one that is no longer warranted goes. The
 * memory is marked with the revision that was discovered: one whose revision is neither marked nor queued has lost its
 * discovery. Returns how many were made, or undefined when the job was no longer ours or the memory had changed: then
 * nothing is done.
 */
export const connectNeighbours = (
  ctx: Context,
  job: LeasedJob,
  { found, ...discovered }: Discovered,
): Promise<number | undefined> => {
  const { maxEdges } = ctx.app.config.discovery
  return commit(ctx, connect, {
    ...discovered,
    id: job.memoryId,
    tenant: ctx.tenant,
    revision: int(job.revision),
    neighbours: found.map(({ id, reason = null }) => ({ id, reason })),
    reaches: found[maxEdges - 1]?.cosine ?? null,
    most: int(maxEdges),
    job: { id: job.id, owner: job.owner, attempt: int(job.attempt) },
    judged: ctx.app.model !== undefined && job.kind === 'discover',
  })
}

type ConnectRow = Omit<Discovered, 'found'> & {
  id: string
  tenant: string
  revision: Integer
  neighbours: { id: string; reason: string | null }[]
  /** The cosine of the last in a full list. */
  reaches: number | null
  /** Discovered connections that a memory has at most. */
  most: Integer
  job: { id: string; owner: string; attempt: Integer }
  /** A chat model is asked about it next. */
  judged: boolean
}

/** Locks that one transaction takes: writers of these memories wait for it. */
const MOST_ENDS = 1_000

const connect: GroupCommit<ConnectRow, number | undefined> = {
  ...background,
  size: MOST_ENDS,
  sizeOf: ({ neighbours, suspected }) => neighbours.length + suspected.length + 1,
  commit: (caller, space, rows) => transact(caller, transaction => connectRows(transaction, space, rows)),
}

async function connectRows(
  { run }: Transaction,
  space: Space,
  rows: readonly ConnectRow[],
): Promise<(number | undefined)[]> {
  const tolerance = COSINE_TOLERANCE
  // All ends are locked before any is read.
  await lockMemories({ run }, endsOf(rows))
  const byJob = rows.toSorted((a, b) => (a.job.id < b.job.id ? -1 : 1))
  const held = await run<{ job: string }>(holdJobs, { rows: byJob })
  const current = new Set(held.map(({ job }) => job))
  const ours = rows.filter(({ job }) => current.has(job.id))
  await run(retireUnwarranted(space), { rows: ours, tolerance })
  const made = await run<{ job: string; made: number }>(connectPairs(space), {
    rows: withoutRepeats(ours),
    model: space.model,
    tolerance,
  })
  if (ours[0]) await run(dropFarthest, { ends: inLockOrder(endsOf(ours)), most: ours[0].most })
  await keepSuspicions({ run }, ours)
  const measured = new Set(ours.flatMap(({ measures, tenant }) => (measures ? [tenant] : [])))
  if (measured.size > 0) await run(queueMeasures, { tenants: [...measured].sort() })
  const judged = ours.filter(row => row.judged)
  if (judged.length > 0) await run(queueJudges, { rows: judged })
  const counts = new Map(made.map(each => [each.job, each.made]))
  return rows.map(({ job }) => (current.has(job.id) ? (counts.get(job.id) ?? 0) : undefined))
}

const endsOf = (rows: readonly ConnectRow[]) =>
  rows.flatMap(({ id, tenant, neighbours, suspected }) =>
    [id, ...[...neighbours, ...suspected].map(other => other.id)].map(end => ({ tenant, id: end })),
  )

/** Two that found each other are one pair: the first of them has it. */
function withoutRepeats(rows: readonly ConnectRow[]): ConnectRow[] {
  const pairs = new Set<string>()
  const isNew = (pair: string) => !pairs.has(pair) && pairs.add(pair)
  return rows.map(row => ({
    ...row,
    neighbours: row.neighbours.filter(({ id }) => isNew([row.tenant, ...[row.id, id].sort()].join())),
  }))
}

const holdJobs = `UNWIND $rows AS row
  MATCH (j:Job {id: row.job.id}) USING INDEX SEEK j:Job(id) ${lock('j')}
  WITH j, row WHERE ${ours('j', 'row.job')}
  OPTIONAL MATCH (m:Memory {tenant: row.tenant, id: row.id}) USING INDEX SEEK m:Memory(tenant, id)
  WITH j, m, row, coalesce(m.state = 'active' AND row.revision = m.revision, false) AS current
  FOREACH (_ IN CASE WHEN current THEN [1] ELSE [] END | SET m.discoveredRevision = row.revision, m.reaches = row.reaches)
  ${endJob('j', 'row.report')}
  WITH row WHERE current
  RETURN row.job.id AS job`

/** What was said is judged by the facts that are extracted from it. */
const queueJudges = `UNWIND $rows AS row
  MATCH (m:Memory {tenant: row.tenant, id: row.id}) USING INDEX SEEK m:Memory(tenant, id)
  WHERE coalesce(m.kind <> 'turn', true)
  ${queueJobOfMemory('judge')}`

const queueMeasures = `UNWIND $tenants AS tenant
  ${queueWalk({ id: "'measure:' + tenant", kind: 'measure', tenant: 'tenant' })}`

/**
 * What is not in the list goes, unless it can have come to it since. The other memory is discovered again if it is near enough
 * all the same, as it may know better, and if its list was full and has a free place now.
 */
const retireUnwarranted = ({ property }: Space) => `UNWIND $rows AS row
  MATCH (m:Memory {tenant: row.tenant, id: row.id})-[r:RELATED_TO]-${otherEnd('n')} USING INDEX SEEK m:Memory(tenant, id)
  WHERE n.tenant = row.tenant AND r.origin = 'discovered' AND NOT n.id IN [other IN row.neighbours | other.id]
  WITH row, r, n, 2 * vector.similarity.cosine(m.${property}, n.${property}) - 1 AS cosine
  WITH row, r, n, cosine < row.threshold - $tolerance AS far, cosine < row.reaches - $tolerance AS beyond
  WHERE far OR beyond OR (row.byRule AND n.state = 'active')
  WITH r, n, n.state = 'active' AND (n.reaches IS NOT NULL OR (row.byRule AND NOT far)) AS again
  CALL (n, again) {
    WITH n AS m WHERE again
    ${queueRediscoveryOfMemory}
  }
  WITH DISTINCT r
  ${recordConnectionChange('disconnected', 'r')}
  ${keepConnection('r')}
  DELETE r`

/** Of each memory the nearest stay: a list that a newcomer has come to is too long until its memory is discovered again. */
const dropFarthest = `UNWIND $ends AS row
  MATCH (m:Memory {tenant: row.tenant, id: row.id}) USING INDEX SEEK m:Memory(tenant, id)
  CALL (m, row) {
    MATCH (m)-[r:RELATED_TO]-${otherEnd('n')} WHERE n.tenant = row.tenant AND r.origin = 'discovered'
    WITH r, n ORDER BY r.strength DESC, n.id SKIP $most
    RETURN r
  }
  WITH DISTINCT r
  ${recordConnectionChange('disconnected', 'r')}
  ${keepConnection('r')}
  DELETE r`

/**
 * A neighbour may have got another content, and with it another vector, since it was found: its present one decides. One with a
 * full list that the newcomer comes to is discovered again.
 */
const connectPairs = ({ property }: Space) => `UNWIND $rows AS row
  MATCH (m:Memory {tenant: row.tenant, id: row.id}) USING INDEX SEEK m:Memory(tenant, id)
  WITH row, m, m.${property} AS own
  UNWIND row.neighbours AS other
  MATCH (n:Memory {tenant: row.tenant, id: other.id}) USING INDEX SEEK n:Memory(tenant, id) WHERE n.state = 'active'
  WITH row, m, n, other.reason AS reason, 2 * vector.similarity.cosine(own, n.${property}) - 1 AS cosine
  WHERE cosine >= row.threshold - $tolerance AND (n.reaches IS NULL OR cosine >= n.reaches - $tolerance)
  WITH row, n, reason, cosine,
    CASE WHEN ${isNewer('m', 'n')} THEN m ELSE n END AS newer,
    CASE WHEN ${isNewer('m', 'n')} THEN n ELSE m END AS older
  CALL (row, newer, older, reason, cosine) {
    MATCH (newer)-[r:RELATED_TO]-(older) WHERE r.origin = 'discovered'
    WITH row, r, reason, cosine, ${NOW} AS now, abs(r.strength - cosine) > $tolerance AS moved
    WITH r, row, reason, cosine, now, moved, moved OR r.model <> $model OR (r.threshold <> row.threshold AND NOT row.byRule) AS changed
    ${keepChanged('changed', 'r')}
    FOREACH (_ IN CASE WHEN changed THEN [1] ELSE [] END |
      SET r.strength = cosine, r.model = $model, r.threshold = row.threshold, r.reason = reason)
    REMOVE r.copiedBy
    WITH r WHERE moved
    ${recordConnectionChange('connected', 'r')}
  }
  WITH row, n, newer, older, reason, cosine WHERE NOT EXISTS { (newer)-[:RELATED_TO]-(older) }
    AND ${isNotRejected('newer', 'older')}
  CREATE (newer)-[r:RELATED_TO {key: ${connectionKey('row.tenant', 'newer', 'older')}, tenant: row.tenant, origin: 'discovered',
    strength: cosine, model: $model, threshold: row.threshold, reason: reason,
    createdAt: ${NOW}}]->(older)
  ${recordConnectionChange('connected', 'r', 'newer', 'older')}
  CALL (n, cosine) {
    WITH n AS m WHERE cosine > n.reaches + $tolerance
    ${queueRediscoveryOfMemory}
  }
  RETURN row.job.id AS job, count(*) AS made`
