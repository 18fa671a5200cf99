import { type GraphQLObjectType, type GraphQLSchema, getNamedType, isObjectType } from 'graphql'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { makeSchema } from '../src/api/graphql/schema.ts'
import { relationshipTypes } from '../src/contract/connections.ts'
import type { RouteName } from '../src/contract/index.ts'
import { graphql } from './support/graphql.ts'
import { declared } from './support/graphql-contract.ts'
import { idOf, remember } from './support/seed.ts'
import { freshTenant, startService, type TestService } from './support/service.ts'
import { CANARY, type Names, nobodysNames, type Probe, probes, settle } from './support/strangers.ts'

let service: TestService
let schema: GraphQLSchema
let theirs: Names
let mine: [string, string]
let hidden: string[]
const nobodys = nobodysNames()
beforeAll(async () => {
  service = await startService()
  schema = await makeSchema()
  mine = (await remember(service.client, ['mine one', 'mine two'])).map(idOf) as [string, string]
  await connect(mine[0], mine[1])
  const other = freshTenant()
  theirs = await settle(service.clientOf(other), other)
})
afterAll(() => service?.[Symbol.asyncDispose]())

/** Root fields that no row of the contract's operations stands for. */
const OWN_ROOTS = ['memories', 'memoriesConnection', 'subgraph']

test('every root field has its row', () => {
  const fields = [schema.getQueryType(), schema.getMutationType()].flatMap(type =>
    Object.keys(type?.getFields() ?? {}),
  )
  // What subscriptions tell of others is looked at in graphql-subscriptions.test.ts.
  expect(Object.keys(schema.getSubscriptionType()?.getFields() ?? {})).toEqual(['changes'])
  expect(fields.toSorted()).toEqual([...declared, ...OWN_ROOTS].toSorted())
})

test('what others have, what is archived and what has expired changes no answer, whatever is planted', {
  timeout: 120_000,
}, async () => {
  const questions = [...selections(), ...filters(), ...roots()]
  const before = await answers(questions)
  await plant()
  const after = await answers(questions)
  for (const [at, question] of questions.entries()) expect(after[at], question).toBe(before[at])
  for (const answer of after) for (const id of hidden) expect(answer).not.toContain(id)
})

test('with archived memories asked for, those show and no others', async () => {
  for (const question of selections()) {
    const { text, errors } = await graphql(service, `query @includeArchived ${question}`)
    expect(errors).toEqual([])
    expect(text).not.toContain(CANARY)
    expect(text).not.toContain('has expired')
  }
  const { text } = await graphql(
    service,
    `query @includeArchived { memories(where: { id: { eq: "${mine[0]}" } }) { supports { content } } }`,
  )
  expect(text).toContain('is archived')
})

test.each(declared)(
  '%s answers the same for what is of another tenant and for what is nowhere',
  async name => {
    const ours = { ...nobodys, tenant: service.tenant, memory: mine[0], other: mine[1] }
    const unknown = probes[name](nobodys, ours) as Probe<RouteName>[]
    for (const [at, { input }] of (probes[name](theirs, ours) as Probe<RouteName>[]).entries()) {
      const answer = await operate(name, input)
      const reference = await operate(name, (unknown[at] as Probe<RouteName>).input)
      expect(anonymous(answer)).toBe(anonymous(reference))
      if (!JSON.stringify(input).includes(CANARY)) expect(answer).not.toContain(CANARY)
    }
  },
)

/**
 * Every field of a memory, with every field below it, one question for each; one type of connection a step further in
 * than the others, which the schema makes alike.
 */
function selections(): string[] {
  const memory = schema.getType('Memory') as GraphQLObjectType
  return Object.keys(memory.getFields()).map(
    field =>
      `{ memories(where: { id: { in: ${JSON.stringify(mine)} } }, limit: 2, sort: [{ createdAt: ASC }]) { ${selection(memory, field, field.startsWith('supports') ? 3 : 2)} } }`,
  )
}

