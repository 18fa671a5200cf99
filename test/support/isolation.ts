import { type GraphQLObjectType, type GraphQLSchema, getNamedType, isObjectType } from 'graphql'
import { expect } from 'vitest'
import type { Client } from '../../src/client.ts'
import { relationshipTypes } from '../../src/contract/connections.ts'
import { graphql } from './graphql.ts'
import { seedOfRun } from './runs.ts'
import { idOf, remember, rememberIds } from './seed.ts'
import type { TestService } from './service.ts'
import { CANARY, type Names } from './tenant-probes.ts'

/** Two memories in a tenant; without a key the operator asks for them. */
export type Twin = { tenant: string; ids: [string, string]; key?: string }
export type Question = (twin: Twin) => string

/** A twin of two memories that are connected. */
export async function makeTwin(service: TestService, client: Client, of: Omit<Twin, 'ids'>): Promise<Twin> {
  const ids = await rememberIds(client, ['mine one', 'mine two'])
  await connect(service, of.tenant, [ids])
  return { ...of, ids }
}

/**
 * Every field of a memory, with every field below it: the plain ones at once, one question for each other; one type of
 * connection a step further in than the others, which the schema makes alike.
 */
export function selections(schema: GraphQLSchema): Question[] {
  const memory = schema.getType('Memory') as GraphQLObjectType
  const fields = Object.values(memory.getFields())
  const plainOnes = fields.filter(({ type }) => !isObjectType(getNamedType(type))).map(({ name }) => name)
  const others = fields.map(({ name }) => name).filter(name => !plainOnes.includes(name))
  return [
    plainOnes.join(' '),
    ...others.map(name => selection(memory, name, name.startsWith('supports') ? 3 : 2)),
  ].map(
    selected =>
      ({ ids }) =>
        `{ memories(where: { id: { in: ${JSON.stringify(ids)} } }, limit: 2, sort: [{ createdAt: ASC }]) { ${selected} } }`,
  )
}

/** Every way to ask about other memories in a filter: each field, and each quantifier with each probe. */
export function filters(schema: GraphQLSchema): Question[] {
  const fields = Object.keys((schema.getType('MemoryWhere') as GraphQLObjectType).getFields())
  const related = (kind: string) => fields.filter(name => typeOf(schema, 'MemoryWhere', name).endsWith(kind))
  const all = ['RelationshipFilters', 'ConnectionFilters'].flatMap(kind => {
    const names = related(kind)
    expect(names).toHaveLength(2 * relationshipTypes.length)
    const asked = ['some', 'none', 'all', 'single'].flatMap(quantifier =>
      probesOf(names[0] as string).map(probe => `{ ${quantifier}: ${probe} }`),
    )
    const rows = Math.max(names.length, asked.length)
    return Array.from({ length: rows }, (_, at) => `${names[at % names.length]}: ${asked[at % asked.length]}`)
  })
  return all.map(
    filter =>
      ({ ids }) =>
        `{ memories(where: { id: { in: ${JSON.stringify(ids)} }, ${filter} }, sort: [{ createdAt: ASC }]) { id } }`,
  )
}

const probesOf = (name: string) =>
  name.endsWith('Connection')
    ? ['{}', `{ node: { content: { contains: "${CANARY}" } } }`, '{ edge: { strength: { gt: 0.89 } } }']
    : [
        '{}',
        `{ content: { contains: "${CANARY}" } }`,
        `{ NOT: { content: { startsWith: "mine" } } }`,
        '{ state: { eq: ARCHIVED } }',
        '{ supports: { some: {} } }',
      ]

