import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, mkdirSync, mkdtempSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { delimiter, dirname, join } from 'node:path'
import { createInterface } from 'node:readline'
import type { Machine } from '../config.ts'
import { ManagedNeo4jError } from './errors.ts'
import type { Java } from './java.ts'
import { fetchProgress } from './progress.ts'

export const neo4jVersion = '2026.08.1'

/** The plugin with which Maven fetches. */
export const dependencyPlugin = 'org.apache.maven.plugins:maven-dependency-plugin:3.8.1'

/**
 * Class path of Neo4j Community, fetched by the ordinary Maven client where it is not yet there.
 * The jars stay in Maven's own local repository, which is shared by all data folders and projects of this user and
 * is where a developer looks for them; copying them would cost 152 MB for each. Only their list is kept, and it is
 * made again when one of them is gone.
 */
export async function neo4jClasspath(
  machine: Machine,
  java: Java,
  report: (line: string) => void,
  signal?: AbortSignal,
): Promise<string> {
  const list = join(machine.cacheDir, `neo4j-${neo4jVersion}.classpath`)
  const known = existsSync(list) ? readFileSync(list, 'utf8') : ''
  if (known.split(delimiter).every(jar => existsSync(jar))) return known
  mkdirSync(machine.cacheDir, { recursive: true })
  const folder = mkdtempSync(join(machine.cacheDir, 'fetch-'))
  try {
    writeFileSync(join(folder, 'pom.xml'), pom)
    await runMaven(folder, machine, java, report, signal)
    renameSync(join(folder, 'classpath'), list)
  } finally {
    rmSync(folder, { recursive: true })
  }
  return readFileSync(list, 'utf8')
}

async function runMaven(
  folder: string,
  machine: Machine,
  java: Java,
  report: (line: string) => void,
  signal?: AbortSignal,
) {
  using progress = fetchProgress(`Neo4j Community ${neo4jVersion} by Maven`, report)
  const child = spawn(
    mavenProgram(machine),
    [
      '-B',
      '-Dstyle.color=never',
      `${dependencyPlugin}:build-classpath`,
      '-DincludeScope=runtime',
      '-Dmdep.outputFile=classpath',
    ],
    {
      cwd: folder,
      env: { ...javaHomeWhereNeeded(machine, java), ...machine.environment },
      stdio: ['ignore', 'pipe', 'inherit'],
      shell: process.platform === 'win32',
      ...(signal && { signal }),
    },
  )
  const complaints: string[] = []
  createInterface({ input: child.stdout }).on('line', line => {
    progress.line(line)
    if (line.includes('ERROR')) complaints.push(line)
  })
  const [code] = (await once(child, 'close')) as [number | null]
  if (code !== 0)
    throw new ManagedNeo4jError(
      `Maven could not fetch Neo4j ${neo4jVersion}:\n${complaints.slice(0, 5).join('\n')}`,
    )
  progress.done()
}

/** @throws ManagedNeo4jError when there is none on the PATH */
export function mavenProgram(machine: Machine): string {
  const name = process.platform === 'win32' ? 'mvn.cmd' : 'mvn'
  const found = machine.path.map(folder => join(folder, name)).find(path => existsSync(path))
  if (!found) throw new ManagedNeo4jError('Neo4j is fetched by Maven, and there is no `mvn` on the PATH.')
  return found
}

/** Maven runs on the user's own Java (with that one's certificates) and on ours only where there is no other. */
const javaHomeWhereNeeded = (machine: Machine, java: Java) =>
  machine.path.some(folder => existsSync(join(folder, 'java')))
    ? {}
    : { JAVA_HOME: dirname(dirname(java.path)) }

const pom = `<project xmlns="http://maven.apache.org/POM/4.0.0">
  <modelVersion>4.0.0</modelVersion>
  <groupId>mnemograph</groupId>
  <artifactId>managed-neo4j</artifactId>
  <version>1</version>
  <packaging>pom</packaging>
  <dependencies>
    <dependency>
      <groupId>org.neo4j</groupId>
      <artifactId>neo4j</artifactId>
      <version>${neo4jVersion}</version>
      <scope>runtime</scope>
    </dependency>
  </dependencies>
</project>
`
