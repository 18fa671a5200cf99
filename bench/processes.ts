import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { closeSync, openSync, readdirSync, readFileSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { readMachine } from '../src/platform/config.ts'

/** A process of the bench that answers at an address; at none, if it only works on the queue. Disposing ends it. */
export type Running = { readonly url: string; readonly pid: number } & AsyncDisposable

const { PATH, HOME } = readMachine().environment
const root = join(import.meta.dirname, '..')

export const startEndpoint = () =>
  start([join(import.meta.dirname, 'endpoint.ts')], {}, /^(http\S+)$/, undefined)

/** The best plain queries behind HTTP. */
export const startPlainServer = (settings: Readonly<Record<string, unknown>>) =>
  start(
    [join(import.meta.dirname, 'plain-server.ts'), JSON.stringify(settings)],
    {},
    /^(http\S+)$/,
    undefined,
  )

/** As `npm start` does. */
const LITTLE_MEMORY = ['--max-semi-space-size=8', '--v8-pool-size=1']

/** The service as it is run in production, its log in a file. */
export const startService = (settings: Record<string, string>, log: string, flags: readonly string[] = []) =>
  start(
    [...LITTLE_MEMORY, ...flags, join(root, 'scripts', 'start.mjs')],
    settings,
    /^\s*(?:API\s+(http\S+)\/api\/v1|Working on the queue)/,
    log,
  )

const running = new Set<ChildProcess>()
// A run that is broken off leaves no process behind.
process.once('exit', () => {
  for (const child of running) child.kill('SIGKILL')
})

async function start(
  args: readonly string[],
  settings: Record<string, string>,
  address: RegExp,
  log: string | undefined,
): Promise<Running> {
  const stderr = log === undefined ? 'inherit' : openSync(log, 'a')
  const child = spawn(process.execPath, args, {
    stdio: ['pipe', 'pipe', stderr],
    env: { PATH, HOME, ...settings },
  })
  running.add(child)
  child.once('exit', () => running.delete(child))
  if (typeof stderr === 'number') closeSync(stderr)
  const url = await Promise.race([addressOf(child, address), once(child, 'exit')])
  if (typeof url !== 'string') throw new Error(`A process ended:\n${log ? readFileSync(log, 'utf8') : ''}`)
  return {
    url,
    pid: child.pid as number,
    async [Symbol.asyncDispose]() {
      if (child.exitCode !== null || child.signalCode !== null) return
      const ended = once(child, 'exit')
      child.kill('SIGTERM')
      await ended
    },
  }
}

function addressOf(child: ChildProcess, address: RegExp): Promise<string> {
  const { promise, resolve } = Promise.withResolvers<string>()
  createInterface({ input: child.stdout! }).on('line', line => {
    const found = address.exec(line)
    if (found) resolve(found[1] ?? '')
  })
  return promise
}

/** The process of the managed Neo4j that lives in a folder. */
export const neo4jOf = (folder: string): number =>
  JSON.parse(readFileSync(join(folder, 'neo4j', 'process.json'), 'utf8')).pid

/** What is stored in a folder, in MiB. */
export function diskOf(folder: string): number {
  const files = readdirSync(folder, { recursive: true, withFileTypes: true }).filter(each => each.isFile())
  const bytes = files.reduce((sum, { parentPath, name }) => sum + statSync(join(parentPath, name)).size, 0)
  return Math.round(bytes / 2 ** 20)
}

/** Resident memory of a process now and at its highest, in MiB. Linux only. */
export function memoryOf(pid: number): { now: number; highest: number } {
  const status = readFileSync(`/proc/${pid}/status`, 'utf8')
  const field = (name: string) =>
    Math.round(Number(new RegExp(`${name}:\\s+(\\d+)`).exec(status)?.[1]) / 1024)
  return { now: field('VmRSS'), highest: field('VmHWM') }
}
