import { randomUUID } from 'node:crypto'
import { createLog } from '../../src/platform/log.ts'
import type { LeasedJob } from '../../src/store/jobs/leases.ts'
import type { Neo4j } from '../../src/store/neo4j/attempts.ts'
import { type JobFailure, Worker, type WorkerParts } from '../../src/worker/worker.ts'
import type { TestService } from './service.ts'

/** What a test needs of a queue of its own tenant. */
export function queueOf(neo4j: Neo4j, tenant: string) {
  const run = async <T>(text: string, parameters: Record<string, unknown> = {}) => {
    const { records } = await neo4j.driver.executeQuery(text, { tenant, ...parameters })
    return records.map(record => record.toObject() as T)
  }
  return {
    caller: () => ({ app: { neo4j }, signal: AbortSignal.timeout(60_000) }),
    /** Queues jobs that are about no memory, the oldest first. */
    fill: (count: number, of = tenant) =>
      run(
        `UNWIND range(1, toInteger($count)) AS at
        CREATE (:Job {id: $prefix + at, kind: 'discover', tenant: $of, memoryId: 'none', revision: 1, attempt: 0,
          state: 'queued', createdAt: datetime.realtime('Z') + duration({milliseconds: at}), runAt: datetime.realtime('Z') + duration({milliseconds: at})})`,
        { count, prefix: `test:${randomUUID()}:`, of },
      ),
    jobs: () =>
      run<{ id: string; state: string; attempt: number; lastError: string | null }>(
        `MATCH (j:Job) WHERE j.tenant = $tenant
        RETURN j.id AS id, j.state AS state, j.attempt AS attempt, j.lastError AS lastError ORDER BY j.createdAt`,
      ),
    /** Lets time pass for the tenant's jobs: waits are over, leases have ended. */
    pass: () =>
      run(
        `MATCH (j:Job) WHERE j.tenant = $tenant
        SET j.runAt = datetime.realtime('Z') - duration({seconds: 1}),
          j.leaseUntil = CASE WHEN j.leaseUntil IS NULL THEN null ELSE datetime.realtime('Z') - duration({seconds: 1}) END`,
      ),
    /** Leases that do not end: on a slow machine other services of the database would revive the jobs. */
    keep: (ids: readonly string[]) =>
      run('MATCH (j:Job) WHERE j.tenant = $tenant AND j.id IN $ids REMOVE j.leaseUntil', { ids }),
    clear: () => run('MATCH (j:Job) WHERE j.tenant = $tenant DETACH DELETE j'),
  }
}

/** A worker with a handler of the test; an error counts as a try by default. */
export const workerOf = (
  neo4j: Neo4j,
  handle: WorkerParts['handle'],
  failure: Partial<JobFailure> = {},
  parts: Pick<WorkerParts, 'pollMs'> = {},
): Worker =>
  new Worker({
    ...parts,
    neo4j,
    log: createLog('silent'),
    handle,
    classify: error => ({
      reason: (error as Error).message,
      retryAfterMs: null,
      isPermanent: false,
      external: false,
      ...failure,
    }),
  })

export const idsOf = (jobs: readonly LeasedJob[]) => jobs.map(({ id }) => id)

/** Deletes the queued jobs of a tenant, so that only later writes are discovered. */
export const deleteJobs = (service: TestService) =>
  service.cypher('MATCH (j:Job {tenant: $tenant}) DELETE j', { tenant: service.tenant })

/** Makes the jobs that wait for a retry due now. */
export const makeJobsDue = (service: TestService) =>
  service.cypher(
    "MATCH (j:Job {tenant: $tenant, state: 'waiting'}) SET j.runAt = datetime({year: 2020, timezone: 'Z'})",
    {
      tenant: service.tenant,
    },
  )