/** Every other way to read, also with the id of a memory of others. */
export function roots(theirs: Names): Question[] {
  const ids = (twin: Twin) => JSON.stringify([twin.ids[0], theirs.memory])
  return [
    () => '{ memories(sort: [{ createdAt: ASC }], limit: 200) { id content } }',
    () => `{ memories(where: { content: { contains: "${CANARY}" } }) { id } }`,
    twin => `{ memories(where: { id: { in: ${ids(twin)} } }) { id } }`,
    () => '{ memories(where: { state: { eq: ARCHIVED } }) { id } }',
    () =>
      '{ memoriesConnection { totalCount aggregate { count { nodes } node { importance { max min sum average } createdAt { max min } recallCount { sum } } } } }',
    () =>
      `{ memoriesConnection(where: { NOT: { content: { contains: "mine" } } }) { totalCount edges { node { id } } } }`,
    twin =>
      `{ subgraph(ids: ${ids(twin)}, depth: 5) { nodes { id depth memory { content } } edges { sourceId targetId } truncated } }`,
    () =>
      `{ subgraph(search: { query: "${CANARY}", searchType: KEYWORD }, depth: 5) { nodes { id } edges { sourceId } } }`,
    () => `{ getMemory(id: "${theirs.memory}") { id content } }`,
    () =>
      `{ getMemory(id: "${theirs.memory}", asOf: "2999-01-01") { id content connections { memory { content } } } }`,
    twin =>
      `{ subgraph(ids: ${ids(twin)}, depth: 5, limit: 20, asOf: "2999-01-01") { nodes { memory { content connections(limit: 5) { memory { content } } } } edges { sourceId } } }`,
    () =>
      `{ listConnections(asOf: "2999-01-01", sourceId: "${theirs.memory}") { total connections { target { content } } } }`,
    () =>
      `{ searchMemories(query: "mine", searchType: KEYWORD, asOf: "2999-01-01") { truncated results { memory { content } } } }`,
    twin =>
      `{ node(id: "${theirs.memory}") { id } nodes(ids: ${JSON.stringify([...twin.ids, theirs.memory])}) { id ... on Memory { content supports { content } } } }`,
    () =>
      `{ listMemoriesConnection(first: 20) { edges { cursor node { id content supports { content } } } pageInfo { hasNextPage endCursor } truncated } }`,
    () =>
      `{ searchMemoriesConnection(query: "mine ${CANARY}", searchType: KEYWORD, minRelevance: 0) { edges { score relevance node { id content supports { content } } } pageInfo { hasNextPage } } }`,
    twin =>
      `{ listChangesConnection(first: 5, memoryId: "${twin.ids[1]}", kinds: [CREATED]) { edges { node { kind memory { content supports { content } } } } pageInfo { hasNextPage } } }`,
    () =>
      `{ listConnectionsConnection(sourceId: "${theirs.memory}") { totalCount edges { node { source { content } } } } }`,
    twin =>
      `{ relatedMemories(id: "${twin.ids[0]}", depth: 5, direction: BOTH) { related { memory { id } connection { source { content } target { content } } } } }`,
    twin =>
      `fragment F on Memory { id content supports { ...G } } fragment G on Memory { id a: content } { memories(where: { id: { in: ${ids(twin)} } }) { ...F b: supportedBy { ...F } } }`,
  ]
}

/**
 * A field, and below it every field; of memories further in only the same field again and the connections. Beyond other types of
 * connection than the first a memory says who it is: Neo4j plans a statement for as long as its text is.
 */
function selection(type: GraphQLObjectType, name: string, depth: number, again = name): string {
  const inner = getNamedType(type.getFields()[name]?.type as never)
  if (!isObjectType(inner)) return name
  const below = Object.keys(inner.getFields()).flatMap(field => {
    const isPlain = !isObjectType(getNamedType(inner.getFields()[field]?.type as never))
    if (isPlain)
      return inner.name === 'Memory' && !again.startsWith('supports') && !shownFurtherIn.has(field)
        ? []
        : [field]
    if (depth <= 1) return []
    if (inner.name === 'Memory' && field !== again && field !== 'connections') return []
    return [selection(inner, field, inner.name === 'Memory' ? 1 : depth - 1, again)]
  })
  const paged = type.getFields()[name]?.args.find(arg => arg.name === 'limit' || arg.name === 'first')
  const size = paged ? `(${paged.name}: 5)` : ''
  return `${name}${size} { ${below.join(' ') || '__typename'} }`
}

