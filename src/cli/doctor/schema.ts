import { listSpaces, vectorIndex } from '../../store/embeddings/spaces.ts'
import { type IndexFound, listIndexes } from '../../store/neo4j/inspection.ts'
import {
  definitionsOf,
  type MigrationState,
  migrationStates,
  readMigrations,
} from '../../store/neo4j/schema.ts'
import type { ExaminedDatabase } from './database.ts'
import { type Finding, findingsOf } from './finding.ts'

const migrationFindings = findingsOf('migrations')
const { ok, warning, failure, skipped } = findingsOf('indexes')

export async function examineSchema({ caller }: ExaminedDatabase): Promise<Finding[]> {
  const migrations = await readMigrations()
  const states = await migrationStates(caller(), migrations)
  const applied = migrations.filter(({ name }) =>
    states.some(each => each.name === name && each.state === 'applied'),
  )
  const spaces = await listSpaces(caller())
  const wanted = [
    ...Array.from(definitionsOf(applied), ([name, statement]) => wantedBy(name, statement)),
    ...spaces.map(({ space }) => ({
      ...wantedBy(space.index, vectorIndex(space)),
      dimensions: space.dimensions,
    })),
  ]
  return [...checkMigrations(states), ...checkIndexes(wanted, await listIndexes(caller()))]
}

function checkMigrations(states: MigrationState[]): Finding[] {
  const named = (state: MigrationState['state']) =>
    states.filter(each => each.state === state).map(({ name }) => name)
  const foreign = [...named('unknown'), ...named('changed')]
  const pending = named('pending')
  if (foreign.length > 0)
    return [
      migrationFindings.failure(
        `The database is of another version of the service: ${foreign.join(', ')}`,
        'Use the version of the service that migrated it, or restore a backup from before.',
      ),
    ]
  if (pending.length > 0)
    return [
      migrationFindings.failure(
        `${pending.length} of ${states.length} are not applied: ${pending.join(', ')}`,
        'mnemograph migrate applies them; a start does too.',
      ),
    ]
  return [migrationFindings.ok(`all ${states.length} are applied`)]
}

type Wanted = Pick<IndexFound, 'name' | 'type' | 'unique' | 'properties'> & {
  statement: string
  dimensions?: number
}

function wantedBy(name: string, statement: string): Wanted {
  const text = statement.replace(/^CYPHER 25\s+/, '').replaceAll(/\s+/g, ' ')
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

function checkIndexes(wanted: readonly Wanted[], found: readonly IndexFound[]): Finding[] {
  if (wanted.length === 0) return [skipped('there are none before the migrations')]
  const faults = wanted.flatMap(
    each =>
      checkIndex(
        each,
        found.find(({ name }) => name === each.name),
      ) ?? [],
  )
  return faults.length > 0 ? faults : [ok(`all ${wanted.length} are there, online and of their kind`)]
}

function checkIndex(wanted: Wanted, found: IndexFound | undefined): Finding | undefined {
  const { name, statement } = wanted
  if (!found) return failure(`${name} is missing`, `Run in Neo4j (cypher-shell, Browser): ${statement}`)
  const drop = wanted.unique
    ? `DROP CONSTRAINT ${name} IF EXISTS; DROP INDEX ${name} IF EXISTS`
    : `DROP INDEX ${name}`
  const recreate = `Run in Neo4j (cypher-shell, Browser), one after the other: ${drop}; ${statement}`
  if (!isOfItsKind(wanted, found))
    return failure(`${name} is of another kind: ${found.type} on ${found.properties.join(', ')}`, recreate)
  if (found.state === 'POPULATING')
    return warning(
      `${name} is being filled (${Math.floor(found.percent)} %)`,
      'Wait: searches need it, and a start waits for those that are searched.',
    )
  return found.state === 'ONLINE' ? undefined : failure(`${name} is ${found.state}`, recreate)
}

const isOfItsKind = (wanted: Wanted, found: IndexFound) =>
  found.type === wanted.type &&
  found.unique === wanted.unique &&
  found.properties.join() === wanted.properties.join() &&
  (wanted.dimensions === undefined || found.dimensions === wanted.dimensions)
