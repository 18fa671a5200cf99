/**
 * Backs up a service with many memories in five tenants while others write and search there, kills the command with
 * SIGKILL on its way, lets it go on, and restores the backup into an empty service, which must be equal:
 * `npm run bench:backup -- --memories 20000`. Figures on standard output.
 */
import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { readdirSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { parseArgs } from 'node:util'
import { createClient } from '../src/client.ts'
import { readMachine } from '../src/platform/config.ts'
import { startManaged } from '../src/platform/neo4j/managed.ts'
import { temporaryFolder } from '../tools/temporary-folder.ts'
import { startService } from './processes.ts'
import { KEY } from './world.ts'

const TENANTS = 5
const BATCH = 500

const { values } = parseArgs({ options: { memories: { type: 'string', default: '20000' } } })
const each = Math.round(Number(values.memories) / TENANTS)
const program = join(import.meta.dirname, '..', 'src', 'cli', 'main.ts')
const folder = temporaryFolder()
const backup = join(folder, 'backup')
await using running = new AsyncDisposableStack()
running.defer(() => rmSync(folder, { recursive: true, force: true }))

const from = await serve('from')
const clientOf = (tenant: string) => createClient({ baseUrl: `${from.url}/api/v1`, apiKey: KEY, tenant })
const tenants = Array.from({ length: TENANTS }, (_, at) => `tenant-${at}`)
for (const tenant of tenants) await fill(tenant)

let over = false
let written = 0
const load = Promise.all([write(), search()])
const began = performance.now()
const first = command('backup', 'create', backup, '--url', from.url)
while (bundles() < 2) await pause(20)
first.kill('SIGKILL')
await once(first, 'exit')
const kept = bundles()
await finish(command('backup', 'create', backup, '--url', from.url))
const created = seconds(began)
over = true
await load
await finish(command('backup', 'verify', backup))
const to = await serve('to')
const restoring = performance.now()
await finish(command('backup', 'restore', backup, '--url', to.url))
console.log(
  `${each * TENANTS} memories in ${TENANTS} tenants: backed up in ${created} s, killed after ${kept} bundles, with ${written} memories written in the meantime; restored, and equal, in ${seconds(restoring)} s`,
)

function seconds(since: number) {
  return ((performance.now() - since) / 1000).toFixed(1)
}

/** A Neo4j of its own and a service, with its worker. */
async function serve(name: string) {
  const memory = { heap: 1024, pageCache: 512 }
  const database = running.use(await startManaged(join(folder, name), memory, readMachine(), () => {}))
  const settings = {
    SERVICE_PORT: '0',
    SERVICE_SERVER_API_KEY: KEY,
    SERVICE_NEO4J: 'external',
    SERVICE_EMBEDDING_PROVIDER: 'hash',
    NEO4J_URI: database.uri,
    NEO4J_USERNAME: database.username,
    NEO4J_PASSWORD: database.password,
  }
  return running.use(await startService(settings, join(folder, `${name}.log`)))
}

async function fill(tenant: string) {
  const client = clientOf(tenant)
  for (let at = 0; at < each; at += BATCH) {
    const memories = Array.from({ length: Math.min(BATCH, each - at) }, (_, index) => ({
      content: `${tenant} remembers number ${at + index}, ${Math.random().toString(36).slice(2)}`,
      policy: 'long_term',
      ttl_seconds: 0,
    }))
    await client.createMemories({ memories })
  }
}

async function write() {
  for (; !over; written++)
    await clientOf('busy').createMemory({ content: `late ${written}`, policy: 'long_term', ttl_seconds: 0 })
}

async function search() {
  for (let at = 0; !over; at++)
    await clientOf(tenants[at % TENANTS] ?? '').searchMemories({
      query: `number ${at}`,
      search_type: 'hybrid',
    })
}

function bundles() {
  try {
    return readdirSync(backup).filter(name => name.endsWith('.ndjson')).length
  } catch {
    return 0
  }
}

function command(...words: string[]): ChildProcess {
  const { PATH, HOME } = readMachine().environment
  return spawn(process.execPath, [program, ...words], {
    stdio: ['ignore', 'inherit', 'inherit'],
    env: { PATH, HOME, SERVICE_SERVER_API_KEY: KEY },
  })
}

async function finish(child: ChildProcess) {
  const [code] = await once(child, 'exit')
  if (code !== 0) throw new Error(`The command ended with ${code}`)
}
