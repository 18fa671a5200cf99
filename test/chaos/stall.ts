import { createClient } from '../../src/client.ts'
import type { ChildService } from '../support/child-service.ts'
import { OPERATOR_KEY } from '../support/service.ts'
import { chaosClient } from './clients.ts'
import { drained, type Run, type Scenario, startRunService, startRunWorker, until } from './run.ts'

const DEADLINE_MS = 5_000
const GRACE_MS = 1_000
const RECOVERY_MS = 5_000
const KILLED_MS = 20_000
const STOPPED_MS = 1_000
const PATIENCE_MS = 60_000

/** Neo4j is stopped for a while; workers die or stop with work in hand, and others take it up. Times are promises here. */
export const stall: Scenario = {
  expected: ['stalls of Neo4j', 'answers of 503 while it was stalled', 'workers killed', 'workers stopped'],
  async run(run) {
    const full = run.tier === 'full'
    const tenant = run.tenant('a')
    await using child = await startRunService(run, {
      SERVICE_ROLE: 'api',
      SERVICE_REQUEST_TIMEOUT_MS: String(DEADLINE_MS),
      SERVICE_EMBEDDING_WRITE_WAIT_MS: '0',
    })
    const client = chaosClient({ ...run, tenant, baseUrl: () => child.baseUrl })
    for (let at = 0; at < 4; at++) await client.deeds.batch()
    {
      await using _worker = await startWorker(run)
      await drained(run, [tenant])
    }
    for (let at = 0; at < (full ? 5 : 1); at++) await stallOnce(run, child, tenant)
    for (const signal of ['SIGKILL', 'SIGTERM'] as const)
      for (let at = 0; at < (full ? 5 : 1); at++)
        await takeOver(run, tenant, () => client.deeds.batch(), signal)
    await using _worker = await startWorker(run)
    await drained(run, [tenant])
  },
}

function within(run: Run, what: string, ms: number, bound: number) {
  if (ms > bound) run.fail(`It took ${Math.round(ms)} ms ${what}; ${bound} ms are promised`)
}

async function stallOnce(run: Run, { baseUrl }: ChildService, tenant: string) {
  const { database, history } = run
  const client = createClient({ baseUrl, apiKey: OPERATOR_KEY, tenant })
  await client.listMemories()
  database.signal('SIGSTOP')
  history.note({ at: 'fault', fault: 'Neo4j stopped' })
  run.count('stalls of Neo4j')
  try {
    await Promise.all(
      Array.from({ length: 8 }, async (_, at) => {
        const began = performance.now()
        const headers = { authorization: `Bearer ${OPERATOR_KEY}`, 'x-tenant-id': tenant }
        const path = at % 2 === 0 ? '/memories' : '/stats'
        const { status } = await fetch(baseUrl + path, { headers })
        const ms = performance.now() - began
        run.took('a request while Neo4j was stalled', ms)
        if (status === 503) run.count('answers of 503 while it was stalled')
        else throw new Error(`A request while Neo4j was stalled was answered with ${status}`)
        within(run, 'to say 503', ms, DEADLINE_MS + GRACE_MS)
      }),
    )
  } finally {
    database.signal('SIGCONT')
  }
  const continued = performance.now()
  const works = () =>
    client.listMemories().then(
      () => true,
      () => false,
    )
  await until('service after Neo4j goes on', works, PATIENCE_MS)
  const ms = performance.now() - continued
  run.took('from the end of the stall until service', ms)
  within(run, 'until service after a stall', ms, RECOVERY_MS)
}

/** One worker holds jobs whose embeddings do not come; it ends, while another waits for work. */
async function takeOver(
  run: Run,
  tenant: string,
  write: () => Promise<unknown>,
  signal: 'SIGKILL' | 'SIGTERM',
) {
  const { embeddings, database, history } = run
  const release = embeddings.hold()
  await using first = await startWorker(run)
  await write()
  const running = async () =>
    (
      await database.query<{ id: string; owner: string }>(
        "MATCH (j:Job) WHERE j.tenant = $tenant AND j.state = 'running' RETURN j.id AS id, j.owner AS owner",
        { tenant },
      )
    ).map(({ id, owner }) => `${id} ${owner}`)
  await until('a worker has jobs', async () => (await running()).length > 0, 30_000)
  const held = await running()
  await using _second = await startWorker(run)
  const began = performance.now()
  first.signal(signal)
  history.note({ at: 'fault', fault: `worker ended by ${signal}` })
  const killed = signal === 'SIGKILL'
  run.count(killed ? 'workers killed' : 'workers stopped')
  const taken = async () => {
    const now = new Set(await running())
    return held.every(each => !now.has(each)) && now.size > 0
  }
  await until('the work is taken up', taken, PATIENCE_MS).finally(release)
  const ms = performance.now() - began
  within(run, `until work was taken up after ${signal}`, ms, killed ? KILLED_MS : STOPPED_MS)
  run.took(`from ${killed ? 'a kill' : 'a stop in good order'} until its work was taken up`, ms)
  await drained(run, [tenant])
}

const startWorker = (run: Run) => startRunWorker(run, { SERVICE_EMBEDDING_TIMEOUT_MS: '60000' })
