import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { closeSync, openSync } from 'node:fs'
import { extname, join } from 'node:path'
import type { Writable } from 'node:stream'
import { setTimeout as pause } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { endProcess, identifyProcess, isRunning, type ProcessIdentity } from './processes.ts'
import { readState, saveState } from './state.ts'
import type { Order } from './supervisor.ts'

/**
 * A Neo4j process under its supervisor. `exited` resolves when both are gone. After `keepUp` it is started again when
 * it ends on its own.
 */
export type Server = { exited: Promise<void>; keepUp(): void } & AsyncDisposable

/** Longer than the supervisor's own limit, so that it normally decides. */
const graceMs = 70_000

/** Starts Neo4j so that it ends with this process, whatever happens to it. Disposing waits until it is gone. */
export function startNeo4j(folder: string, command: string, args: string[]): Server {
  const log = openSync(join(folder, 'neo4j.log'), 'w', 0o600)
  const child = spawn(process.execPath, [supervisor], { detached: true, stdio: ['pipe', log, log] })
  closeSync(log)
  const pipe = child.stdin as Writable
  const exited = once(child, 'exit').then(() => {})
  if (child.pid) saveState(supervisorFile(folder), identifyProcess(child.pid) ?? {})
  const order: Order = { command, args, identityFile: neo4jFile(folder) }
  pipe.on('error', () => {})
  pipe.write(`${JSON.stringify(order)}\n`)
  child.unref()
  return {
    exited,
    keepUp: () => void pipe.write('up\n'),
    async [Symbol.asyncDispose]() {
      child.ref()
      pipe.end()
      await Promise.race([exited, pause(graceMs, undefined, { ref: false })])
      await endLeftover(folder, () => {})
    },
  }
}

/** Ends the processes that an earlier service left in this folder, and waits until they are gone. */
export async function endLeftover(folder: string, report: (line: string) => void): Promise<void> {
  for (const file of [supervisorFile(folder), neo4jFile(folder)]) {
    const process = runningOf(file)
    if (!process) continue
    report(`Waiting for the Neo4j of an earlier run to end (process ${process.pid})`)
    await endProcess(process, graceMs)
  }
}

/** Whether the Neo4j that was started last in this folder runs. */
export const isServing = (folder: string): boolean => runningOf(neo4jFile(folder)) !== undefined

/** The process that a file names, if it runs. */
function runningOf(file: string): ProcessIdentity | undefined {
  const { pid, started } = readState<ProcessIdentity>(file)
  if (pid === undefined || started === undefined || !isRunning({ pid, started })) return undefined
  return { pid, started }
}

const supervisorFile = (folder: string) => join(folder, 'supervisor.json')
const neo4jFile = (folder: string) => join(folder, 'process.json')
const supervisor = fileURLToPath(new URL(`./supervisor${extname(import.meta.url)}`, import.meta.url))
