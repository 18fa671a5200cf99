import { existsSync, mkdirSync, mkdtempSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { delimiter, join } from 'node:path'
import type { Machine } from '../config.ts'
import { dependencyPlugin, findMaven, runMaven } from '../maven.ts'
import { ManagedNeo4jError } from './errors.ts'
import type { Java } from './java.ts'
import { fetchProgress } from './progress.ts'

export const neo4jVersion = '2026.08.1'

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
    await listJars(folder, machine, java, report, signal)
    renameSync(join(folder, 'classpath'), list)
  } finally {
    rmSync(folder, { recursive: true })
  }
  return readFileSync(list, 'utf8')
}

async function listJars(
  cwd: string,
  machine: Machine,
  java: Java,
  report: (line: string) => void,
  signal?: AbortSignal,
) {
  const maven = findMaven(machine)
  if (!maven) throw new ManagedNeo4jError('Neo4j is fetched by Maven, and there is no `mvn` on the PATH.')
  using progress = fetchProgress(`Neo4j Community ${neo4jVersion} by Maven`, report)
  const complaints = await runMaven(maven, machine, {
    cwd,
    goal: `${dependencyPlugin}:build-classpath`,
    options: { includeScope: 'runtime', 'mdep.outputFile': 'classpath' },
    java: java.path,
    onLine: progress.line,
    signal,
  })
  if (complaints) throw new ManagedNeo4jError(`Maven could not fetch Neo4j ${neo4jVersion}:\n${complaints}`)
  progress.done()
}

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
