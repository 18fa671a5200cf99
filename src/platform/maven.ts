import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { createInterface } from 'node:readline'
import type { Machine } from './config.ts'

/** The plugin with which Maven fetches. */
export const dependencyPlugin = 'org.apache.maven.plugins:maven-dependency-plugin:3.8.1'

/** The `mvn` on the PATH. */
export function findMaven(machine: Machine): string | undefined {
  const name = process.platform === 'win32' ? 'mvn.cmd' : 'mvn'
  return machine.path.map(folder => join(folder, name)).find(path => existsSync(path))
}

type Run = {
  readonly cwd: string
  readonly goal: string
  readonly options: Readonly<Record<string, string>>
  /** For Maven where the machine has no other one. */
  readonly java?: string
  readonly onLine?: (line: string) => void
  readonly signal?: AbortSignal | undefined
}

/** Runs a goal. Returns undefined, or the first lines of what Maven complained of when it failed. */
export async function runMaven(
  maven: string,
  machine: Machine,
  { cwd, goal, options, java, onLine, signal }: Run,
): Promise<string | undefined> {
  const settings = Object.entries({ 'style.color': 'never', ...options })
  const child = spawn(maven, ['-B', ...settings.map(([name, value]) => `-D${name}=${value}`), goal], {
    cwd,
    env: { ...javaHomeWhereNeeded(machine, java), ...machine.environment },
    stdio: ['ignore', 'pipe', 'inherit'],
    shell: process.platform === 'win32',
    ...(signal && { signal }),
  })
  const complaints: string[] = []
  createInterface({ input: child.stdout }).on('line', line => {
    onLine?.(line)
    if (line.includes('ERROR')) complaints.push(line)
  })
  const [code] = (await once(child, 'close')) as [number | null]
  return code === 0 ? undefined : complaints.slice(0, 5).join('\n') || `exit code ${code}`
}

/** Maven runs on the user's own Java (with that one's certificates) and on ours only where there is no other. */
const javaHomeWhereNeeded = (machine: Machine, java: string | undefined) =>
  java === undefined || machine.path.some(folder => existsSync(join(folder, 'java')))
    ? {}
    : { JAVA_HOME: dirname(dirname(java)) }
