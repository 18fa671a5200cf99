/**
 * Attacks a service of its own and measures how long others wait: `npm run attack`. Each input of the corpus is sent alone
 * while a thread asks for `/health`, then all of them for ten seconds over 16 connections. Exits with 1 when a bound is
 * broken: a wait, a 5xx, a large answer, a fault in the log, memory or sockets that do not come back. The bounds on waits
 * hold on two idle cores; `--factor 4` widens them on a busy machine.
 */
import { once } from 'node:events'
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { parseArgs } from 'node:util'
import { Worker } from 'node:worker_threads'
import { createClient } from '../../src/client.ts'
import type { Scope } from '../../src/contract/route.ts'
import { removeFoldersAtExit, temporaryFolder } from '../../tools/temporary-folder.ts'
import { startChildService } from '../support/child-service.ts'
import { OPERATOR_KEY } from '../support/service.ts'
import { type Answer, attacks, type Target } from './corpus.ts'

const { values } = parseArgs({ options: { factor: { type: 'string', default: '1' } } })
const factor = Number(values.factor)
const ALONE_MS = 250 * factor
const TOGETHER_MS = 1_000 * factor
const CONNECTIONS = 16
const TOGETHER_FOR_MS = 10_000
const REST_MS = 15_000
const LARGEST_REFUSAL = 100_000

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
const target = await targetOf(service.url)
const probe = new Worker(join(import.meta.dirname, 'health-probe.ts'), { workerData: service.url })
const broken: string[] = []

// Libraries that are read when they are first asked for are not what is measured.
for (const { name, send } of attacks)
  await send(target).catch(cause => {
    throw new Error(`${name}: ${cause}; the service said:\n${service.said()}`, { cause })
  })
const before = usageOf(service.pid)
for (const { name, send } of attacks) await attackAlone(name, send)
await attackTogether()
await probe.terminate()
await sleep(REST_MS)
const after = usageOf(service.pid)
say(
  `memory ${before.mebibytes} MiB before, ${after.mebibytes} MiB after; sockets ${before.sockets} before, ${after.sockets} after`,
)
hold(after.mebibytes <= before.mebibytes * 1.2, 'memory has grown by more than a fifth')
hold(after.sockets <= before.sockets, 'sockets are left')
hold(!/"fault/.test(service.said()), 'a fault was logged')
isOver = true
for (const line of broken) say(`BROKEN: ${line}`)
process.exitCode = broken.length > 0 ? 1 : 0

function say(line: string) {
  process.stdout.write(`${line}\n`)
}

async function attackAlone(name: string, send: (target: Target) => Promise<Answer[]>) {
  await longestWait()
  const began = performance.now()
  const answers = await send(target)
  const took = performance.now() - began
  const wait = await longestWait()
  say(
    `${wait.toFixed(0).padStart(6)} ms wait ${took.toFixed(0).padStart(7)} ms  ${statusesOf(answers)}  ${name}`,
  )
  hold(wait <= ALONE_MS, `${name}: /health waited ${wait.toFixed(0)} ms`)
  check(name, answers)
}

async function attackTogether() {
  await longestWait()
  const until = performance.now() + TOGETHER_FOR_MS
  let sent = 0
  const attacker = async () => {
    while (performance.now() < until) {
      const { name, send } = attacks[sent++ % attacks.length] as (typeof attacks)[number]
      check(name, await send(target).catch(() => []))
    }
  }
  await Promise.all(Array.from({ length: CONNECTIONS }, attacker))
  const wait = await longestWait()
  say(`${wait.toFixed(0).padStart(6)} ms wait, ${sent} inputs over ${CONNECTIONS} connections`)
  hold(wait <= TOGETHER_MS, `together: /health waited ${wait.toFixed(0)} ms`)
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
  return [...new Set(answers.map(({ status }) => status))].join(' ').padEnd(7)
}

/** Since it was last asked for. */
async function longestWait(): Promise<number> {
  probe.postMessage('longest')
  const [longest] = await once(probe, 'message')
  return longest as number
}

/** Resident memory and open sockets of a process, from `/proc`. */
function usageOf(pid: number) {
  const [, kibibytes] = /VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, 'utf8')) ?? []
  return { mebibytes: Math.round(Number(kibibytes) / 1024), sockets: readdirSync(`/proc/${pid}/fd`).length }
}

async function targetOf(url: string): Promise<Target> {
  const tenant = 'attacked'
  const client = createClient({ baseUrl: `${url}/api/v1`, apiKey: OPERATOR_KEY, tenant })
  const keyOf = async (scope: Scope) => (await client.createKey({ tenant, scopes: [scope], name: scope })).key
  const keys = { read: await keyOf('read'), write: await keyOf('write'), admin: await keyOf('admin') }
  return { url, tenant, keys }
}
