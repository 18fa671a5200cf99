import { openTime } from '../neo4j/closed.ts'
import { lock, unlock } from '../neo4j/lock.ts'
import { queuedAs } from './lanes.ts'

/** What a new job is about, all but its kind as expressions of the statement that queues it. */
type NewJob = {
  kind: string
  id: string
  tenant: string
  memoryId?: string
  revision?: string
  space?: string
  /** The trace that it belongs to; by default the one in progress. */
  trace?: string
}

/**
 * The part of a statement that queues a job and binds it to `j`: a new one, or one that has ended, from its beginning and with
 * all its attempts; one that is in progress stays as it is. A transaction that ends it is waited for first: `MERGE` alone would match
 * the job, wait for its lock and, once it is gone, set nothing and create nothing, without an error.
 */
export function queueJob({ id, kind, ...given }: NewJob): string {
  const properties = Object.entries({ revision: '0', trace: '$traceparent', ...given }).map(
    ([name, value]) => `j.${name} = ${value}`,
  )
  return `OPTIONAL MATCH (ending:Job {id: ${id}}) ${lock('ending')}
  MERGE (j:Job {id: ${id}})
  ON CREATE SET j.kind = '${kind}', ${properties.join(', ')}, j.attempt = 0, j.state = '${queuedAs(kind)}',
    j.runAt = datetime.realtime('Z')
  ON MATCH SET j.progress = CASE WHEN ${ended} THEN null ELSE j.progress END,
    j.attempt = CASE WHEN ${ended} THEN 0 ELSE j.attempt END,
    j.runAt = CASE WHEN ${ended} THEN datetime.realtime('Z') ELSE j.runAt END,
    j.state = CASE WHEN ${ended} THEN '${queuedAs(kind)}' ELSE j.state END
  SET j.createdAt = coalesce(j.createdAt, ${openTime(given.tenant)})
  ${unlock('j')}`
}

/**
 * The part of a statement that queues a walk over a tenant's memories from its beginning. A worker that has it may be past
 * what it is asked for: the job is taken from it. Its attempts stay counted, so that its late writes are recognised.
 */
export const queueWalk = (job: NewJob) => `${queueJob(job)}
  SET j.state = CASE j.state WHEN 'running' THEN 'queued' ELSE j.state END
  REMOVE j.owner, j.leaseUntil, j.placeCreatedAt, j.placeId`

const ended = `j.state IN ['failed', 'done']`

/** The id of a job about a memory: one for each revision of its content. */
export const jobOfMemory = (kind: 'discover' | 'rediscover' | 'judge', m: string) =>
  `'${kind}:' + ${m}.tenant + ':' + ${m}.id + ':' + toString(${m}.revision)`

/** The same for a job about `m`, one for each revision of its content. */
export const queueJobOfMemory = (kind: 'discover' | 'rediscover' | 'judge', trace = '$traceparent') =>
  queueJob({
    trace,
    kind,
    id: jobOfMemory(kind, 'm'),
    tenant: 'm.tenant',
    memoryId: 'm.id',
    revision: 'm.revision',
  })

/**
 * The part of a statement that queues discovery of `m`. A worker that has it looked at `m` as it was before: the job is
 * taken from it, or what it saw then, a memory that was archived, would end the job.
 */
export const queueDiscoveryOf = (trace: string) => `${queueJobOfMemory('discover', trace)}
  SET j.state = 'queued', j.trace = ${trace}
  REMOVE j.owner, j.leaseUntil`

/** The part of a statement that queues discovery of `m` once more, because what is around it has changed. */
export const queueRediscoveryOfMemory = `${queueJobOfMemory('rediscover')}
  SET j.state = 'queued'
  REMOVE j.owner, j.leaseUntil`

export const queueDiscovery = queueDiscoveryOf('$traceparent')

/** The same for a memory `m` that did not exist before: nobody has such a job. */
export const newDiscovery = (
  trace: string,
) => `CREATE (:Job {id: ${jobOfMemory('discover', 'm')}, kind: 'discover', tenant: m.tenant,
    memoryId: m.id, revision: m.revision, trace: ${trace}, attempt: 0, state: 'queued', createdAt: datetime.realtime('Z'),
    runAt: datetime.realtime('Z')})`
