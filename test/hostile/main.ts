/**
 * Attacks a service of its own and measures how long others wait: `npm run attack`. Each input of the corpus is sent alone
 * while a thread asks for `/health` and lists the memories of another tenant, then queries in Cypher that are heavy or try to
 * leave their tenant, then all inputs for ten seconds over 16 connections, then as many tenants, queries and keys as
 * `--distinct` names (10,000), each once. The tenant holds 200 memories of 99,000 bytes that are slow to analyse, and 2,400
 * short ones. Prints a table, and exits with 1 when a bound is broken: a wait, a 5xx, a large answer, a fault in the log,
 * memory or connections that do not come back. The bounds on waits hold on two idle cores; `--factor 4` widens them on a
 * busy machine.
 */
import { once } from 'node:events'
import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { parseArgs } from 'node:util'
import { Worker } from 'node:worker_threads'
import { createClient, ProblemError } from '../../src/client.ts'
import type { Scope } from '../../src/contract/route.ts'
import { removeFoldersAtExit, temporaryFolder } from '../../tools/temporary-folder.ts'
import { startChildService } from '../support/child-service.ts'
import { OPERATOR_KEY } from '../support/service.ts'
import { type Answer, attacks, cypherAttack, heavyAttacks, hostileContents, type Target } from './corpus.ts'
import type { Waited, Watched } from './probe.ts'

const { values } = parseArgs({
  options: { factor: { type: 'string', default: '1' }, distinct: { type: 'string', default: '10000' } },
})
const factor = Number(values.factor)
const ALONE_MS = 250 * factor
const TOGETHER_MS = 1_000 * factor
const LISTED_MS = 500 * factor
const CONNECTIONS = 16
const TOGETHER_FOR_MS = 10_000
const TENANT = 'attacked'
const MEMORIES = 200
const MEMORIES_A_BATCH = 9
const SHORT_MEMORIES = 2_400
const SHORT_A_BATCH = 400
const NEIGHBOUR = 'a-neighbour'
const REST_MS = 15_000
const LARGEST_REFUSAL = 100_000

type SearchOf = (at: number) => [headers: Record<string, string>, body: object]
const distinct: Readonly<Record<string, SearchOf>> = {
  'tenants and queries': at => [
    { authorization: `Bearer ${OPERATOR_KEY}`, 'x-tenant-id': `many-${at}` },
    { query: `words ${at}`, search_type: 'keyword' },
  ],
  'made-up keys': at => [
    { authorization: `Bearer mnk_${String(at).padStart(32, '0')}_${'x'.repeat(43)}` },
    { query: 'words', search_type: 'keyword' },
  ],
}

removeFoldersAtExit()
await using service = await startChildService({
  SERVICE_NEO4J: 'managed',
  SERVICE_DATA_DIR: temporaryFolder(),
  SERVICE_EMBEDDING_PROVIDER: 'hash',
  SERVICE_WARM_UP: 'off',
  SERVICE_LOG_LEVEL: 'error',
})
let isOver = false
void service.ended.then(code => {
  if (!isOver) throw new Error(`The service ended with ${code}:\n${service.said()}`)
})
const watched: readonly Watched[] = [
  { url: `${service.url}/health` },
  {
    url: `${service.url}/api/v1/memories`,
    headers: { authorization: `Bearer ${OPERATOR_KEY}`, 'x-tenant-id': NEIGHBOUR },
  },
]
const probe = new Worker(join(import.meta.dirname, 'probe.ts'), { workerData: watched })
// A database that has just started answers slowly.
await waits()
const target = await targetOf(service.url)
const broken: string[] = []

await storeHostileContents()
// Neither libraries that are read when they are first asked for are measured, nor the memory that one such load takes.
for (const { name, send } of attacks)
  await send(target).catch(cause => {
    throw new Error(`${name}: ${cause}; the service said:\n${service.said()}`, { cause })
  })
await together()
for (const searchOf of Object.values(distinct)) await many(searchOf)
await sleep(REST_MS)
const before = usageOf(service)
say('| input | `/health` waited | a neighbour waited | took | statuses |\n|---|---|---|---|---|')
for (const { name, send } of attacks) await attackAlone(name, send)
for (const { name, send } of [cypherAttack, ...heavyAttacks])
  holdForNeighbour(name, await attackAlone(name, send))
await attackTogether()
for (const [what, searchOf] of Object.entries(distinct)) await attackWithMany(what, searchOf)
await probe.terminate()
await sleep(REST_MS)
const after = usageOf(service)
say(
  `\nMemory ${before.mebibytes} MiB before, ${after.mebibytes} MiB after; connections ${before.connections} before, ${after.connections} after.`,
)
hold(after.mebibytes <= before.mebibytes * 1.2, 'memory has grown by more than a fifth')
hold(after.connections <= before.connections + CONNECTIONS, 'connections are left')
hold(!/"level":(50|60)/.test(service.said()), 'a fault was logged')
isOver = true
for (const line of broken) say(`BROKEN: ${line}`)
process.exitCode = broken.length > 0 ? 1 : 0

function say(line: string) {
  process.stdout.write(`${line}\n`)
}

async function attackAlone(name: string, send: (target: Target) => Promise<Answer[]>) {
  await waits()
  const began = performance.now()
  const answers = await send(target)
  const took = performance.now() - began
  const { health, neighbour } = await waits()
  say(row(name, { health, neighbour }, took, statusesOf(answers)))
  hold(health.longest <= ALONE_MS, `${name}: /health waited ${health.longest.toFixed(0)} ms`)
  check(name, answers)
  return neighbour
}

function holdForNeighbour(name: string, { longest, faults }: Waited) {
  hold(longest <= LISTED_MS, `${name}: a neighbour waited ${longest.toFixed(0)} ms`)
  hold(faults === 0, `${name}: a neighbour got ${faults} faults`)
}

