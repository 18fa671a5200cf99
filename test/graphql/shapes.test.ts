import { beforeAll, expect, test } from 'vitest'
import { ask, graphql } from '../support/graphql.ts'
import { idOf, remember } from '../support/seed.ts'
import { OPERATOR_KEY, withService } from '../support/service.ts'

const service = withService()
/** The first is caused by the second. */
let effect: string
beforeAll(async () => {
  const memories = await remember(service.client, [
    { content: 'dough', importance: 0.5 },
    { content: 'a cold kitchen', importance: 0.25 },
    { content: 'alone', importance: 0 },
  ])
  const [source, target] = memories.map(idOf) as [string, string]
  effect = source
  const connection = { source_id: source, target_id: target, strength: 0.75 }
  await service.client.createConnection({ ...connection, relationship_type: 'caused_by' })
})

const refusal = async (query: string, variables: Record<string, unknown> = {}) => {
  const { errors } = await graphql(service, query, { variables })
  return `${errors[0]?.extensions.code}: ${errors[0]?.message}`
}
const one = (selection: string) => `{ memories(where: { id: { eq: "${effect}" } }) { ${selection} } }`

test.each([
  'AND: [{ node: { content: { contains: "kitchen" }, importance: { gt: 0.4 } } }]',
  'OR: [{ node: { importance: { gt: 0.4 } } }, { edge: { strength: { gt: 0.1 } } }]',
  'NOT: { node: {} }',
])('aggregates of connections refuse %s next to node and edge', async where => {
  const query = one(`causedByConnection(where: { ${where} }) { ...Figures }`)
  const fragment = 'fragment Figures on MemoryCausedByConnection { aggregate { count { nodes } } }'
  expect(await refusal(`${query} ${fragment}`)).toMatch(/^BAD_USER_INPUT: With aggregate \w+ must be inside/)
})

test('aggregates of connections apply filters inside node and edge', async () => {
  const figures = 'totalCount aggregate { count { nodes } }'
  const counts = async (where: string) => {
    const { memories } = await ask(service, one(`causedByConnection(where: { ${where} }) { ${figures} }`))
    const { totalCount, aggregate } = memories[0].causedByConnection
    return [totalCount, aggregate.count.nodes]
  }
  const both = (least: number) =>
    `node: { AND: [{ content: { contains: "kitchen" } }, { importance: { gt: ${least} } }] }`
  expect(await counts(both(0.4))).toEqual([0, 0])
  expect(await counts(both(0.1))).toEqual([1, 1])
  expect(await counts('edge: { NOT: { strength: { gt: 0.1 } } }')).toEqual([0, 0])
})

test.each([
  ['importance', '{ memoriesConnection { aggregate { node { importance { a: max b: max } } } } }', 'max'],
  [
    'figures',
    '{ memoriesConnection { aggregate { a: node { importance { max } } b: node { importance { min } } } } }',
    'node',
  ],
  ['a count', '{ memories { causedByConnection { a: totalCount b: totalCount } } }', 'totalCount'],
])('%s under two names are refused, under one they are answered', async (_, query, name) => {
  expect(await refusal(query)).toMatch(new RegExp(`^BAD_USER_INPUT: Ask for ${name} of \\w+ once`))
  await ask(service, query.replace(/ b: \w+( \{[^{}]*(\{[^{}]*\})?[^{}]*\})?/, ''))
})

test.each([
  '{ memoriesConnection { edges { __typename } } }',
  '{ memories { causedByConnection { edges { properties { __typename } } } } }',
  '{ memoriesConnection { aggregate { node { __typename } } } }',
])('%s is refused, as its list would be empty', async query => {
  expect(await refusal(query)).toMatch(/^BAD_USER_INPUT: Ask for a field of \w+ in addition to __typename/)
})

test('names that the service gives itself are refused', async () => {
  for (const query of [
    '{ memories { id__: content } }',
    'query ($visible__: MemoryWhere) { memories(where: $visible__) { id } }',
  ])
    expect(await refusal(query)).toMatch(/^BAD_USER_INPUT: Names that end in two underscores/)
})

