import { execFileSync } from 'node:child_process'
import { existsSync, readFileSync } from 'node:fs'
import { setTimeout as pause } from 'node:timers/promises'

/** One process, distinguished by its start time from a later one with the same number. */
export type ProcessIdentity = { pid: number; started: string }

/** Identity of the process that has this number now, or nothing when there is none (a zombie counts as none). */
export function identifyProcess(pid: number): ProcessIdentity | undefined {
  const started = existsSync('/proc/self/stat') ? startedByProc(pid) : startedByPs(pid)
  return started ? { pid, started } : undefined
}

export const isRunning = (process: ProcessIdentity) =>
  identifyProcess(process.pid)?.started === process.started

/** Asks a process to end, and ends it by force after `graceMs`. Resolves when it is gone. */
export async function endProcess(target: ProcessIdentity, graceMs: number): Promise<void> {
  signal(target, 'SIGTERM')
  if (await isGoneWithin(target, graceMs)) return
  signal(target, 'SIGKILL')
  if (!(await isGoneWithin(target, 10_000))) throw new Error(`process ${target.pid} does not end`)
}

export async function isGoneWithin(target: ProcessIdentity, milliseconds: number): Promise<boolean> {
  const deadline = performance.now() + milliseconds
  while (isRunning(target)) {
    if (performance.now() > deadline) return false
    await pause(50)
  }
  return true
}

function signal(target: ProcessIdentity, name: NodeJS.Signals) {
  try {
    if (isRunning(target)) process.kill(target.pid, name)
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ESRCH') throw error
  }
}

function startedByProc(pid: number): string | undefined {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'utf8')
    const [state, ...fields] = stat.slice(stat.lastIndexOf(')') + 2).split(' ')
    const boot = readFileSync('/proc/sys/kernel/random/boot_id', 'utf8').trim()
    return state === 'Z' ? undefined : `${boot}:${fields[18]}`
  } catch {
    return undefined
  }
}

function startedByPs(pid: number): string | undefined {
  const [command, ...args] =
    process.platform === 'win32'
      ? ['powershell', '-NoProfile', '-Command', `(Get-Process -Id ${pid}).StartTime.Ticks`]
      : ['ps', '-o', 'lstart=', '-p', String(pid)]
  try {
    return execFileSync(command as string, args, { encoding: 'utf8', stdio: 'pipe' }).trim() || undefined
  } catch {
    return undefined
  }
}
