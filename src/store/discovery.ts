import type { Context, Space } from '../context.ts'
import { tellConnection } from './changes.ts'
import { type ClaimedJob, ours, settleDone } from './jobs.ts'
import { int, read, transact, vector } from './neo4j.ts'
import { spaceParameter } from './projections.ts'

export type Subject = {
  content: string
  vector: number[] | null
  /** The properties of the spaces, of those asked for, in which it has no vector. */
  missing: string[]
  /** Whether the job still speaks of the memory as it is: active, and at this revision of its content. */
  current: boolean
}

/** The memory that a job is about; undefined when it has been removed. */
export async function getSubject(
  ctx: Context,
  job: ClaimedJob,
  spaces: readonly Space[],
): Promise<Subject | undefined> {
  const [row] = await read<Subject>(
    ctx,
    `CYPHER 25
    MATCH (m:Memory {id: $id}) WHERE m.tenant = $tenant
    RETURN m.content AS content, m.state = 'active' AND m.revision = $revision AS current,
      m[$space.property] AS vector, [name IN $properties WHERE m[name] IS NULL] AS missing`,
    {
      id: job.memoryId,
      tenant: ctx.tenant,
      revision: int(job.revision),
      space: spaceParameter(ctx),
      properties: spaces.map(({ property }) => property),
    },
  )
  return row
}

/** Vectors are 32-bit floats: a cosine is known to about this much. */
export const COSINE_TOLERANCE = 1e-6

export type Neighbour = { id: string; cosine: number }

/** The `candidates` nearest active memories with their exact cosines, nearest first, the subject left out. */
export async function neighbours(
  ctx: Context,
  job: ClaimedJob,
  subject: number[],
  candidates: number,
): Promise<{ found: Neighbour[]; exhausted: boolean }> {
  const [row] = await read<{ found: Neighbour[]; seen: number }>(
    ctx,
    `CYPHER 25
    CALL () {
      MATCH (m:Memory)
      SEARCH m IN (VECTOR INDEX ${ctx.space.index} FOR $vector
        WHERE m.tenant = $tenant AND m.state = 'active' AND m.liveUntil > timestamp() LIMIT $candidates) SCORE AS similarity
      RETURN m, 2 * vector.similarity.cosine(m[$space.property], $list) - 1 AS cosine
    }
    WITH m, cosine ORDER BY cosine DESC, m.id
    WITH collect({id: m.id, cosine: cosine}) AS nearest
    RETURN [hit IN nearest WHERE hit.id <> $id] AS found, size(nearest) AS seen`,
    {
      id: job.memoryId,
      tenant: ctx.tenant,
      vector: vector(Float32Array.from(subject)),
      list: subject,
      candidates: int(candidates),
      space: spaceParameter(ctx),
    },
  )
  return { found: row?.found ?? [], exhausted: (row?.seen ?? 0) < candidates }
}

/**
 * Makes the discovered connections of a memory equal to its neighbours and settles the job, in one transaction.
 * Connections point from the newer memory to the older. A pair with a `related_to` in either direction is left alone;
 * a discovered one that is no longer warranted goes. The memory is marked with the revision that was discovered: one
 * whose revision is neither marked nor queued has lost its discovery. Answers how many were made, or undefined when
 * the job was no longer ours or the memory had changed: then nothing is done.
 */
export const connectNeighbours = (
  ctx: Context,
  job: ClaimedJob,
  found: readonly Neighbour[],
  report: string | null,
): Promise<number | undefined> =>
  transact(ctx, async ({ run }) => {
    const parameters = {
      id: job.memoryId,
      tenant: ctx.tenant,
      revision: int(job.revision),
      neighbours: found.map(({ id }) => id),
      ends: [job.memoryId, ...found.map(({ id }) => id)].sort(),
      model: ctx.space.model,
      threshold: ctx.app.config.discovery.threshold,
      tolerance: COSINE_TOLERANCE,
      space: spaceParameter(ctx),
      job: { id: job.id, owner: job.owner, attempt: int(job.attempt) },
      report,
    }
    // All ends are locked in the order of their ids before any is read: no two discoveries wait for each other.
    await run(
      `CYPHER 25
      UNWIND $ends AS id
      MATCH (m:Memory {id: id}) WHERE m.tenant = $tenant
      SET m.lock = true`,
      parameters,
    )
    await run(
      `CYPHER 25
      UNWIND $ends AS id
      MATCH (m:Memory {id: id}) WHERE m.tenant = $tenant
      REMOVE m.lock`,
      parameters,
    )
    const [held] = await run<{ current: boolean }>(
      `CYPHER 25
      MATCH (j:Job {id: $job.id}) SET j.lock = $job.owner
      WITH j WHERE ${ours('j', '$job')}
      OPTIONAL MATCH (m:Memory {id: $id}) WHERE m.tenant = $tenant
      WITH j, m, coalesce(m.state = 'active' AND m.revision = $revision, false) AS current
      FOREACH (_ IN CASE WHEN current THEN [1] ELSE [] END | SET m.discoveredRevision = $revision)
      ${settleDone('j', '$report')}
      RETURN current`,
      parameters,
    )
    if (!held?.current) return undefined
    await run(retireUnwarranted, parameters)
    const [made] = await run<{ made: number }>(connectFound, parameters)
    return made?.made ?? 0
  })

const retireUnwarranted = `CYPHER 25
  MATCH (m:Memory {id: $id})-[r:RELATED_TO]-(n:Memory)
  WHERE m.tenant = $tenant AND n.tenant = $tenant AND r.origin = 'discovered' AND NOT n.id IN $ends
    AND n[$space.property] IS NOT NULL
    AND 2 * vector.similarity.cosine(m[$space.property], n[$space.property]) - 1 < $threshold - $tolerance
  ${tellConnection('disconnected', 'r')}
  DELETE r`

/** A neighbour may have got another content, and with it another vector, since it was found: its present one decides. */
const connectFound = `CYPHER 25
  MATCH (m:Memory {id: $id}) WHERE m.tenant = $tenant
  UNWIND $neighbours AS neighbour
  MATCH (n:Memory {id: neighbour}) WHERE n.tenant = $tenant AND n.state = 'active'
    AND n[$space.property] IS NOT NULL
  WITH m, n, 2 * vector.similarity.cosine(m[$space.property], n[$space.property]) - 1 AS cosine
  WHERE cosine >= $threshold - $tolerance
  WITH cosine,
    CASE WHEN m.createdAt > n.createdAt OR (m.createdAt = n.createdAt AND m.id > n.id) THEN m ELSE n END AS newer,
    CASE WHEN m.createdAt > n.createdAt OR (m.createdAt = n.createdAt AND m.id > n.id) THEN n ELSE m END AS older
  CALL (newer, older, cosine) {
    MATCH (newer)-[r:RELATED_TO]-(older) WHERE r.origin = 'discovered'
    WITH r, cosine, abs(r.strength - cosine) > $tolerance AS moved
    SET r.strength = cosine, r.model = $model, r.threshold = $threshold
    WITH r WHERE moved
    ${tellConnection('connected', 'r')}
  }
  WITH newer, older, cosine WHERE NOT EXISTS { (newer)-[:RELATED_TO]-(older) }
  CREATE (newer)-[r:RELATED_TO {key: newer.id + ':' + older.id, tenant: $tenant, origin: 'discovered',
    strength: cosine, model: $model, threshold: $threshold,
    createdAt: datetime.truncate('millisecond', datetime.realtime())}]->(older)
  ${tellConnection('connected', 'r', 'newer', 'older')}
  RETURN count(*) AS made`