test.each(['content: null', 'createdAt: null', 'causedBy: null', 'causedBy: { some: null }', 'AND: null'])(
  'a filter with %s is refused, and not passed over',
  async filter => {
    expect(await refusal(`{ memories(where: { ${filter} }) { id } }`)).toMatch(
      /`where` has null as `\w+`\. Omit/,
    )
  },
)

test('a filter whose variable is null is refused, and one that is left out is not there', async () => {
  const query = 'query ($x: IDScalarFilters) { memories(where: { id: $x }) { id } }'
  expect(await refusal(query, { x: null })).toContain('`where` has null as `id`. Omit `id` to query')
  expect((await ask(service, query)).memories).toHaveLength(3)
  const whole = 'query ($x: MemoryWhere) { memories(where: $x) { id } }'
  expect(await refusal(whole, { x: { content: null } })).toContain(
    '`where` has null as `content`. Omit `content` to query',
  )
})

test('nothing archived is asked for by a value that is null', async () => {
  expect(
    (await ask(service, '{ memories(where: { archivedAt: { eq: null } }) { id } }')).memories,
  ).toHaveLength(3)
})

test.each(['2020-01-01T00:00:00+23:59', '2020-01-01T00:00:00-19:00', '2020-01-01T00:00:00.1234567890Z'])(
  'a filter reads the time %s',
  async time => {
    expect(
      (await ask(service, `{ memories(where: { createdAt: { gt: "${time}" } }) { id } }`)).memories,
    ).toHaveLength(3)
  },
)

test.each([
  'causedBy: { all: {} }',
  'causedBy: { all: { AND: [] } }',
  'causedByConnection: { all: { edge: {} } }',
])('of %s there must be one, whatever it is', async filter => {
  expect((await ask(service, `{ memories(where: { ${filter} }) { id } }`)).memories).toEqual([{ id: effect }])
})

test('null stands for the default of an argument', async () => {
  const { createMemory } = await ask(
    service,
    'mutation { createMemory(content: "plain", policy: null, ttlSeconds: null) { memory { policy ttlSeconds } } }',
  )
  expect(createMemory.memory).toEqual({ policy: 'long_term', ttlSeconds: 0 })
})

test.each([
  'application/graphql-response+json, application/graphql+json, application/json, text/event-stream, multipart/mixed',
  'application/json, text/event-stream;q=0',
])('a query that accepts %s is answered as JSON', async accept => {
  const { data } = await graphql(service, '{ getStats { queue { failed } } }', { headers: { accept } })
  expect(data.getStats.queue).toEqual({ failed: 0 })
})

test('bytes that are no UTF-8 are refused instead of replaced', async () => {
  const query = 'mutation ($content: String!) { createMemory(content: $content) { memory { id } } }'
  const body = Buffer.from(JSON.stringify({ query, variables: { content: 'café' } }), 'latin1')
  expect(await send(body, 'application/json')).toContain('MALFORMED_JSON')
})

test('a subscription with variables that are no object does not start', async () => {
  const query = 'subscription ($ids: [ID!]) { changes(memoryIds: $ids) { kind } }'
  for (const body of [{ query, variables: `{"ids": ["${effect}"]}` }, { query: 5 }, []])
    expect(await send(JSON.stringify(body), 'text/event-stream')).toContain('"BAD_REQUEST"')
})

async function send(body: string | Buffer<ArrayBuffer>, accept: string): Promise<string> {
  const headers = { authorization: `Bearer ${OPERATOR_KEY}`, 'x-tenant-id': service.tenant }
  const response = await fetch(`${service.url}/graphql`, {
    method: 'POST',
    headers: { ...headers, 'content-type': 'application/json', accept },
    body,
  })
  return (await response.text()).replace('malformed_json', 'MALFORMED_JSON')
}
