import { createHash } from 'node:crypto'
import { existsSync, mkdirSync, mkdtempSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { basename, delimiter, dirname, join } from 'node:path'
import type { Machine } from '../config.ts'
import { descriptionOf, findMaven, runMaven } from '../maven.ts'
import { ManagedNeo4jError } from './errors.ts'
import jars from './jars.json' with { type: 'json' }
import type { Java } from './java.ts'
import { fetchProgress } from './progress.ts'

export const neo4jVersion = '2026.08.1'

/**
 * Class path of Neo4j Community, fetched by the ordinary Maven client where it is not yet there. All data folders of
 * this user share the jars. Their list is kept, and it is made again when one of them is gone.
 * @throws ManagedNeo4jError also if a jar does not have the expected SHA-256
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
    using progress = fetchProgress(`Neo4j Community ${neo4jVersion} by Maven`, report)
    const run = { cwd: folder, java: java.path, onLine: progress.line, signal }
    if (await fetchListed(machine, run)) {
      report('Maven could not fetch the listed jars of Neo4j. It reads their descriptions instead.')
      const complaints = await resolveJars(machine, run)
      if (complaints)
        throw new ManagedNeo4jError(`Maven could not fetch Neo4j ${neo4jVersion}:\n${complaints}`)
    }
    progress.done()
    const jars = readJars(folder)
    verify(jars)
    const made = join(folder, 'list')
    writeFileSync(made, jars.join(delimiter))
    renameSync(made, list)
  } finally {
    rmSync(folder, { recursive: true })
  }
  return readFileSync(list, 'utf8')
}

type MavenRun = Parameters<typeof runMaven>[2]
type Run = Omit<MavenRun, 'dependencies' | 'transitive' | 'tasks' | 'options'>

/**
 * Fetches the jars of the list, many at a time, into a repository of our own. A description without dependencies lies
 * there for each of them: Maven would otherwise read about 370 descriptions first, one after another.
 */
function fetchListed(machine: Machine, run: Run) {
  const repository = join(machine.cacheDir, 'maven')
  for (const { group, name, version } of listed) {
    const file = join(repository, ...group.split('.'), name, version, `${name}-${version}.pom`)
    mkdirSync(dirname(file), { recursive: true })
    writeFileSync(file, descriptionOf({ group, name, version }))
  }
  const options = { 'maven.repo.local': repository, 'maven.artifact.threads': '16' }
  return listJars(machine, { ...run, dependencies: listed, options })
}

/** Lets Maven find the jars that Neo4j needs, in its own repository. Returns what it complained of. */
export const resolveJars = (machine: Machine, run: Run) =>
  listJars(machine, {
    ...run,
    dependencies: [{ group: 'org.neo4j', name: 'neo4j', version: neo4jVersion }],
    transitive: true,
  })

/** Writes the paths of the jars into the file `classpath`. */
async function listJars(machine: Machine, run: Omit<MavenRun, 'tasks'>) {
  const maven = findMaven(machine)
  if (!maven) throw new ManagedNeo4jError('Neo4j is fetched by Maven, and there is no `mvn` on the PATH.')
  const tasks = `<property name="jars" refid="maven.runtime.classpath"/><echo file="classpath" message="\${jars}"/>`
  return runMaven(maven, machine, { ...run, tasks })
}

/** The jars that Maven listed, without the project's own folder of classes. */
export const readJars = (cwd: string): string[] =>
  readFileSync(join(cwd, 'classpath'), 'utf8')
    .split(delimiter)
    .filter(path => path.endsWith('.jar'))

function verify(jars: readonly string[]) {
  const expected = new Map(listed.map(({ file, sha256 }) => [file, sha256]))
  for (const jar of jars) {
    if (createHash('sha256').update(readFileSync(jar)).digest('hex') === expected.get(basename(jar))) continue
    rmSync(jar)
    throw new ManagedNeo4jError(`${jar} does not have the expected SHA-256, and was removed. Start again.`)
  }
}

/** In the order of the class path. */
const listed = Object.entries(jars).map(([coordinates, sha256]) => {
  const [group = '', name = '', version = '', classifier] = coordinates.split(':')
  const file = `${[name, version, ...(classifier ? [classifier] : [])].join('-')}.jar`
  return { group, name, version, classifier, file, sha256 }
})
