import neo4j from 'neo4j-driver'
import type { Context } from '../../context.ts'
import { type RelationshipType, relationshipTypes } from '../../contract/connections.ts'
import type { GraphEdge } from '../../contract/graph.ts'
import type { Memory } from '../../contract/memory.ts'
import type { Metadata } from '../../contract/values.ts'
import { connectionFieldNames, storedConnectionFields } from '../connections/fields.ts'
import { shownState } from '../jobs/lanes.ts'
import { bundledFields, type FieldKind, memoryFields } from '../memories/fields.ts'

/** The one place where the graph's names become the contract's: Cypher shapes the answer. */

/** A time as the contract writes it. */
export const isoTime = (expression: string) => `format(${expression}, "uuuu-MM-dd'T'HH:mm:ss.SSSX")`

/** The present, from the database's clock, as fine as answers show it. */
export const NOW = `datetime.truncate('millisecond', datetime.realtime('Z'))`

/** A time in milliseconds, as a float: the driver reads it as it is. */
export const inMillis = (time: string) => `1.0 * ${time}.epochMillis`

/** The time that so many milliseconds stand for. */
export const fromMillis = (milliseconds: string) => `datetime({epochMillis: ${milliseconds}, timezone: 'Z'})`

/** Earlier than every time that the graph keeps. A condition on it lets an index give the order. */
export const BEGINNING = fromMillis('0')

/**
 * What stands behind a place, `$createdAt` and the parameter of `key`, in the order of creation: a condition for each
 * property of the index that gives this order.
 */
export const isBehind = (x: string, key: 'id' | 'key') =>
  `${x}.createdAt >= ${fromMillis('$createdAt')} AND ${x}.${key} IS NOT NULL
        AND NOT (${x}.createdAt = ${fromMillis('$createdAt')} AND ${x}.${key} <= $${key})`

/**
 * The two ways in which a time that is set at most `seconds` ahead is over. A time further ahead is the mark of a clock
 * that was wrong, and counts as over.
 */
export const waysToBeOver = (time: string, now: string, seconds: string | number) => [
  `${time} <= ${now}`,
  `${time} > ${now} + duration({seconds: ${seconds}})`,
]

/** Whether such a time is over, or was never set. */
export const isOver = (time: string, now: string, seconds: string) =>
  `coalesce(${waysToBeOver(time, now, seconds).join(' OR ')}, true)`

/** A memory as a statement returns it: values alone, in the order of `memoryFields`, then whether its vector is truncated. */
export type MemoryColumns = readonly [id: string, ...others: unknown[]]

const names = Object.keys(memoryFields) as (keyof typeof memoryFields)[]
const fields = names.map(name => memoryFields[name])

/**
 * What `memoryOf` reads, of a statement with `$space` (`spaceParameter`). A list without names and with times as numbers
 * costs the database and the driver half of what a map does. Numbers are floats, which the driver reads as they are; of
 * an integer it makes an object first. Whether there is a vector is asked of the property next to it: to test the vector,
 * or to look through the names of all properties, takes an eighth to a third longer for a page.
 * `node` has the vector where `m` is what the memory was at another time.
 */
export const memoryColumns = (m: string, node = m) =>
  `[${fields.map(({ property, kind }) => column(kind, `${m}.${property}`)).join(', ')}, ${node}[$space.truncated]]`

/** The same with the content only where a condition holds. */
export const stateColumns = (m: string, isWhole: string) => {
  const columns = fields.map(({ property, kind }) => {
    const value = column(kind, `${m}.${property}`)
    return property === memoryFields.content.property ? `CASE WHEN ${isWhole} THEN ${value} END` : value
  })
  return `[${columns.join(', ')}, ${m}[$space.truncated]]`
}

/** The properties that such columns are, in their order. */
export const columnNames: readonly string[] = fields.map(({ property }) => property)

/** Of longer vectors among the properties, reading takes longer than what it spares. */
const SHORT_VECTOR = 512

/**
 * `memoryColumns`, of which all properties are read at once. Each that is read alone looks through those that are stored
 * before it: for all columns of a memory that takes nearly twice as long.
 */
export const readAtOnce = ({ space }: Pick<Context, 'space'>, m: string): string =>
  space.dimensions <= SHORT_VECTOR
    ? `[each IN [properties(${m})] | ${memoryColumns('each')}][0]`
    : memoryColumns(m)

