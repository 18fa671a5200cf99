import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { createInterface } from 'node:readline'
import type { Machine } from './config.ts'

export type Artifact = {
  readonly group: string
  readonly name: string
  readonly version: string
  readonly classifier?: string | undefined
}

/**
 * Maven fetches the dependencies of a project before it runs Ant there. This plugin brings four jars. The one that lists and
 * unpacks dependencies brings fifty, with 170 descriptions that Maven reads one after another.
 */
const antPlugin = { group: 'org.apache.maven.plugins', name: 'maven-antrun-plugin', version: '3.1.0' }

/** The `mvn` on the PATH. */
export function findMaven(machine: Machine): string | undefined {
  const name = process.platform === 'win32' ? 'mvn.cmd' : 'mvn'
  return machine.path.map(folder => join(folder, name)).find(path => existsSync(path))
}

type Run = {
  /** Empty: the project is made there. */
  readonly cwd: string
  readonly dependencies: readonly Artifact[]
  /** Whether Maven also fetches what these depend on. */
  readonly transitive?: boolean
  /** The tasks of Ant that use the artifacts, as XML. Their paths are relative to `cwd`. */
  readonly tasks: string
  readonly options?: Readonly<Record<string, string>>
  /** For Maven where the machine has no other one. */
  readonly java?: string
  readonly onLine?: (line: string) => void
  readonly signal?: AbortSignal | undefined
}

/** Fetches artifacts and runs tasks. Returns undefined, or the first lines of what Maven complained of when it failed. */
export async function runMaven(
  maven: string,
  machine: Machine,
  { cwd, dependencies, transitive = false, tasks, options, java, onLine, signal }: Run,
): Promise<string | undefined> {
  writeFileSync(join(cwd, 'pom.xml'), projectOf(dependencies, transitive, tasks))
  const settings = Object.entries({ 'style.color': 'never', ...options })
  const { group, name, version } = antPlugin
  const goal = [group, name, version, 'run'].join(':')
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

function projectOf(dependencies: readonly Artifact[], transitive: boolean, tasks: string) {
  const all = '<groupId>*</groupId><artifactId>*</artifactId>'
  const alone = transitive ? '' : `<exclusions><exclusion>${all}</exclusion></exclusions>`
  const wanted = dependencies.map(each => `<dependency>${coordinates(each)}${alone}</dependency>`).join('\n')
  const configuration = `<configuration><target>${tasks}</target></configuration>`
  return descriptionOf(
    { group: 'mnemograph', name: 'fetching', version: '1' },
    `<packaging>pom</packaging><dependencies>${wanted}</dependencies>
<build><plugins><plugin>${coordinates(antPlugin)}${configuration}</plugin></plugins></build>`,
  )
}

export const descriptionOf = (artifact: Artifact, more = '') =>
  `<project><modelVersion>4.0.0</modelVersion>${coordinates(artifact)}${more}</project>\n`

const coordinates = ({ group, name, version, classifier }: Artifact) =>
  `<groupId>${group}</groupId><artifactId>${name}</artifactId><version>${version}</version>${classifier ? `<classifier>${classifier}</classifier>` : ''}`

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
