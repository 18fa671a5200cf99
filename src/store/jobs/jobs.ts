import type { Context, Space } from '../../context.ts'
import type { Job } from '../../contract/jobs.ts'
import { audit } from '../access/audit.ts'
import type { Caller } from '../neo4j/attempts.ts'
import { lock, unlock } from '../neo4j/lock.ts'
import { BEGINNING, jobProjection } from '../neo4j/projections.ts'
import { int, read, readValue, readValues, remove, transact } from '../neo4j/statements.ts'
import { openStates, queuedAgain, shownState, statesShownAs } from './lanes.ts'

type JobFilter = { state: Job['state'] | undefined; kind: string | undefined; memoryId: string | undefined }

/** So many jobs of a state are looked at, and counted: the oldest. */
export const MOST_LOOKED_AT = 10_000

const allStates = [...openStates, 'done'] as const

/** Jobs of the tenant, oldest first. */
export const listJobs = (ctx: Context, filter: JobFilter, limit: number): Promise<Job[]> =>
  readValues(
    ctx,
    `${ofFilter(filter)}
    WITH j ORDER BY j.createdAt, j.id LIMIT $limit
    RETURN ${jobProjection('j')} AS job`,
    { ...parametersOf(ctx, filter, filter.kind === undefined ? limit : MOST_LOOKED_AT), limit: int(limit) },
  )

/** Jobs of the tenant by state, of the kind and memory that the filter names. */
export async function countJobs(ctx: Context, filter: JobFilter): Promise<Record<string, number>> {
  const all = { ...filter, state: undefined }
  const rows = await read<{ state: string; n: number }>(
    ctx,
    `${ofFilter(all)}
    RETURN ${shownState('j')} AS state, count(*) AS n`,
    parametersOf(ctx, all, MOST_LOOKED_AT),
  )
  return Object.fromEntries(rows.map(({ state, n }) => [state, n]))
}

/** Of one memory all, which are few; else the oldest of each state. */
const ofFilter = ({ memoryId }: JobFilter) =>
  memoryId === undefined
    ? `${oldestJobs}
    WITH j WHERE $kind = '' OR j.kind = $kind`
    : `MATCH (j:Job) WHERE j.tenant = $tenant AND j.memoryId = $memoryId AND j.state IN $states
      AND ($kind = '' OR j.kind = $kind)`

/** Binds `state` and `j` to the `$looked` oldest jobs of the tenant in each of `$states`. */
export const oldestJobs = `UNWIND $states AS state
    CALL (state) {
      MATCH (j:Job) USING INDEX SEEK j:Job(tenant, state, createdAt, id)
      WHERE j.tenant = $tenant AND j.state = state AND j.createdAt >= ${BEGINNING} AND j.id IS NOT NULL
      WITH j ORDER BY j.tenant, j.state, j.createdAt, j.id LIMIT $looked
      RETURN j
    }`

const parametersOf = ({ tenant }: Context, { state, kind, memoryId }: JobFilter, looked: number) => ({
  tenant,
  states: state ? statesShownAs(state) : allStates,
  looked: int(looked),
  kind: kind ?? '',
  memoryId: memoryId ?? '',
})

type Retried = { job: Job; wasFailed: boolean }

/** Queues a failed job again, with all its attempts. `wasFailed` is false when it was not failed. */
export function retryJob(ctx: Context, id: string): Promise<Retried | undefined> {
  let found: Retried | undefined
  return transact(ctx, async ({ run, uncertain }) => {
    const [row] = await run<Retried>(queueFailed, { id, tenant: ctx.tenant })
    // A job that an earlier try has queued is no longer failed, or is done by now.
    if (!uncertain || row?.wasFailed) found = row
    if (found?.wasFailed) await audit(ctx, { run }, { target: id })
    return found
  })
}

const queueFailed = `MATCH (j:Job {id: $id}) WHERE j.tenant = $tenant
  ${lock('j')}
  WITH j, j.state = 'failed' AS wasFailed
  FOREACH (_ IN CASE WHEN wasFailed THEN [1] ELSE [] END |
    SET j.state = ${queuedAgain('j')}, j.attempt = 0, j.runAt = datetime.realtime('Z'))
  ${unlock('j')}
  RETURN ${jobProjection('j')} AS job, wasFailed`

/** Queues some failed jobs again, with all their attempts. Returns how many; 0 when there are no more. */
export async function retryJobs(ctx: Context, kind: string | undefined): Promise<number> {
  const row = await remove<{ retried: number }>(
    ctx,
    `MATCH (j:Job) WHERE j.state = 'failed' AND j.tenant = $tenant AND j.runAt IS NOT NULL
      AND ($kind = '' OR j.kind = $kind)
    WITH j LIMIT 1000
    WITH j ORDER BY j.id
    ${lock('j')}
    WITH j, j.state = 'failed' AS failed
    ${unlock('j')}
    WITH j WHERE failed
    SET j.state = ${queuedAgain('j')}, j.attempt = 0, j.runAt = datetime.realtime('Z')
    WITH count(j) AS retried WHERE retried > 0
    RETURN retried`,
    { tenant: ctx.tenant, kind: kind ?? '' },
    transaction => audit(ctx, transaction, { target: kind ?? null }),
  )
  return row?.retried ?? 0
}

/** How many memories of all tenants stay without a vector because their job has failed; at most 1,000 are counted. */
export const countRefusedTexts = (caller: Caller, { property }: Space): Promise<number> =>
  readValue(
    caller,
    `MATCH (j:Job) WHERE j.state = 'failed' AND j.runAt IS NOT NULL AND j.kind = 'discover'
    WITH j LIMIT 1000
    MATCH (m:Memory {tenant: j.tenant, id: j.memoryId}) USING INDEX SEEK m:Memory(tenant, id)
    WHERE m.state = 'active' AND m.revision = j.revision AND m.${property} IS NULL
    RETURN count(*) AS refused`,
  )

/** A queue is behind if its oldest job has waited for longer. */
export const OVERDUE_SECONDS = 300

/** How long the oldest runnable job has waited, in seconds, over all tenants; null when there is none. */
export async function oldestQueuedAge(caller: Caller): Promise<number | null> {
  const [age = null] = await readValues<number>(
    caller,
    `MATCH (j:Job) WHERE j.state = 'queued' AND j.runAt IS NOT NULL
    WITH j ORDER BY j.state, j.runAt LIMIT 1
    RETURN (timestamp() - j.runAt.epochMillis) / 1000.0 AS age`,
  )
  return age
}
