/**
 * What a service costs until everything was called once: a new Neo4j, one service in this process, and every operation
 * with the requests of the tests. Prints the texts and characters that it sent, the processor time of Neo4j, and how long
 * the first calls took. `npm run bench:plans`.
 */
import { readdirSync, readFileSync, rmSync } from 'node:fs'
import { startApp } from '../src/app.ts'
import { createClient } from '../src/client.ts'
import { routeNames } from '../src/contract/index.ts'
import { readConfig, readMachine } from '../src/platform/config.ts'
import { startManaged } from '../src/platform/neo4j/managed.ts'
import { figuresOf, hearStatements } from '../test/support/statement-count.ts'
import { createOneOfEach, type Probe, probes } from '../test/support/tenant-probes.ts'
import { temporaryFolder } from '../tools/temporary-folder.ts'
import { percentiles } from './rounds.ts'
import { KEY } from './world.ts'

/** In which `/proc/PID/stat` counts. */
const TICKS_PER_SECOND = 100

const folder = temporaryFolder()
await using database = await startManaged(folder, { heap: 1_280, pageCache: 128 }, readMachine(), () => {})
const pid = processOf(folder)
const config = readConfig({
  SERVICE_PORT: '0',
  SERVICE_ROLE: 'api',
  SERVICE_LOG_LEVEL: 'error',
  SERVICE_SERVER_API_KEY: KEY,
  SERVICE_WARM_UP: 'off',
  SERVICE_REQUEST_TIMEOUT_MS: '60000',
  SERVICE_NEO4J: 'external',
  NEO4J_URI: database.uri,
  NEO4J_USERNAME: database.username,
  NEO4J_PASSWORD: database.password,
})
const began = secondsOf(pid)
await using running = await startApp(config, { operatorKey: KEY })
const texts = new Set<string>()
hearStatements(running.app, text => texts.add(text))
const tenant = 'first-calls'
const client = createClient({ baseUrl: `${running.url}/api/v1`, apiKey: KEY, tenant })
const names = await createOneOfEach(client, tenant)
while ((await running.worker.runBatchOf(tenant)) > 0);
const times: number[] = []
for (const name of routeNames) {
  const [first] = probes[name](names, names) as Probe<typeof name>[]
  if (first) times.push(await timed(client[name] as Call, first))
}
const { p50 } = percentiles(times)
const sorted = times.toSorted((a, b) => a - b)
const report = {
  ...figuresOf([...texts]),
  'processor seconds of Neo4j': secondsOf(pid) - began,
  'first calls': times.length,
  'p50 ms': Math.round(p50),
  'p95 ms': Math.round(sorted[Math.floor(0.95 * sorted.length)] ?? 0),
  'slowest ms': Math.round(sorted.at(-1) ?? 0),
}
process.stdout.write(`${JSON.stringify(report, null, 2)}\n`)
rmSync(folder, { recursive: true, force: true, maxRetries: 10 })

type Call = (input: unknown, options: object) => Promise<unknown>

/** A request that is refused has been planned for too. */
async function timed(call: Call, { input, headers = {} }: Probe<never>): Promise<number> {
  const start = performance.now()
  await call(input, { headers }).catch(() => {})
  return performance.now() - start
}

function processOf(dataDir: string): number {
  const found = readdirSync('/proc').find(name => /^\d+$/.test(name) && isNeo4jOf(name, dataDir))
  if (!found) throw new Error(`No Neo4j runs in ${dataDir}`)
  return Number(found)
}

function isNeo4jOf(name: string, dataDir: string): boolean {
  try {
    const command = readFileSync(`/proc/${name}/cmdline`, 'utf8')
    return command.includes('java') && command.includes(dataDir)
  } catch {
    return false
  }
}

function secondsOf(process: number): number {
  const [, rest = ''] = readFileSync(`/proc/${process}/stat`, 'utf8').split(') ')
  const [user, system] = rest.split(' ').slice(11, 13).map(Number) as [number, number]
  return (user + system) / TICKS_PER_SECOND
}
