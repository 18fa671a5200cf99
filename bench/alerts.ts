/**
 * Watches a service with a real Prometheus: ten minutes of mixed load, in which no alert may fire, and then one fault after
 * another, each of which must fire its alert: `npm run bench:alerts -- --minutes 10`. It needs Prometheus on the path
 * (`apt-get install prometheus`). The rules are those of `ops/prometheus/alerts.yml`; next to them runs a copy with all
 * times divided by 30, so that an alert which waits an hour fires within two minutes.
 */
import { type ChildProcess, execFileSync, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { parseArgs } from 'node:util'
import { createClient } from '../src/client.ts'
import { readMachine } from '../src/platform/config.ts'
import { startManaged } from '../src/platform/neo4j/managed.ts'
import { freePort } from '../src/platform/neo4j/ports.ts'
import { startEmbeddingEndpoint } from '../tools/embedding-endpoint.ts'
import { temporaryFolder } from '../tools/temporary-folder.ts'
import { startService } from './processes.ts'
import { KEY } from './world.ts'

const FASTER = 30
const RULES = join(import.meta.dirname, '..', 'ops', 'prometheus', 'alerts.yml')
const FIRES_WITHIN_S = 240
const DIMENSIONS = 64

const { values } = parseArgs({ options: { minutes: { type: 'string', default: '10' } } })
const folder = temporaryFolder()
await using running = new AsyncDisposableStack()
running.defer(() => rmSync(folder, { recursive: true, force: true }))

execFileSync('promtool', ['check', 'rules', RULES], { stdio: 'inherit' })
execFileSync('promtool', ['test', 'rules', RULES.replace('.yml', '.test.yml')], { stdio: 'inherit' })

const memory = { heap: 768, pageCache: 256 }
const database = await startManaged(join(folder, 'neo4j'), memory, readMachine(), () => {})
running.use(database)
const provider = running.use(await startEmbeddingEndpoint({ dimensions: DIMENSIONS }))
const settings = {
  SERVICE_PORT: '0',
  SERVICE_SERVER_API_KEY: KEY,
  SERVICE_NEO4J: 'external',
  SERVICE_MAINTENANCE_INTERVAL_SECONDS: '5',
  SERVICE_EMBEDDING_DIMENSIONS: String(DIMENSIONS),
  SERVICE_EMBEDDING_WRITE_WAIT_MS: '0',
  OPENAI_API_KEY: 'of-the-bench',
  OPENAI_BASE_URL: provider.url,
  NEO4J_URI: database.uri,
  NEO4J_USERNAME: database.username,
  NEO4J_PASSWORD: database.password,
}
const api = running.use(await startService({ ...settings, SERVICE_ROLE: 'api' }, join(folder, 'api.log')))
const startWorker = () => startService(settings, join(folder, 'worker.log'))
let worker = await startWorker()
running.defer(() => worker[Symbol.asyncDispose]())
const clientOf = (tenant: string) => createClient({ baseUrl: `${api.url}/api/v1`, apiKey: KEY, tenant })
const prometheus = await startPrometheus()

let over = false
const load = Promise.all([0, 1, 2].map(at => mixedLoad(clientOf(`load-${at}`))))
const before = new Set<string>()
const minutes = Number(values.minutes)
for (let seconds = 0; seconds < minutes * 60; seconds += 2) {
  for (const name of await firing()) before.add(name)
  await pause(2_000)
}
const scrapes = await scrapesSoFar()
console.log(
  `${minutes} minutes of load, ${scrapes} scrapes: ${before.size} alerts (${[...before].join(', ')})`,
)

await expectAlert('MnemographBrakeWaits', 'every memory of a tenant expires', async () => {
  const memories = Array.from({ length: 40 }, (_, at) => ({
    content: `soon gone ${at}`,
    policy: 'short_term',
    ttl_seconds: 1,
  }))
  await clientOf('braked').createMemories({ memories })
})
await expectAlert('MnemographJobsFail', 'the provider refuses a text for good', async () => {
  provider.refuse(text => text.includes('poison'))
  await clientOf('poisoned').createMemory({ content: 'poison', policy: 'long_term', ttl_seconds: 0 })
})
await expectAlert('MnemographEmbeddingsUnavailable', 'the provider is down', async () => {
  provider.fail({ status: 503 })
})
provider.recover()
await expectAlert('MnemographQueueStands', 'the worker is stopped', async () => {
  await worker[Symbol.asyncDispose]()
})
worker = await startWorker()
await expectAlert('MnemographDatabaseDown', 'Neo4j is stopped', async () => {
  await database[Symbol.asyncDispose]()
})
await expectAlert('MnemographRequestsFail', 'Neo4j is still stopped', async () => {})
over = true
await load
process.exit(before.size === 0 ? (process.exitCode ?? 0) : 1)

async function mixedLoad(client: ReturnType<typeof clientOf>) {
  for (let at = 0; !over; at++) {
    try {
      const made = await client.createMemory({
        content: `number ${at} of ${Math.random().toString(36).slice(2)}`,
        policy: 'long_term',
        ttl_seconds: 0,
      })
      await client.getMemory({ id: made.id })
      await client.searchMemories({ query: `number ${at}`, search_type: 'hybrid' })
      await client.listMemories({ limit: 20 })
    } catch {
      // The faults are what this is for.
    }
    await pause(100)
  }
}

/** Makes a fault, and waits until its alert fires in the copy with short times. */
async function expectAlert(name: string, fault: string, make: () => Promise<void>) {
  const began = performance.now()
  await make()
  for (;;) {
    const seconds = Math.round((performance.now() - began) / 1000)
    if ((await firing()).includes(`${name}Soon`)) return console.log(`${fault}: ${name} after ${seconds} s`)
    if (seconds > FIRES_WITHIN_S) {
      process.exitCode = 1
      return console.log(`${fault}: ${name} did not fire within ${FIRES_WITHIN_S} s`)
    }
    await pause(1_000)
  }
}

async function firing(): Promise<string[]> {
  const { data } = (await (await fetch(`${prometheus}/api/v1/alerts`)).json()) as {
    data: { alerts: { state: string; labels: { alertname: string } }[] }
  }
  return data.alerts.filter(({ state }) => state === 'firing').map(({ labels }) => labels.alertname)
}

async function scrapesSoFar(): Promise<number> {
  const query = encodeURIComponent('sum(count_over_time(up[1h]))')
  const { data } = (await (await fetch(`${prometheus}/api/v1/query?query=${query}`)).json()) as {
    data: { result: { value: [number, string] }[] }
  }
  return Number(data.result[0]?.value[1] ?? 0)
}

async function startPrometheus(): Promise<string> {
  const port = await freePort()
  const data = join(folder, 'prometheus')
  mkdirSync(data)
  const rules = readFileSync(RULES, 'utf8')
  writeFileSync(join(folder, 'soon.yml'), sooner(rules))
  const target = (url: string) => `'${new URL(url).host}'`
  const config = {
    global: { scrape_interval: '1s', evaluation_interval: '1s' },
    rule_files: [RULES, join(folder, 'soon.yml')],
    scrape_configs: [
      {
        job_name: 'mnemograph',
        authorization: { credentials: KEY },
        static_configs: [{ targets: [target(api.url), target(worker.url)].map(each => each.slice(1, -1)) }],
      },
    ],
  }
  // JSON is YAML.
  writeFileSync(join(folder, 'prometheus.yml'), JSON.stringify(config))
  const words = [
    `--config.file=${join(folder, 'prometheus.yml')}`,
    `--storage.tsdb.path=${data}`,
    `--web.listen-address=127.0.0.1:${port}`,
    '--log.level=error',
  ]
  const child: ChildProcess = spawn('prometheus', words, { stdio: ['ignore', 'inherit', 'inherit'] })
  running.defer(async () => {
    child.kill('SIGTERM')
    await once(child, 'exit')
  })
  process.once('exit', () => child.kill('SIGKILL'))
  const url = `http://127.0.0.1:${port}`
  while (
    !(await fetch(`${url}/-/ready`).then(
      ({ ok }) => ok,
      () => false,
    ))
  )
    await pause(200)
  return url
}

/** The same rules with all times divided. */
function sooner(rules: string): string {
  const seconds = (count: string, unit: string) =>
    `${Math.max(2, Math.round((Number(count) * (unit === 'h' ? 3_600 : 60)) / FASTER))}s`
  return rules
    .replaceAll(/\[(\d+)([mh])\]/g, (_, count, unit) => `[${seconds(count, unit)}]`)
    .replaceAll(/for: (\d+)([mh])/g, (_, count, unit) => `for: ${seconds(count, unit)}`)
    .replaceAll(
      /(oldest_seconds\{[^}]*\}\) > )(\d+)/g,
      (_, head, limit) => `${head}${Number(limit) / FASTER}`,
    )
    .replaceAll(/alert: (\w+)/g, 'alert: $1Soon')
    .replace('name: mnemograph', 'name: mnemograph-soon')
}
