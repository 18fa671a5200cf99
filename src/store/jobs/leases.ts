import type { Context } from '../../context.ts'
import type { Place } from '../embeddings/vectors.ts'
import { type Caller, int, read, write } from '../neo4j/statements.ts'
import { areAllPaused, isPaused } from './pauses.ts'

/** A job that is ours until its lease ends. Owner and attempt fence every later step. */
export type LeasedJob = {
  readonly id: string
  readonly kind: string
  readonly tenant: string
  readonly memoryId: string
  readonly revision: number
  readonly attempt: number
  readonly owner: string
}

export const LEASE_SECONDS = 15

/** How many jobs a worker takes at once. One statement of discovery has room for them. */
export const JOBS_A_LEASE = 32

/** A tenant in a round by name; `around` when the names have begun anew. */
export type RoundPlace = { tenant: string; around: boolean }

/**
 * The first tenant behind a place that has queued work, by name and around, up to `last`, and whether its queue is paused:
 * taking turns by it is fair to every tenant. None while the queues of all are paused.
 */
export async function nextTenantWithJobs(
  caller: Caller,
  { tenant, around }: RoundPlace,
  last: string,
): Promise<(RoundPlace & { paused: boolean }) | undefined> {
  const [next] = await read<RoundPlace & { paused: boolean }>(
    caller,
    `CYPHER 25
    WITH 1 AS open WHERE NOT ${areAllPaused()}
    CALL () {
      ${around ? firstOf('$after < j.tenant <= $last', true) : `${firstOf('j.tenant > $after', false)} UNION ALL ${firstOf('j.tenant <= $last', true)}`}
    }
    WITH tenant, around ORDER BY around LIMIT 1
    RETURN tenant, around, ${isPaused('tenant')} AS paused`,
    { after: tenant, last },
  )
  return next
}

const firstOf = (tenants: string, around: boolean) => `CALL () {
          MATCH (j:Job) WHERE j.state = 'queued' AND ${tenants} AND j.runAt IS NOT NULL
          WITH j ORDER BY j.state, j.tenant, j.runAt LIMIT 1
          RETURN j.tenant AS tenant
        }
        RETURN tenant, ${around} AS around`

/** How often a turn begins with a suspect while other work waits. */
const SUSPECT_FIRST = 0.25

/**
 * Takes up to `count` queued jobs of a tenant, what has been due longest first: a job that is tried again stands behind
 * what was queued meanwhile. It takes the locks by writing and then tests again:
 * whoever comes second finds them taken. The attempt is counted here, so that work which kills its worker is counted.
 * A job whose worker ended is taken alone from then on: what kills workers takes no others with it. Takes none while
 * the tenant's queue is paused.
 */
export async function leaseJobs(
  caller: Caller,
  tenant: string,
  owner: string,
  count: number,
): Promise<LeasedJob[]> {
  const suspectFirst = Math.random() < SUSPECT_FIRST
  const claim = (suspects: boolean) =>
    suspects ? take(caller, suspect, tenant, owner, 1) : take(caller, oldest, tenant, owner, count)
  const jobs = await claim(suspectFirst)
  return jobs.length > 0 ? jobs : claim(!suspectFirst)
}

const oldest = `MATCH (j:Job) WHERE j.state = 'queued' AND j.tenant = $tenant AND j.runAt IS NOT NULL
    AND NOT j:Suspect
  WITH j ORDER BY j.state, j.tenant, j.runAt LIMIT $count`

/** The least tried first: what is innocent is soon through, and no crash hits the same one twice. */
const suspect = `MATCH (j:Suspect) WHERE j:Job AND j.state = 'queued' AND j.tenant = $tenant
  WITH j ORDER BY j.attempt, j.runAt LIMIT $count`

const take = (caller: Caller, which: string, tenant: string, owner: string, count: number) =>
  write<LeasedJob>(
    caller,
    `CYPHER 25
    WITH 1 AS open WHERE NOT ${isPaused('$tenant')}
    ${which}
    WITH j ORDER BY j.id
    SET j.lock = $owner
    WITH j WHERE j.state = 'queued'
    SET j.state = 'running', j.owner = $owner, j.attempt = j.attempt + 1,
      j.leaseUntil = datetime.realtime('Z') + duration({seconds: $lease})
    REMOVE j.lock
    RETURN j.id AS id, j.kind AS kind, j.tenant AS tenant, j.memoryId AS memoryId, j.revision AS revision,
      j.attempt AS attempt, j.owner AS owner`,
    { tenant, owner, count: int(count), lease: int(LEASE_SECONDS) },
  )

