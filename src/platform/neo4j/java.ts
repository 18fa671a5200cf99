import { execFile } from 'node:child_process'
import { existsSync, readdirSync } from 'node:fs'
import { homedir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import type { Machine } from '../config.ts'
import { ManagedNeo4jError } from './errors.ts'

const run = promisify(execFile)
const minimum = 21
const program = process.platform === 'win32' ? 'java.exe' : 'java'

export type Java = { path: string; version: number }

/**
 * The first of these programs that is Java 21 or newer.
 * @throws ManagedNeo4jError naming the versions seen.
 */
export async function findJava(candidates: readonly string[], signal?: AbortSignal): Promise<Java> {
  const seen: string[] = []
  for (const path of candidates) {
    const version = await askVersion(path, signal)
    if (version === undefined) continue
    if (version >= minimum) return { path, version }
    seen.push(`${version} at ${path}`)
  }
  throw new ManagedNeo4jError(
    `Neo4j needs Java ${minimum} or newer; found ${seen.length > 0 ? `only Java ${seen.join(', ')}` : 'no Java'} (looked in JAVA_HOME, PATH and the standard folders).`,
  )
}

/** Where a Java may be, in the order in which it is looked for: JAVA_HOME, PATH, the standard folders. */
export function javaCandidates(machine: Machine): string[] {
  const folders = [
    ...(machine.javaHome ? [join(machine.javaHome, 'bin')] : []),
    ...machine.path,
    ...standardHomes().map(home => join(home, 'bin')),
  ]
  return [...new Set(folders.map(folder => join(folder, program)))].filter(path => existsSync(path))
}

const standardHomes = () =>
  (standardFolders[process.platform] ?? standardFolders.linux ?? []).flatMap(homesBelow)

/** Folders that hold JDKs side by side, and where inside each its `bin` stands. */
const standardFolders: Partial<Record<NodeJS.Platform, [parent: string, inside: string][]>> = {
  linux: [
    ['/usr/lib/jvm', ''],
    ['/usr/java', ''],
    ['/opt', ''],
    ['/opt/java', ''],
    [join(homedir(), '.sdkman/candidates/java'), ''],
    [join(homedir(), '.jdks'), ''],
  ],
  darwin: [
    ['/Library/Java/JavaVirtualMachines', 'Contents/Home'],
    [join(homedir(), 'Library/Java/JavaVirtualMachines'), 'Contents/Home'],
    ['/opt/homebrew/opt', ''],
    ['/usr/local/opt', ''],
    [join(homedir(), '.sdkman/candidates/java'), ''],
  ],
  win32: ['Java', 'Eclipse Adoptium', 'Microsoft', 'Zulu', 'Amazon Corretto'].map(vendor => [
    join('C:\\Program Files', vendor),
    '',
  ]),
}

function homesBelow([parent, inside]: [string, string]): string[] {
  if (!existsSync(parent)) return []
  return readdirSync(parent).map(name => join(parent, name, inside))
}

async function askVersion(path: string, signal?: AbortSignal): Promise<number | undefined> {
  try {
    const { stderr } = await run(path, ['-version'], { timeout: 10_000, ...(signal && { signal }) })
    const [, first, second] = /version "(\d+)(?:\.(\d+))?/.exec(stderr) ?? []
    return first === undefined ? undefined : Number(first === '1' ? second : first)
  } catch {
    signal?.throwIfAborted()
    return undefined
  }
}
