import type { Caller } from '../neo4j/attempts.ts'
import { lock, unlock } from '../neo4j/lock.ts'
import { waysToBeOver } from '../neo4j/projections.ts'
import { int, type Parameters, write } from '../neo4j/statements.ts'
import { type JobLane, jobLanes, queuedAgain } from './lanes.ts'
import { isPaused } from './pauses.ts'

/** A job that is ours until its lease ends. Owner and attempt fence every later step. */
export type LeasedJob = {
  readonly id: string
  readonly kind: string
  readonly tenant: string
  readonly memoryId: string
  readonly revision: number
  readonly attempt: number
  readonly owner: string
  /** The `traceparent` of the request that queued it. */
  readonly trace: string | null
}

export const LEASE_SECONDS = 15

/** How often a suspect is taken first while other work waits. */
const SUSPECT_FIRST = 0.25

/**
 * Takes up to `count` queued jobs of a tenant in a lane, what has been due longest first: a job that is tried again stands behind
 * what was queued in the meantime. It takes the locks by writing and then tests again:
 * a second worker finds them taken. The attempt is counted here, so that work which kills its worker is counted.
 * A job whose worker ended is taken alone from then on: what kills workers takes no others with it. Takes none while
 * the tenant's queue is paused.
 */
export async function leaseJobs(
  caller: Caller,
  tenant: string,
  owner: string,
  count: number,
  lane: JobLane = jobLanes.usual,
): Promise<LeasedJob[]> {
  const claimed = { tenant, owner, queued: lane.queued, count: int(count), lease: int(LEASE_SECONDS) }
  const suspectFirst = Math.random() < SUSPECT_FIRST
  const claim = (suspects: boolean) =>
    suspects ? take(caller, suspect, { ...claimed, count: int(1) }) : take(caller, oldest, claimed)
  const jobs = await claim(suspectFirst)
  return jobs.length > 0 ? jobs : claim(!suspectFirst)
}

const oldest = `MATCH (j:Job) WHERE j.state = $queued AND j.tenant = $tenant AND j.runAt IS NOT NULL
    AND NOT j:Suspect
  WITH j ORDER BY j.state, j.tenant, j.runAt LIMIT $count`

/** The least tried first: what is innocent is soon through, and no crash hits the same one twice. */
const suspect = `MATCH (j:Suspect) WHERE j:Job AND j.state = $queued AND j.tenant = $tenant
  WITH j ORDER BY j.attempt, j.runAt LIMIT $count`

const take = (caller: Caller, which: string, claimed: Parameters) =>
  write<LeasedJob>(
    caller,
    `WITH 1 AS open WHERE NOT ${isPaused('$tenant')}
    ${which}
    WITH j ORDER BY j.id
    ${lock('j')}
    WITH j WHERE j.state = $queued
    SET j.state = 'running', j.owner = $owner, j.attempt = j.attempt + 1,
      j.leaseUntil = datetime.realtime('Z') + duration({seconds: $lease})
    ${unlock('j')}
    RETURN j.id AS id, j.kind AS kind, j.tenant AS tenant, j.memoryId AS memoryId, j.revision AS revision,
      j.attempt AS attempt, j.owner AS owner, j.trace AS trace`,
    claimed,
  )

/** Keeps the jobs ours for another lease. Returns the ids that still are. */
export async function renewLeases(caller: Caller, jobs: readonly LeasedJob[]): Promise<Set<string>> {
  const rows = await write<{ id: string }>(
    caller,
    `UNWIND $jobs AS job
    MATCH (j:Job {id: job.id}) USING INDEX SEEK j:Job(id) ${lock('j')}
    WITH j, job WHERE ${ours('j', 'job')}
    SET j.leaseUntil = datetime.realtime('Z') + duration({seconds: $lease})
    ${unlock('j')}
    RETURN j.id AS id`,
    { jobs: fences(jobs), lease: int(LEASE_SECONDS) },
  )
  return new Set(rows.map(({ id }) => id))
}

/** Gives back jobs that were not finished, as if they had not been taken, for others to take at once. */
export const releaseJobs = (caller: Caller, jobs: readonly LeasedJob[]) =>
  write(
    caller,
    `UNWIND $jobs AS job
    MATCH (j:Job {id: job.id}) USING INDEX SEEK j:Job(id) ${lock('j')}
    WITH j, job WHERE ${ours('j', 'job')}
    SET j.state = ${queuedAgain('j')}, j.attempt = j.attempt - 1
    REMOVE j.owner, j.leaseUntil
    ${unlock('j')}`,
    { jobs: fences(jobs) },
  )

/** Longer than any job is made to wait: a provider may ask for an hour. */
const LONGEST_WAIT_SECONDS = 2 * 3_600

const waitIsOver = waysToBeOver('j.runAt', "datetime.realtime('Z')", LONGEST_WAIT_SECONDS)

const leaseIsOver = waysToBeOver('j.leaseUntil', "datetime.realtime('Z')", 2 * LEASE_SECONDS)

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
 * tried `maximumAttempts` times is kept as failed. Returns how many can run now.
 */
export async function reviveJobs(caller: Caller, maximumAttempts: number): Promise<number> {
  const [row] = await write<{ revived: number }>(
    caller,
    `CALL () { ${dueJobs} }
    WITH j, abandoned ORDER BY j.id
    ${lock('j')}
    WITH j, abandoned WHERE (NOT abandoned AND j.state = 'waiting' AND (${waitIsOver.join(' OR ')}))
      OR (abandoned AND j.state = 'running' AND (${leaseIsOver.join(' OR ')}))
    SET j.state = CASE WHEN abandoned AND j.attempt >= $maximum THEN 'failed' ELSE ${queuedAgain('j')} END,
      j.lastError = CASE WHEN abandoned THEN 'The worker that held it ended without finishing it' ELSE j.lastError END
    REMOVE j.owner, j.leaseUntil
    FOREACH (_ IN CASE WHEN abandoned THEN [1] ELSE [] END | SET j:Suspect)
    WITH j, j.state <> 'failed' AS runnable
    ${unlock('j')}
    RETURN count(CASE WHEN runnable THEN 1 END) AS revived`,
    { maximum: int(maximumAttempts) },
  )
  return row?.revived ?? 0
}

/** Whether `j` is still held by the claim that `job` describes. */
export const ours = (j: string, job: string) =>
  `${j}.state = 'running' AND ${j}.owner = ${job}.owner AND ${j}.attempt = ${job}.attempt`

export const fence = ({ id, owner, attempt }: LeasedJob) => ({ id, owner, attempt: int(attempt) })

const fences = (jobs: readonly LeasedJob[]) => [...jobs].sort((a, b) => (a.id < b.id ? -1 : 1)).map(fence)
