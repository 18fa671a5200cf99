import { setTimeout as pause } from 'node:timers/promises'
import { createClient } from '../../src/client.ts'
import { LEASE_SECONDS, reviveJobs } from '../../src/store/jobs/leases.ts'
import { connectDriver } from '../../src/store/neo4j/driver.ts'
import { DIMENSIONS, OPERATOR_KEY, someMemory } from '../support/service.ts'
import { startProgram } from './children.ts'
import { drained, MODEL, type Run, type Scenario, startRunService } from './run.ts'

/** Many claimers in several processes share a queue; then workers are stopped past their lease and continued. */
export const claims: Scenario = {
  expected: ['jobs claimed', 'late writes tried'],
  async run(run) {
    const full = run.tier === 'full'
    // The schema, with the constraint on jobs and the index that claims go by.
    await (await startRunService(run, { SERVICE_ROLE: 'api' }))[Symbol.asyncDispose]()
    const sizes = full
      ? { jobs: 50_000, processes: 4, claimers: 16, batch: 25 }
      : { jobs: 2_000, processes: 2, claimers: 8, batch: 8 }
    await Promise.all([claimAll(run, sizes), full ? undefined : writeLate(run, 2)])
    if (full) await writeLate(run, 20)
  },
}

/** A transaction of the database has a limit to its memory. */
const CHUNK = 5_000

type Sizes = { jobs: number; processes: number; claimers: number; batch: number }

async function claimAll(run: Run, { jobs, processes, claimers, batch }: Sizes) {
  const { database, history } = run
  const tenant = run.tenant('claims')
  for (let made = 0; made < jobs; made += CHUNK)
    await database.query(
      `UNWIND range(toInteger($made) + 1, toInteger($until)) AS at
      CREATE (:Job {id: $tenant + ':' + at, kind: 'discover', tenant: $tenant, memoryId: 'none', revision: 1,
        attempt: 0, state: 'queued', createdAt: datetime.realtime(), runAt: datetime.realtime()})`,
      { made, until: Math.min(made + CHUNK, jobs), tenant },
    )
  const began = performance.now()
  await Promise.all(
    Array.from({ length: processes }, async () => {
      const args = [database.uri, tenant, String(claimers / processes), String(batch)]
      await using child = startProgram('claimer.ts', args, database.password)
      for await (const claim of child.said<{ worker: string; jobs: string[]; attempts: number }>()) {
        if (claim.jobs.length === 0) run.count('claims that the database refused for now')
        history.note({ at: 'claim', tenant, worker: claim.worker, jobs: claim.jobs })
        run.count('jobs claimed', claim.jobs.length)
        if (claim.attempts > 0) throw new Error('A job was claimed as if for the second time')
      }
      await child.end()
    }),
  )
  run.took('all claims', performance.now() - began)
  run.count('claimers', claimers)
  run.count('processes', processes)
  run.count('jobs asked for by one claim', batch)
  const [row] = await database.query<{ n: number }>(
    "MATCH (j:Job) WHERE j.tenant = $tenant AND j.state = 'running' AND j.attempt = 1 RETURN count(j) AS n",
    { tenant },
  )
  if (row?.n !== jobs) throw new Error(`${row?.n} of ${jobs} jobs were claimed`)
  for (let left = jobs; left > 0; left -= 10_000)
    await database.query('MATCH (j:Job) WHERE j.tenant = $tenant WITH j LIMIT 10000 DETACH DELETE j', {
      tenant,
    })
}

/** Workers that stop with a job in hand; others take the jobs over and finish half of them before the first go on. */
async function writeLate(run: Run, workers: number) {
  const { database, history } = run
  const tenant = run.tenant('late')
  await prepareMemories(run, tenant, workers)
  await using stack = new AsyncDisposableStack()
  const neo4j = stack.use(connectDriver(database))
  const stopped = await Promise.all(
    Array.from({ length: workers }, async () => {
      const args = [database.uri, tenant, MODEL, String(DIMENSIONS)]
      const child = stack.use(startProgram('late.ts', args, database.password))
      const said = child.said<{ write: string; refused: boolean }>()
      await said.next()
      child.signal('SIGSTOP')
      run.count('workers stopped past their lease')
      return { child, said }
    }),
  )
  await pause((LEASE_SECONDS + 1) * 1000)
  const revived = await reviveJobs({ app: { neo4j }, signal: AbortSignal.timeout(60_000) }, 8)
  run.count('jobs taken from stopped workers', revived)
  await database.query(
    `MATCH (j:Job) WHERE j.tenant = $tenant AND j.state = 'queued' WITH j LIMIT toInteger($half)
    SET j.state = 'running', j.owner = 'another', j.attempt = 2, j.leaseUntil = datetime.realtime() + duration('PT5M')`,
    { tenant, half: Math.ceil(workers / 2) },
  )
  const before = await stateOf(run, tenant)
  await Promise.all(
    stopped.map(async ({ child, said }) => {
      child.signal('SIGCONT')
      child.tell()
      for await (const { write, refused } of said) {
        history.note({ at: 'late', tenant, worker: String(child.pid), write, refused })
        run.count('late writes tried')
      }
      await child.end()
    }),
  )
  const after = await stateOf(run, tenant)
  history.note({ at: 'late', tenant, worker: 'all', write: 'any', refused: before === after })
  await database.query(
    `MATCH (j:Job) WHERE j.tenant = $tenant AND j.owner = 'another' SET j.leaseUntil = datetime.realtime()`,
    { tenant },
  )
  await using _service = await startRunService(run)
  await drained(run, [tenant])
}

/** Memories whose discovery is queued and done by nobody yet. */
async function prepareMemories(run: Run, tenant: string, count: number) {
  const { history } = run
  await using api = await startRunService(run, { SERVICE_ROLE: 'api' })
  const client = createClient({ baseUrl: api.baseUrl, apiKey: OPERATOR_KEY, tenant })
  const contents = Array.from({ length: count }, (_, at) => `theme${Math.floor(at / 8)} late ${at}`)
  const op = history.begin({ kind: 'batch', tenant, contents })
  const { memories } = await client.createMemories({
    memories: contents.map(content => someMemory({ content })),
  })
  const ids = memories.map(({ id }) => id)
  history.end(op, 'acked', ids)
}

/** The jobs and connections of a tenant, byte for byte. */
async function stateOf({ database }: Run, tenant: string): Promise<string> {
  const rows = await database.query(
    `MATCH (j:Job) WHERE j.tenant = $tenant
    RETURN j.id AS id, toString(j.leaseUntil) AS lease, j {.state, .owner, .attempt, .lastError} AS job
    UNION ALL
    MATCH (a:Memory)-[r]->(b) WHERE a.tenant = $tenant
    RETURN r.key AS id, toString(r.createdAt) AS lease, r {.strength, .origin} AS job`,
    { tenant },
  )
  return JSON.stringify(rows.map(row => JSON.stringify(row)).sort())
}