/** Every way to ask about other memories in a filter. */
function filters(): string[] {
  const related = Object.keys((schema.getType('MemoryWhere') as GraphQLObjectType).getFields()).filter(name =>
    /Filters$/.test(String((schema.getType('MemoryWhere') as GraphQLObjectType).getFields()[name]?.type)),
  )
  const quantified = related.filter(name =>
    /(Relationship|Connection)Filters$/.test(typeOf('MemoryWhere', name)),
  )
  expect(quantified).toHaveLength(4 * relationshipTypes.length)
  // Every field, in turn with each quantifier and each probe; one type with every quantifier and every probe.
  const quantifiers = ['some', 'none', 'all', 'single']
  const all = quantified.flatMap((name, row) => {
    const asked = probesOf(name)
    const inTurn = `${name}: { ${quantifiers[row % 4]}: ${asked[row % asked.length]} }`
    return name.startsWith('supports')
      ? quantifiers.flatMap(quantifier => asked.map(probe => `${name}: { ${quantifier}: ${probe} }`))
      : [inTurn]
  })
  return Array.from({ length: Math.ceil(all.length / 8) }, (_, at) => {
    const some = all.slice(8 * at, 8 * at + 8)
    return `{ ${some.map((filter, number) => `q${number}: memories(where: { id: { in: ${JSON.stringify(mine)} }, ${filter} }, sort: [{ createdAt: ASC }]) { id }`).join(' ')} }`
  })
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

function roots(): string[] {
  const ids = JSON.stringify([mine[0], theirs.memory])
  return [
    '{ memories(sort: [{ createdAt: ASC }], limit: 200) { id content } }',
    `{ memories(where: { content: { contains: "${CANARY}" } }) { id } }`,
    `{ memories(where: { id: { in: ${ids} } }) { id } }`,
    '{ memories(where: { state: { eq: ARCHIVED } }) { id } }',
    '{ memoriesConnection { totalCount aggregate { count { nodes } node { importance { max min sum average } createdAt { max min } recallCount { sum } } } } }',
    `{ memoriesConnection(where: { NOT: { content: { contains: "mine" } } }) { totalCount edges { node { id } } } }`,
    `{ subgraph(ids: ${ids}, depth: 5) { nodes { id depth memory { content } } edges { sourceId targetId } truncated } }`,
    `{ subgraph(search: { query: "${CANARY}", searchType: KEYWORD }, depth: 5) { nodes { id } edges { sourceId } } }`,
    `{ getMemory(id: "${theirs.memory}") { id content } }`,
    `{ relatedMemories(id: "${mine[0]}", depth: 5, direction: BOTH) { related { memory { id } connection { source { content } target { content } } } } }`,
    `fragment F on Memory { id content supports { ...G } } fragment G on Memory { id a: content } { memories(where: { id: { in: ${ids} } }) { ...F b: supportedBy { ...F } } }`,
  ]
}

/** A field, and below it every field; of memories further in only the same field again and the connections. */
function selection(type: GraphQLObjectType, name: string, depth: number, again = name): string {
  const inner = getNamedType(type.getFields()[name]?.type as never)
  if (!isObjectType(inner)) return name
  const below = Object.keys(inner.getFields()).flatMap(field => {
    const isPlain = !isObjectType(getNamedType(inner.getFields()[field]?.type as never))
    if (isPlain) return [field]
    if (depth <= 1) return []
    if (inner.name === 'Memory' && field !== again && field !== 'connections') return []
    return [selection(inner, field, inner.name === 'Memory' ? 1 : depth - 1, again)]
  })
  const paged = type.getFields()[name]?.args.find(arg => arg.name === 'limit' || arg.name === 'first')
  const size = paged ? `(${paged.name}: 5)` : ''
  return `${name}${size} { ${below.join(' ') || '__typename'} }`
}

const typeOf = (type: string, field: string) =>
  String((schema.getType(type) as GraphQLObjectType).getFields()[field]?.type)

async function answers(questions: readonly string[]): Promise<string[]> {
  const found: string[] = []
  for (const question of questions) {
    const { text, errors } = await graphql(service, question)
    if (!question.includes('getMemory')) expect(errors, question).toEqual([])
    found.push(text.replaceAll(/"requestId":"[^"]*"/g, ''))
  }
  return found
}

/** Connects mine with theirs in the graph itself, and with an archived and an expired one of mine, in every way. */
async function plant() {
  const [archived, expired] = (
    await remember(service.client, ['one that is archived', 'one that has expired'])
  ).map(idOf) as [string, string]
  for (const id of [archived, expired, theirs.memory]) for (const each of mine) await connect(each, id)
  for (const id of [archived, expired, theirs.memory]) for (const each of mine) await connect(id, each)
  await service.client.deleteMemory({ id: archived })
  await service.cypher(
    'MATCH (m:Memory {id: $expired}) SET m.liveUntil = 0, m.expiresAt = datetime({epochMillis: 0})',
    { expired },
  )
  hidden = [archived, expired]
}

const connect = (from: string, to: string) =>
  service.cypher(
    `CYPHER 25 MATCH (a:Memory {id: $from}), (b:Memory {id: $to}) UNWIND $types AS type
    CREATE (a)-[:$(type) {key: a.id + ':' + b.id, tenant: $tenant, strength: 0.9, origin: 'asserted',
      createdAt: datetime.truncate('millisecond', datetime.realtime())}]->(b)`,
    { from, to, tenant: service.tenant, types: relationshipTypes.map(type => type.toUpperCase()) },
  )

async function operate(name: RouteName, input: Record<string, unknown>): Promise<string> {
  const kind = schema.getQueryType()?.getFields()[name] ? 'query' : 'mutation'
  const root = kind === 'query' ? schema.getQueryType() : schema.getMutationType()
  const field = root?.getFields()[name]
  const variables = Object.fromEntries(
    Object.entries(input).flatMap(([key, value]) => {
      const arg = field?.args.find(each => each.name === camel(key))
      return arg ? [[arg.name, inGraphql(value, /ID|String|DateTime/.test(String(arg.type)))]] : []
    }),
  )
  const declaredVariables = Object.keys(variables).map(
    key => `$${key}: ${field?.args.find(each => each.name === key)?.type}`,
  )
  const given = Object.keys(variables).map(key => `${key}: $${key}`)
  const query = `${kind} ${declaredVariables.length ? `(${declaredVariables.join(', ')})` : ''} { ${name}${given.length ? `(${given.join(', ')})` : ''} ${selectionOf(getNamedType(field?.type as never))} }`
  return (await graphql(service, query, { variables })).text
}

/** All plain fields, two levels deep, and of memories what they say. */
function selectionOf(type: unknown, depth = 3): string {
  if (!isObjectType(type as never)) return ''
  const fields = Object.values((type as GraphQLObjectType).getFields())
  if ((type as GraphQLObjectType).name === 'Memory') return '{ id content }'
  const shown = fields.flatMap(({ name, type: inner }) => {
    const named = getNamedType(inner)
    if (!isObjectType(named)) return [name]
    return depth > 1 ? [`${name} ${selectionOf(named, depth - 1)}`] : []
  })
  return `{ ${shown.join(' ') || '__typename'} }`
}

/** Values of closed sets in capitals, names of fields in camelCase. */
function inGraphql(value: unknown, isText: boolean): unknown {
  if (Array.isArray(value)) return value.map(item => inGraphql(item, isText))
  if (typeof value === 'object' && value !== null)
    return Object.fromEntries(Object.entries(value).map(([key, each]) => [camel(key), inGraphql(each, true)]))
  return typeof value === 'string' && !isText ? value.toUpperCase() : value
}

const camel = (text: string) => text.replaceAll(/_(\w)/g, (_, letter: string) => letter.toUpperCase())

function anonymous(text: string): string {
  return [...Object.values(theirs), ...Object.values(nobodys)]
    .toSorted((a, b) => b.length - a.length)
    .reduce((all, value) => all.replaceAll(value, '<name>'), text)
    .replaceAll(/"(requestId|id|jobId|runId|planId|key)":"[^"]*"/g, '"$1":""')
    .replaceAll(/[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}/g, '<id>')
    .replaceAll(/<name>|<id>/g, '<>')
    .replaceAll(/\d{4}-\d\d-\d\dT[\d:.]+Z/g, '<time>')
    .replaceAll(/"(oldestAgeSeconds|ready|missing)":[\d.]+/g, '"$1":0')
    .replaceAll(/"column":\d+/g, '"column":0')
}
