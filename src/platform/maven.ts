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
  const words = ['-B', ...settings.map(([name, value]) => `-D${name}=${value}`), goal]
  const { command, args } = commandOf(maven, words, process.platform)
  const child = spawn(command, args, {
    cwd,
    env: { ...javaHomeWhereNeeded(machine, java), ...machine.environment, MAVEN_OPTS: optionsOf(machine) },
    stdio: ['ignore', 'pipe', 'inherit'],
    windowsVerbatimArguments: process.platform === 'win32',
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

/** It ends after seconds, so compiling less takes less time of the processor. */
const optionsOf = ({ environment }: Machine) =>
  `-XX:TieredStopAtLevel=1 -XX:+UseSerialGC ${environment.MAVEN_OPTS ?? ''}`.trim()

/**
 * How a program is started without a shell. Windows runs a `.cmd` only by its command processor, which takes one text: each
 * word is quoted in it, and the whole once more, so that folders may have blanks.
 */
export function commandOf(program: string, words: readonly string[], platform: string) {
  if (platform !== 'win32') return { command: program, args: [...words] }
  const line = [program, ...words].map(word => `"${word.replaceAll('"', '""')}"`).join(' ')
  return { command: 'cmd.exe', args: ['/d', '/s', '/c', `"${line}"`] }
}

/** Maven runs on the user's own Java (with that one's certificates) and on ours only where there is no other. */
const javaHomeWhereNeeded = (machine: Machine, java: string | undefined) =>
  java === undefined || machine.path.some(folder => existsSync(join(folder, 'java')))
    ? {}
    : { JAVA_HOME: dirname(dirname(java)) }
