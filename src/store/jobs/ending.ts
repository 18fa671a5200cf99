import type { Context } from '../../context.ts'
import type { Place } from '../embeddings/vectors.ts'
import type { Caller } from '../neo4j/attempts.ts'
import { lock, unlock } from '../neo4j/lock.ts'
import { int, type Running, read, write } from '../neo4j/statements.ts'
import { queuedAgain } from './lanes.ts'
import { fence, type LeasedJob, ours } from './leases.ts'

/** A job that is done leaves the queue; one with something to report stays to be read. False when it was not ours. */
export async function completeJob(
  caller: Caller,
  job: LeasedJob,
  report: string | null = null,
): Promise<boolean> {
  const ended = await write(caller, endLeased, { job: fence(job), report })
  return ended.length > 0
}

/** The same in a transaction of the caller, without a report. */
export async function completeIn({ run }: Running, job: LeasedJob): Promise<boolean> {
  const ended = await run(endLeased, { job: fence(job), report: null })
  return ended.length > 0
}

/** The part of a statement that ends `j` as done, for work that ends in the same transaction as its effect. */
export const endJob = (j: string, report: string) => `
  ${unlock(j)}
  FOREACH (_ IN CASE WHEN ${report} IS NULL THEN [1] ELSE [] END | DETACH DELETE ${j})
  FOREACH (_ IN CASE WHEN ${report} IS NULL THEN [] ELSE [1] END |
    SET ${j}.state = 'done', ${j}.report = ${report} REMOVE ${j}.owner, ${j}.leaseUntil, ${j}.lastError)`

const endLeased = `MATCH (j:Job {id: $job.id}) ${lock('j')}
  WITH j WHERE ${ours('j', '$job')}
  ${endJob('j', '$report')}
  RETURN $job.id AS id`

/** Puts a job back to be tried after a delay, or keeps it as failed with its reason. */
export const recordFailure = (
  caller: Caller,
  job: LeasedJob,
  outcome: { reason: string; retryInMs: number | null; countsAsAttempt: boolean },
) =>
  write(
    caller,
    `MATCH (j:Job {id: $job.id}) ${lock('j')}
    WITH j WHERE ${ours('j', '$job')}
    SET j.lastError = $reason, j.attempt = CASE WHEN $counts THEN j.attempt ELSE j.attempt - 1 END,
      j.state = CASE WHEN $delay IS NULL THEN 'failed' ELSE 'waiting' END,
      j.runAt = datetime.realtime('Z') + duration({milliseconds: coalesce($delay, 0)})
    REMOVE j.owner, j.leaseUntil
    ${unlock('j')}`,
    {
      job: fence(job),
      reason: outcome.reason.slice(0, 500),
      counts: outcome.countsAsAttempt,
      delay: outcome.retryInMs === null ? null : int(Math.round(outcome.retryInMs)),
    },
  )

/**
 * The walk over the tenant's memories that a job makes in several runs: into which space where it is about one, and where
 * it stands. Undefined when there is no such job any more.
 */
export async function walkOf(
  ctx: Context,
  { id }: LeasedJob,
): Promise<{ space: string | null; place: Place } | undefined> {
  const [walk] = await read<{ space: string | null; place: Place }>(
    ctx,
    `MATCH (j:Job {id: $id}) WHERE j.tenant = $tenant
    RETURN j.space AS space, {createdAt: coalesce(j.placeCreatedAt, 0), id: coalesce(j.placeId, '')} AS place`,
    { id, tenant: ctx.tenant },
  )
  return walk
}

/** What a job that runs in several steps has kept of its last one; undefined at the first. */
export async function progressOf<T>(ctx: Context, { id }: LeasedJob): Promise<T | undefined> {
  const [job] = await read<{ progress: string | null }>(
    ctx,
    `MATCH (j:Job {id: $id}) WHERE j.tenant = $tenant
    RETURN j.progress AS progress`,
    { id, tenant: ctx.tenant },
  )
  return job?.progress ? (JSON.parse(job.progress) as T) : undefined
}

/** Where a job stands: in a walk over memories, or by what it keeps for its next step. */
type Standing = { place?: Place; progress?: unknown }

/** Lets other jobs run: this one continues later, with all its attempts. Nothing happens when it is no longer ours. */
export const continueJob = (caller: Caller, job: LeasedJob, standing: Standing = {}) =>
  write(caller, continueLeased, standingParameters(job, standing))

/** The same in a transaction of the caller. */
export const continueIn = ({ run }: Running, job: LeasedJob, standing: Standing) =>
  run(continueLeased, standingParameters(job, standing))

const continueLeased = `MATCH (j:Job {id: $job.id}) ${lock('j')}
    WITH j, ${ours('j', '$job')} AS ours
    ${unlock('j')}
    WITH j WHERE ours
    SET j.state = ${queuedAgain('j')}, j.attempt = 0, j.runAt = datetime.realtime('Z'),
      j.placeCreatedAt = $place.createdAt, j.placeId = $place.id, j.progress = $progress
    REMOVE j.owner, j.leaseUntil`

const standingParameters = (job: LeasedJob, { place, progress }: Standing) => ({
  job: fence(job),
  place: place ? { createdAt: int(place.createdAt), id: place.id } : null,
  progress: progress === undefined ? null : JSON.stringify(progress),
})