/** What tells a memory from others, with all texts of a planted one. */
const shownFurtherIn = new Set(['id', 'content', 'state', 'tags', 'source'])

const typeOf = (schema: GraphQLSchema, type: string, field: string) =>
  String((schema.getType(type) as GraphQLObjectType).getFields()[field]?.type)

/** A quarter, which the seed chooses: of statements that the service derives alike from others that are all asked. */
export function quarterOf<Item>(items: readonly Item[]): Item[] {
  const first = seedOfRun % 4
  return items.filter((_, at) => at % 4 === first)
}

/** Two at a time: both cores have work. */
export async function inLanes<Item>(items: readonly Item[], work: (item: Item) => Promise<void>) {
  const queue = items.values()
  await Promise.all(
    [1, 2].map(async () => {
      for (const item of queue) await work(item)
    }),
  )
}

/** An answer without what differs between twins: their ids, keys and times. */
export async function answerTo(service: TestService, question: Question, of: Twin): Promise<string> {
  const { text, errors } = await graphql(service, question(of), of)
  if (!question(of).includes('getMemory')) expect(errors, question(of)).toEqual([])
  return of.ids
    .reduce((all, id, at) => all.replaceAll(id, `<mine ${at}>`), text)
    .replaceAll(/"(requestId|author)":"[^"]*"/g, '')
    .replaceAll(/"(cursor|startCursor|endCursor)":"[^"]*"/g, '"$1":""')
    .replaceAll(/\d{4}-\d\d-\d\dT[\d:.]+Z/g, '<time>')
}

/**
 * Connects mine with theirs in the graph itself, and with an archived and an expired one of mine, in every way. Returns the last
 * two.
 */
export async function plant(service: TestService, client: Client, planted: Twin, theirs: Names) {
  const [archived, expired] = (await remember(client, ['one that is archived', 'one that has expired'])).map(
    idOf,
  ) as [string, string]
  const ends = [archived, expired, theirs.memory].flatMap(id => planted.ids.map(each => [each, id] as const))
  await connect(service, planted.tenant, [...ends, ...ends.map(([from, to]) => [to, from] as const)])
  await client.deleteMemory({ id: archived })
  await service.cypher(
    'MATCH (m:Memory {id: $expired}) SET m.liveUntil = 0, m.expiresAt = datetime({epochMillis: 0})',
    { expired },
  )
  return [archived, expired]
}

const connect = (service: TestService, tenant: string, ends: readonly (readonly [string, string])[]) =>
  service.cypher(
    `CYPHER 25 UNWIND $ends AS pair MATCH (a:Memory {id: pair[0]}), (b:Memory {id: pair[1]}) UNWIND $types AS type
    CREATE (a)-[:$(type) {key: a.id + ':' + b.id, tenant: $tenant, strength: 0.9, origin: 'asserted',
      createdAt: datetime.truncate('millisecond', datetime.realtime('Z'))}]->(b)`,
    { ends, tenant, types: relationshipTypes.map(type => type.toUpperCase()) },
  )

/** An answer without what differs between any two, and with names made alike. */
export function anonymous(text: string, ...named: readonly Names[]): string {
  return named
    .flatMap(names => Object.values(names))
    .toSorted((a, b) => b.length - a.length)
    .reduce((all, value) => all.replaceAll(value, '<name>'), text)
    .replaceAll(/"(requestId|id|jobId|runId|planId|key|secret)":"[^"]*"/g, '"$1":""')
    .replaceAll(/[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}/g, '<id>')
    .replaceAll(/<name>|<id>/g, '<>')
    .replaceAll(/\d{4}-\d\d-\d\dT[\d:.]+Z/g, '<time>')
    .replaceAll(/"(oldestAgeSeconds|ready|missing)":[\d.]+/g, '"$1":0')
    .replaceAll(/"column":\d+/g, '"column":0')
}