function column(kind: FieldKind, value: string): string {
  if (kind === 'time') return inMillis(value)
  return kind === 'integer' ? `1.0 * ${value}` : value
}

/** What such a statement would return of a memory that has these properties; a time may be in milliseconds. */
export const columnsOf = (
  { space }: Pick<Context, 'space'>,
  properties: Readonly<Record<string, unknown>>,
): MemoryColumns => [
  properties.id as string,
  ...fields.slice(1).map(({ property }) => plainValue(properties[property])),
  properties[space.truncated] ?? null,
]

/** A value of the graph without the driver's types: a time in milliseconds. */
export function plainValue(value: unknown): unknown {
  if (neo4j.isInt(value)) return value.toNumber()
  return neo4j.isDateTime(value) ? value.toStandardDate().getTime() : (value ?? null)
}

/** A memory as answered, its embedding as it is in the space of the context. */
export function memoryOf({ space }: Pick<Context, 'space'>, columns: MemoryColumns): Memory {
  const memory: Partial<Record<keyof Memory, unknown>> = {}
  for (const [at, { kind }] of fields.entries())
    memory[names[at] as keyof Memory] = kind === 'string' ? columns[at] : fieldOf(kind, columns[at])
  const truncated = columns[fields.length]
  memory.embedding = {
    status: truncated === null ? 'pending' : 'ready',
    model: space.model,
    dimensions: space.dimensions,
    truncated: truncated === true,
  }
  return memory as Memory
}

function fieldOf(kind: FieldKind, column: unknown): unknown {
  if (kind === 'time') return column === null ? null : new Date(column as number).toISOString()
  // A memory of an earlier version has no marks.
  if (kind === 'strings') return column ?? []
  return kind === 'json' ? fromJson(column as string | null) : column
}

/** What the graph keeps as the text of an object. */
export const fromJson = (text: string | null): Metadata =>
  text === null || text === '{}' ? {} : (JSON.parse(text) as Metadata)

export const spaceParameter = ({ space: { property, truncated } }: Pick<Context, 'space'>) => ({
  property,
  truncated,
})

/** An edge of a walk as a statement returns it, in the order of `edgeColumns`. */
export type EdgeColumns = [
  source: string,
  target: string,
  type: string,
  strength: number | null,
  createdAt: number,
  origin: GraphEdge['origin'],
  ...others: unknown[],
]

/** What `edgeOf` reads of a connection `r`; a list for the same reason as that of a memory. */
export const edgeColumns = (r: string) => `[startNode(${r}).id, endNode(${r}).id, type(${r}), ${figures(r)}]`

/** The same of an earlier connection `c`. */
export const earlierColumns = (c: string) => `[${c}.sourceId, ${c}.targetId, ${c}.type, ${figures(c)}]`

const figures = (r: string) =>
  Object.values(storedConnectionFields)
    .map(({ property, kind }) => column(kind, `${r}.${property}`))
    .join(', ')

/** The ends and the type stand before the fields. */
const FIRST_FIGURE = 3

/** An edge as answered, its fields in the order of the contract. */
export function edgeOf(columns: EdgeColumns): GraphEdge {
  const [source_id, target_id, type] = columns
  const edge: Partial<Record<keyof GraphEdge, unknown>> = { target_id, relationship_type: type.toLowerCase() }
  for (const [at, name] of connectionFieldNames.entries())
    edge[name] = fieldOf(storedConnectionFields[name].kind, columns[FIRST_FIGURE + at])
  return { ...edge, source_id } as GraphEdge
}

/** What a bundle says of a memory `m` whose `recalls` are bound. */
export const bundledMemory = (m: string) => {
  const entries = Object.entries(bundledFields).map(([name, { property, kind }]) => {
    const value = `${m}.${property}`
    return `${name}: ${kind === 'time' ? isoTime(value) : value}`
  })
  return `{${[...entries, 'recalls: recalls'].join(', ')}}`
}

/** What everyone shows of a connection `r` that ends in `target`. */
export const connectionProjection = (r: string, target: string) =>
  `{target_id: ${target}.id, relationship_type: toLower(type(${r})), ${shownFields(r)}}`

/** The entries of a map with the fields of a connection `r` by the contract's names. */
export const shownFields = (r: string) =>
  connectionFieldNames
    .map(name => {
      const { property, kind } = storedConnectionFields[name]
      const value = `${r}.${property}`
      return `${name}: ${kind === 'time' ? isoTime(value) : value}`
    })
    .join(', ')

