import { execFileSync } from 'node:child_process'
import { readFileSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, expect, test, vi } from 'vitest'
import { seededRandom } from '../../tools/seeded-random.ts'
import { temporaryFolder } from '../../tools/temporary-folder.ts'
import { audit, undiscovered } from '../support/audit.ts'
import { type ChildService, startChildService } from '../support/child-service.ts'
import type { TestDatabase } from '../support/lender.ts'
import { emptyDatabase, returnDatabase } from '../support/own-database.ts'
import { freshTenant } from '../support/service.ts'
import { startWriters } from '../support/writers.ts'

/**
 * How often the tests kill the service: on a Neo4j that keeps running, and together with its managed Neo4j, which takes ten
 * times as long. The chaos test kills services as well. The seed fixes every moment, apart from the machine's own pace.
 */
const kills = Number(process.env.MNEMOGRAPH_TEST_KILLS ?? 1)
const managedKills = Number(process.env.MNEMOGRAPH_TEST_MANAGED_KILLS ?? 0)
const seed = Number(process.env.MNEMOGRAPH_TEST_SEED ?? Date.now() % 1_000_000)

const dataDir = temporaryFolder()
afterAll(async () => {
  rmSync(dataDir, { recursive: true, force: true })
  await returnDatabase()
})

test(`a service that is killed while it is written to loses nothing (kills: ${kills}, seed: ${seed})`, {
  timeout: 600_000 + kills * 30_000,
}, async () => {
  const database = await emptyDatabase()
  const run = newRun()
  await using resources = new AsyncDisposableStack()
  resources.defer(() => run.end())
  await run.start({ NEO4J_URI: database.uri, NEO4J_PASSWORD: database.password })
  for (let at = 0; at < kills; at++) await run.killAndStart()
  await nothingIsLost(run, database)
})

if (managedKills > 0)
  test(`a service that is killed with its Neo4j loses nothing (kills: ${managedKills}, seed: ${seed})`, {
    timeout: 600_000 + managedKills * 120_000,
  }, async () => {
    const run = newRun()
    await using resources = new AsyncDisposableStack()
    resources.defer(() => run.end())
    await run.start({ SERVICE_NEO4J: 'managed', SERVICE_DATA_DIR: dataDir })
    for (let at = 0; at < managedKills; at++) {
      await run.killAndStart()
      expect(neo4jProcesses()).toHaveLength(1)
    }
    await nothingIsLost(run, databaseOfFolder())
    await run.end()
    expect(neo4jProcesses()).toEqual([])
  })

async function nothingIsLost(run: ReturnType<typeof newRun>, database: TestDatabase) {
  await run.writers.finish()
  expect(await audit(database, run.tenant, run.writers.history)).toEqual([])
  const wait = { timeout: 120_000, interval: 250 }
  await expect.poll(() => undiscovered(database, run.tenant), wait).toEqual([])
  expect(await audit(database, run.tenant, run.writers.history)).toEqual([])
  const { acknowledged, unanswered, keyed } = run.writers.history
  process.stdout.write(
    `${acknowledged.size} memories acknowledged, ${keyed.size} keys, ${unanswered} writes unanswered\n`,
  )
  expect(unanswered).toBeGreaterThan(0)
}

/** A service that comes and goes under the same writers. */
function newRun() {
  const random = seededRandom(seed)
  const tenant = freshTenant()
  let settings: Record<string, string> = {}
  let service: ChildService | undefined
  const writers = startWriters(() => service?.baseUrl, { tenant, random, count: 4 })
  const { acknowledged } = writers.history
  const start = async (next: Record<string, string>) => {
    settings = next
    service = await startChildService({
      SERVICE_EMBEDDING_PROVIDER: 'hash',
      SERVICE_WARM_UP: 'off',
      SERVICE_REQUEST_TIMEOUT_MS: '10000',
      ...settings,
    })
  }
  return {
    tenant,
    writers,
    start,
    /** Kills it when some more writes have been acknowledged, in the midst of the next ones. */
    async killAndStart() {
      const enough = acknowledged.size + 1 + Math.floor(random() * 40)
      await vi.waitUntil(() => acknowledged.size >= enough, { timeout: 120_000, interval: 1 })
      const killed = service
      service = undefined
      await killed?.kill()
      await start(settings)
    },
    async end() {
      const ended = service
      service = undefined
      await ended?.[Symbol.asyncDispose]()
    },
  }
}

function databaseOfFolder() {
  const state = readFileSync(join(dataDir, 'neo4j', 'state.json'), 'utf8')
  const { port, password } = JSON.parse(state) as { port: number; password: string }
  return { uri: `bolt://127.0.0.1:${port}`, username: 'neo4j', password, database: 'neo4j' }
}

/** The Neo4j processes of the data folder, by the file that they were started with. */
const neo4jProcesses = () =>
  execFileSync('ps', ['-A', '-o', 'args='], { encoding: 'utf8' })
    .split('\n')
    .filter(line => line.includes(join(dataDir, 'neo4j', 'server.args')))
