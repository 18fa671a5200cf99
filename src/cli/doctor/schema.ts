import { listSpaces, vectorIndex } from '../../store/embeddings/spaces.ts'
import { type IndexFound, listIndexes } from '../../store/neo4j/inspection.ts'
import {
  definitionsOf,
  type MigrationState,
  migrationStates,
  readMigrations,
} from '../../store/neo4j/schema.ts'
import type { ExaminedDatabase } from './database.ts'
import type { Report } from './finding.ts'

export async function examineMigrations({ caller }: ExaminedDatabase, { failure }: Report) {
  const states = await migrationStates(caller(), await readMigrations())
  const named = (wanted: MigrationState['state']) =>
    states.filter(({ state }) => state === wanted).map(({ name }) => name)
  const foreign = [...named('unknown'), ...named('changed')]
  const pending = named('pending')
  if (foreign.length > 0)
    failure(
      `The database is of another version of the service: ${foreign.join(', ')}`,
      'Use the version of the service that migrated it, or restore a backup from before.',
    )
  else if (pending.length > 0)
    failure(
      `${pending.length} of ${states.length} are not applied: ${pending.join(', ')}`,
      'mnemograph migrate applies them; a start does too.',
    )
  return `all ${states.length} are applied`
}

export async function examineIndexes({ caller }: ExaminedDatabase, report: Report) {
  const migrations = await readMigrations()
  const states = await migrationStates(caller(), migrations)
  const applied = new Set(states.filter(({ state }) => state === 'applied').map(({ name }) => name))
  const definitions = definitionsOf(migrations.filter(({ name }) => applied.has(name)))
  const spaces = (await listSpaces(caller())).map(({ space }) => space)
  const wanted = [
    ...Array.from(definitions, ([name, statement]) => wantedBy(name, statement)),
    ...spaces.map(space => ({ ...wantedBy(space.index, vectorIndex(space)), dimensions: space.dimensions })),
  ]
  if (wanted.length === 0) report.skipped('there are none before the migrations')
  const found = new Map((await listIndexes(caller())).map(index => [index.name, index]))
  for (const each of wanted) checkIndex(each, found.get(each.name), report)
  return `all ${wanted.length} are there, online and of their kind`
}

type Wanted = Pick<IndexFound, 'name' | 'type' | 'unique' | 'properties'> & {
  statement: string
  dimensions?: number
}

function wantedBy(name: string, statement: string): Wanted {
  const text = statement.replaceAll(/\s+/g, ' ')
  const [definition = ''] = text.split(' OPTIONS ')
  const kind = /^CREATE (\w+)/.exec(definition)?.[1]
  return {
    name,
    type: kind === 'FULLTEXT' || kind === 'VECTOR' ? kind : 'RANGE',
    unique: kind === 'CONSTRAINT',
    properties: Array.from(definition.matchAll(/\b\w\.(\w+)/g), ([, property]) => property as string),
    statement: text,
  }
}

function checkIndex(wanted: Wanted, found: IndexFound | undefined, { warning, failure }: Report) {
  const { name, statement, unique } = wanted
  const drop = unique
    ? `DROP CONSTRAINT ${name} IF EXISTS; DROP INDEX ${name} IF EXISTS`
    : `DROP INDEX ${name}`
  const recreate = `Run in Neo4j (cypher-shell, Browser), one after the other: ${drop}; ${statement}`
  if (!found) failure(`${name} is missing`, `Run in Neo4j (cypher-shell, Browser): ${statement}`)
  else if (!isOfItsKind(wanted, found))
    failure(`${name} is of another kind: ${found.type} on ${found.properties.join(', ')}`, recreate)
  else if (found.state === 'POPULATING')
    warning(
      `${name} is being filled (${Math.floor(found.percent)} %)`,
      'Wait: searches need it, and a start waits for those that are searched.',
    )
  else if (found.state !== 'ONLINE') failure(`${name} is ${found.state}`, recreate)
}

const isOfItsKind = (wanted: Wanted, found: IndexFound) =>
  found.type === wanted.type &&
  found.unique === wanted.unique &&
  found.properties.join() === wanted.properties.join() &&
  (wanted.dimensions === undefined || found.dimensions === wanted.dimensions)