async function attackTogether() {
  await waits()
  const { sent, failed } = await together()
  const waited = await waits()
  const name = `${sent} inputs over ${CONNECTIONS} connections, of which ${failed} without an answer`
  say(row(name, waited, TOGETHER_FOR_MS, ''))
  holdTogether('together', waited)
}

function holdTogether(what: string, { health: { longest } }: Waits) {
  hold(longest <= TOGETHER_MS, `${what}: /health waited ${longest.toFixed(0)} ms`)
}

/** All inputs over and over, over many connections. */
async function together() {
  const until = performance.now() + TOGETHER_FOR_MS
  let sent = 0
  let failed = 0
  const attacker = async () => {
    while (performance.now() < until) {
      const { name, send } = attacks[sent++ % attacks.length] as (typeof attacks)[number]
      const answers = await send(target).catch(() => undefined)
      if (answers) check(name, answers)
      else failed++
    }
  }
  await Promise.all(Array.from({ length: CONNECTIONS }, attacker))
  return { sent, failed }
}

async function attackWithMany(what: string, searchOf: SearchOf) {
  await waits()
  const began = performance.now()
  const { statuses, sent } = await many(searchOf)
  const waited = await waits()
  say(row(`${sent} ${what}`, waited, performance.now() - began, [...statuses].join(' ')))
  holdTogether(what, waited)
  hold(
    [...statuses].every(status => status < 500),
    `${what}: ${[...statuses].join(' ')}`,
  )
}

/** Searches once with each of many credentials. */
async function many(searchOf: SearchOf) {
  const statuses = new Set<number>()
  let sent = 0
  const attacker = async () => {
    while (sent < Number(values.distinct)) {
      const [headers, body] = searchOf(sent++)
      const response = await fetch(`${service.url}/api/v1/memories/search`, {
        method: 'POST',
        body: JSON.stringify(body),
        headers: { 'content-type': 'application/json', ...headers },
      })
      await response.arrayBuffer()
      statuses.add(response.status)
    }
  }
  await Promise.all(Array.from({ length: CONNECTIONS }, attacker))
  return { statuses, sent }
}

async function storeHostileContents() {
  const short = Array.from(
    { length: SHORT_MEMORIES },
    (_, at) => `a short text ${at} of ${'some words '.repeat(20)}`,
  )
  await store(TENANT, hostileContents(MEMORIES), MEMORIES_A_BATCH)
  await store(TENANT, short, SHORT_A_BATCH)
  await store(NEIGHBOUR, short.slice(0, 20), SHORT_A_BATCH)
}

async function store(tenant: string, contents: readonly string[], atOnce: number) {
  for (let at = 0; at < contents.length; at += atOnce)
    await prepared(() =>
      operator(tenant).createMemories({
        memories: contents
          .slice(at, at + atOnce)
          .map(content => ({ content, policy: 'long_term', ttl_seconds: 0 })),
      }),
    )
}

/** Asks again while the database is slow at its first statements. */
async function prepared<T>(ask: () => Promise<T>): Promise<T> {
  for (;;)
    try {
      return await ask()
    } catch (error) {
      if (!(error instanceof ProblemError && error.status === 503)) throw error
      await sleep(1_000)
    }
}

function check(name: string, answers: readonly Answer[]) {
  for (const { status, bytes } of answers) {
    hold(status < 500, `${name}: ${status}`)
    hold(status < 400 || bytes <= LARGEST_REFUSAL, `${name}: a refusal of ${bytes} bytes`)
  }
}

function hold(holds: boolean, otherwise: string) {
  if (!holds && !broken.includes(otherwise)) broken.push(otherwise)
}

function statusesOf(answers: readonly Answer[]): string {
  return [...new Set(answers.map(({ status }) => status))].join(' ')
}

type Waits = { health: Waited; neighbour: Waited }

function row(name: string, { health, neighbour }: Waits, took: number, statuses: string): string {
  const cells = [health.longest, neighbour.longest, took].map(milliseconds => `${milliseconds.toFixed(0)} ms`)
  return `| ${[name.replaceAll('|', ''), ...cells, statuses].join(' | ')} |`
}

/** Since they were last asked for. */
async function waits(): Promise<Waits> {
  probe.postMessage('report')
  const [[health, neighbour]] = await once(probe, 'message')
  return { health, neighbour }
}

/** Resident memory of the service, and the connections that are open to it, from `/proc`. */
function usageOf({ pid, url }: { pid: number; url: string }) {
  const [, kibibytes] = /VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, 'utf8')) ?? []
  const open = new RegExp(`^\\s*\\d+: \\S+:${hexadecimal(new URL(url).port)} \\S+ 01 `, 'gm')
  const tables = ['/proc/net/tcp', '/proc/net/tcp6'].filter(path => existsSync(path))
  const connections = tables.flatMap(path => readFileSync(path, 'utf8').match(open) ?? []).length
  return { mebibytes: Math.round(Number(kibibytes) / 1024), connections }
}

function hexadecimal(port: string): string {
  return Number(port).toString(16).toUpperCase().padStart(4, '0')
}

function operator(tenant = TENANT) {
  return createClient({ baseUrl: `${service.url}/api/v1`, apiKey: OPERATOR_KEY, tenant })
}

async function targetOf(url: string): Promise<Target> {
  const keyOf = async (scope: Scope) =>
    (await prepared(() => operator().createKey({ tenant: TENANT, scopes: [scope], name: scope }))).key
  const keys = {
    read: await keyOf('read'),
    write: await keyOf('write'),
    delete: await keyOf('delete'),
    admin: await keyOf('admin'),
    cypher: await keyOf('cypher'),
  }
  return { url, tenant: TENANT, keys }
}