/** Keeps the jobs ours for another lease. Answers the ids that still are. */
export async function extendLeases(caller: Caller, jobs: readonly LeasedJob[]): Promise<Set<string>> {
  const rows = await write<{ id: string }>(
    caller,
    `CYPHER 25
    UNWIND $jobs AS job
    MATCH (j:Job {id: job.id}) USING INDEX SEEK j:Job(id) SET j.lock = job.owner
    WITH j, job WHERE ${ours('j', 'job')}
    SET j.leaseUntil = datetime.realtime('Z') + duration({seconds: $lease})
    REMOVE j.lock
    RETURN j.id AS id`,
    { jobs: fences(jobs), lease: int(LEASE_SECONDS) },
  )
  return new Set(rows.map(({ id }) => id))
}

/** A job that is done leaves the queue; one with something to report stays to be read. False when it was not ours. */
export async function completeJob(
  caller: Caller,
  job: LeasedJob,
  report: string | null = null,
): Promise<boolean> {
  const rows = await write<{ id: string }>(
    caller,
    `CYPHER 25
    MATCH (j:Job {id: $job.id}) SET j.lock = $job.owner
    WITH j WHERE ${ours('j', '$job')}
    ${settleDone('j', '$report')}
    RETURN $job.id AS id`,
    { job: fence(job), report },
  )
  return rows.length > 0
}

/** The part of a statement that settles `j` as done, for work that ends in the same transaction as its effect. */
export const settleDone = (j: string, report: string) => `
  REMOVE ${j}.lock
  FOREACH (_ IN CASE WHEN ${report} IS NULL THEN [1] ELSE [] END | DETACH DELETE ${j})
  FOREACH (_ IN CASE WHEN ${report} IS NULL THEN [] ELSE [1] END |
    SET ${j}.state = 'done', ${j}.report = ${report} REMOVE ${j}.owner, ${j}.leaseUntil, ${j}.lastError)`

/** Whether `j` is still held by the claim that `job` describes. */
export const ours = (j: string, job: string) =>
  `${j}.state = 'running' AND ${j}.owner = ${job}.owner AND ${j}.attempt = ${job}.attempt`

/**
 * The walk over the tenant's memories that a job makes turn by turn: into which space where it is about one, and where
 * it stands. Undefined when there is no such job any more.
 */
export async function walkOf(
  ctx: Context,
  { id }: LeasedJob,
): Promise<{ space: string | null; place: Place } | undefined> {
  const [walk] = await read<{ space: string | null; place: Place }>(
    ctx,
    `CYPHER 25
    MATCH (j:Job {id: $id}) WHERE j.tenant = $tenant
    RETURN j.space AS space, {createdAt: coalesce(j.placeCreatedAt, 0), id: coalesce(j.placeId, '')} AS place`,
    { id, tenant: ctx.tenant },
  )
  return walk
}

/**
 * Lets others have their turn: the job goes on later, with all its attempts, from a place of its walk where it makes
 * one. Nothing happens when it is no longer ours.
 */
export const continueJob = (caller: Caller, job: LeasedJob, place: Place | null = null) =>
  write(
    caller,
    `CYPHER 25
    MATCH (j:Job {id: $job.id}) SET j.lock = $job.owner
    WITH j, ${ours('j', '$job')} AS ours
    REMOVE j.lock
    WITH j WHERE ours
    SET j.state = 'queued', j.attempt = 0, j.runAt = datetime.realtime('Z'),
      j.placeCreatedAt = $place.createdAt, j.placeId = $place.id
    REMOVE j.owner, j.leaseUntil`,
    { job: fence(job), place: place && { createdAt: int(place.createdAt), id: place.id } },
  )

