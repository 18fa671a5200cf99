import { readdirSync, readFileSync } from 'node:fs'
import { constants, setPriority } from 'node:os'
import { setTimeout as pause } from 'node:timers/promises'

const COMPILER = 'C2 '
const TRIES = 50
const PAUSE_MS = 200

/**
 * Lets statements of callers go before the optimising compiler of a Java process, which takes a whole processor in the
 * first minutes, when people make their first calls. Threads that it starts later inherit that. Only Linux has
 * priorities of threads; elsewhere nothing happens.
 */
export async function lowerCompiler(pid: number): Promise<void> {
  if (process.platform !== 'linux') return
  for (let tries = 0; tries < TRIES; tries++) {
    const threads = compilersOf(pid)
    for (const thread of threads) setPriority(thread, constants.priority.PRIORITY_BELOW_NORMAL)
    if (threads.length > 0) return
    await pause(PAUSE_MS)
  }
}

function compilersOf(pid: number): number[] {
  const tasks = `/proc/${pid}/task`
  return readdirSync(tasks)
    .filter(task => readFileSync(`${tasks}/${task}/comm`, 'utf8').startsWith(COMPILER))
    .map(Number)
}