/** Whether something has all the figures of a `row` already. */
export const isAsInRow = (
  what: string,
) => `all(name IN keys(row.figures) WHERE ${what}[name] = row.figures[name]
    OR (${what}[name] IS NULL AND row.figures[name] IS NULL))`

/** A change with its number, which the service seals into a cursor. */
export const changeProjection = (c: string) => `{
  number: ${c}.number, kind: ${c}.kind, at: ${isoTime(`${c}.at`)}, version: ${c}.version, fields: ${c}.fields, policy: ${c}.policy,
  memory_id: CASE WHEN ${c}.targetId IS NULL THEN ${c}.memoryId END,
  connection: CASE WHEN ${c}.targetId IS NOT NULL THEN {source_id: ${c}.memoryId, target_id: ${c}.targetId,
    relationship_type: ${c}.type, strength: ${c}.strength, origin: ${c}.origin} END
}`

/** When a key ends: at the end of its life, or before that where a successor has replaced it. */
export const keyEnd = (k: string) => `coalesce(${k}.retiresAt, ${k}.expiresAt)`

export const apiKeyProjection = (k: string) => `{
  id: ${k}.id, tenant: ${k}.tenant, other_tenants: coalesce(${k}.otherTenants, []), owner: ${k}.owner, name: ${k}.name,
  scopes: ${k}.scopes, rate_limit: ${k}.rateLimit, created_at: ${isoTime(`${k}.createdAt`)},
  expires_at: ${isoTime(keyEnd(k))}, last_used_at: ${isoTime(`${k}.lastUsedAt`)}
}`

export const jobProjection = (j: string) => `{
  id: ${j}.id, kind: ${j}.kind, tenant: ${j}.tenant, memory_id: ${j}.memoryId, state: ${shownState(j)}, attempt: ${j}.attempt,
  created_at: ${isoTime(`${j}.createdAt`)}, run_at: ${isoTime(`${j}.runAt`)}, lease_until: ${isoTime(`${j}.leaseUntil`)},
  last_error: ${j}.lastError, report: ${j}.report
}`

/** A relationship type as the graph writes it. The input is from a closed set, so it may stand in the text. */
export const typeInGraph = (type: RelationshipType) => type.toUpperCase()

/** The key of a connection: of one type there is at most one between two memories in one direction. */
export const connectionKey = (tenant: string, source: string, target: string) =>
  `${tenant} + ':' + ${source}.id + ':' + ${target}.id`

/** Whether a memory is the newer one of two; of equal age it is the one of the later id. */
export const isNewer = (m: string, n: string) =>
  `${m}.createdAt > ${n}.createdAt OR (${m}.createdAt = ${n}.createdAt AND ${m}.id > ${n}.id)`

/** How a memory keeps that a discovered connection to another one is unwanted, of the contents that both have. */
export const rejection = (start: string, end: string) =>
  `${end}.id + ':' + ${end}.revision + ':' + ${start}.revision`

/** Whether nobody has removed a discovered connection between two memories, either way, since their contents changed. */
export const isNotRejected = (one: string, other: string) =>
  `NOT ${rejection(one, other)} IN coalesce(${one}.rejected, [])
    AND NOT ${rejection(other, one)} IN coalesce(${other}.rejected, [])`

/** The contents of two memories of which a conflict is suggested. */
export const ofTexts = (newer: string, older: string) => `${newer}.revision + ':' + ${older}.revision`

/** Whether a conflict was suggested of the contents that two memories still have. */
export const isOfTexts = (r: string, newer: string, older: string) =>
  `${r}.revisions = ${ofTexts(newer, older)}`

/**
 * The memory at the other end of a connection, in a pattern that begins at a known one. By its label Neo4j would look up
 * the memories of the tenant first when it plans for a young store, and keep doing so while the store grows.
 */
export const otherEnd = (m: string, where = '') => `(${m}:!RemovedMemory${where && ` WHERE ${where}`})`

/** All types, for a pattern. A statement that reads some of them compares with `typeNames`, so that it has one text. */
export const typesInGraph = () => typeNames().join('|')

export const typeNames = (types: readonly RelationshipType[] = relationshipTypes) => types.map(typeInGraph)