/** Puts a job back to be tried after a delay, or keeps it as failed with its reason. */
export const settleFailure = (
  caller: Caller,
  job: LeasedJob,
  outcome: { reason: string; retryInMs: number | null; countsAsAttempt: boolean },
) =>
  write(
    caller,
    `CYPHER 25
    MATCH (j:Job {id: $job.id}) SET j.lock = $job.owner
    WITH j WHERE ${ours('j', '$job')}
    SET j.lastError = $reason, j.attempt = CASE WHEN $counts THEN j.attempt ELSE j.attempt - 1 END,
      j.state = CASE WHEN $delay IS NULL THEN 'failed' ELSE 'waiting' END,
      j.runAt = datetime.realtime('Z') + duration({milliseconds: coalesce($delay, 0)})
    REMOVE j.owner, j.leaseUntil, j.lock`,
    {
      job: fence(job),
      reason: outcome.reason.slice(0, 500),
      counts: outcome.countsAsAttempt,
      delay: outcome.retryInMs === null ? null : int(Math.round(outcome.retryInMs)),
    },
  )

/** Gives back jobs that were not finished, as if they had not been taken, for others to take at once. */
export const releaseJobs = (caller: Caller, jobs: readonly LeasedJob[]) =>
  write(
    caller,
    `CYPHER 25
    UNWIND $jobs AS job
    MATCH (j:Job {id: job.id}) USING INDEX SEEK j:Job(id) SET j.lock = job.owner
    WITH j, job WHERE ${ours('j', 'job')}
    SET j.state = 'queued', j.attempt = j.attempt - 1
    REMOVE j.owner, j.leaseUntil, j.lock`,
    { jobs: fences(jobs) },
  )

/** Longer than any job is made to wait: a provider may ask for an hour. */
const LONGEST_WAIT_SECONDS = 2 * 3_600

/** A time further ahead than it is ever set is the mark of a clock that had gone wrong, and counts as over. */
const isOver = (time: string, longest: number) => [
  `${time} <= datetime.realtime('Z')`,
  `${time} > datetime.realtime('Z') + duration({seconds: ${longest}})`,
]
const waitIsOver = isOver('j.runAt', LONGEST_WAIT_SECONDS)
const leaseIsOver = isOver('j.leaseUntil', 2 * LEASE_SECONDS)

/** One look-up in an index for each. */
const dueJobs = [
  ...waitIsOver.map(
    over => `MATCH (j:Job) WHERE j.state = 'waiting' AND ${over} RETURN j, false AS abandoned LIMIT 1000`,
  ),
  ...leaseIsOver.map(
    over => `MATCH (j:Job) WHERE j.state = 'running' AND ${over} RETURN j, true AS abandoned LIMIT 1000`,
  ),
].join(' UNION ALL ')

/**
 * Makes what has become due runnable: jobs whose wait is over, and those whose worker let the lease end. One that was
 * tried `maximumAttempts` times is kept as failed. Answers how many can run now.
 */
export async function reviveJobs(caller: Caller, maximumAttempts: number): Promise<number> {
  const [row] = await write<{ revived: number }>(
    caller,
    `CYPHER 25
    CALL () { ${dueJobs} }
    WITH j, abandoned ORDER BY j.id
    SET j.lock = true
    WITH j, abandoned WHERE (NOT abandoned AND j.state = 'waiting' AND (${waitIsOver.join(' OR ')}))
      OR (abandoned AND j.state = 'running' AND (${leaseIsOver.join(' OR ')}))
    SET j.state = CASE WHEN abandoned AND j.attempt >= $maximum THEN 'failed' ELSE 'queued' END,
      j.lastError = CASE WHEN abandoned THEN 'The worker that held it ended without finishing it' ELSE j.lastError END
    REMOVE j.owner, j.leaseUntil
    FOREACH (_ IN CASE WHEN abandoned THEN [1] ELSE [] END | SET j:Suspect)
    WITH j, j.state = 'queued' AS runnable
    REMOVE j.lock
    RETURN count(CASE WHEN runnable THEN 1 END) AS revived`,
    { maximum: int(maximumAttempts) },
  )
  return row?.revived ?? 0
}

const fence = ({ id, owner, attempt }: LeasedJob) => ({ id, owner, attempt: int(attempt) })
const fences = (jobs: readonly LeasedJob[]) => [...jobs].sort((a, b) => (a.id < b.id ? -1 : 1)).map(fence)
