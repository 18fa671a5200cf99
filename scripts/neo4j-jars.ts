/** Lists the jars of Neo4j with their SHA-256, for a new version of Neo4j: `node scripts/neo4j-jars.ts`. */
import { createHash } from 'node:crypto'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { basename, dirname, join, sep } from 'node:path'
import { readMachine } from '../src/platform/config.ts'
import { readJars, resolveJars } from '../src/platform/neo4j/maven.ts'

const digestOf = (path: string) => createHash('sha256').update(readFileSync(path)).digest('hex')

const cwd = mkdtempSync(join(tmpdir(), 'neo4j-jars-'))
try {
  const complaints = await resolveJars(readMachine(), { cwd })
  if (complaints) throw new Error(complaints)
  const paths = readJars(cwd)
  const list = Object.fromEntries(
    paths.map(path => [coordinatesOf(path, repositoryOf(paths)), digestOf(path)]),
  )
  writeFileSync(
    new URL('../src/platform/neo4j/jars.json', import.meta.url),
    `${JSON.stringify(list, null, 2)}\n`,
  )
} finally {
  rmSync(cwd, { recursive: true })
}

/** The part of the path that all jars share. */
function repositoryOf(paths: readonly string[]) {
  let folder = dirname(paths[0] ?? '')
  while (!paths.every(path => path.startsWith(folder + sep))) folder = dirname(folder)
  return folder
}

/** `group:name:version`, and `:classifier` where there is one. A path is `group/name/version/name-version-classifier.jar`. */
function coordinatesOf(path: string, repository: string) {
  const [version = '', name = '', ...group] = dirname(path)
    .slice(repository.length + 1)
    .split(sep)
    .reverse()
  const classifier = basename(path, '.jar').slice(`${name}-${version}-`.length)
  return [group.reverse().join('.'), name, version, ...(classifier ? [classifier] : [])].join(':')
}
