import { beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { attacks } from '../../tools/graphql-attacks.ts'
import { graphql } from '../support/graphql.ts'
import { OPERATOR_KEY, withService } from '../support/service.ts'
import { listenThroughout, type Statement } from '../support/statements.ts'

const service = withService({
  settings: { NODE_ENV: 'production', SERVICE_SERVER_API_KEY: OPERATOR_KEY.padEnd(32, '-') },
})
let heard: Statement[]
beforeAll(async () => {
  heard = listenThroughout(service).heard
  await graphql(service, '{ memories(limit: 1) { id } }')
})
beforeEach(() => {
  heard.length = 0
})

/** What a request asked of the database; timers look at the embedding spaces, and refused credentials are recorded in the meantime. */
const asked = () => heard.filter(({ text }) => !/:EmbeddingSpace|:Audit/.test(text))

describe('refused before the database is asked', () => {
  test.each(Object.entries(attacks))('%s', async (_name, query) => {
    const answer = await ask(query)
    expect(answer.errors.length, answer.text).toBeGreaterThan(0)
    expect(answer.data ?? null).toBeNull()
    expect(answer.text).not.toMatch(/stack|node_modules|Did you mean|Neo4j|Cypher/)
    expect(answer.text.length).toBeLessThan(100_000)
    expect(asked()).toEqual([])
  })

  test.each([
    ['a bomb of fragments without fields', 'selections'],
    ['many reads in fragments', 'selections'],
    ['many filters on related memories', 'relatedFilters'],
    ['a filter on related memories, spread often', 'relatedFilters'],
  ])('%s, for the bound on %s', async (name, bound) => {
    const { errors } = await ask(attacks[name] as string)
    expect(errors).toMatchObject([{ extensions: { code: 'QUERY_TOO_LARGE', bound } }])
  })

  test.each([
    ['contents of many memories', '{ memories(limit: 200) { relatedTo(limit: 98) { content } } }', 'text'],
    ['tags of many memories', '{ memories(limit: 200) { relatedTo(limit: 98) { tags } } }', 'text'],
    [
      'contents at the ends of edges',
      '{ subgraph(limit: 100) { edges { source { content } target { content } } } }',
      'text',
    ],
    ['ends of edges', '{ subgraph(limit: 500) { edges { source { id } target { id } } } }', 'cost'],
    [
      'contents around what a null would limit',
      '{ subgraph(ids: ["a"], limit: null) { nodes { memory { relatedTo { content } } } } }',
      'text',
    ],
    [
      'contents around the sources of a context',
      '{ composeContext(query: "x") { sources { memory { relatedTo { content } } } } }',
      'text',
    ],
    [
      'contents around the changes of a run',
      'mutation { planMaintenance { changes { memory { content relatedTo(limit: 5) { content } } } } }',
      'text',
    ],
  ])('%s, for the bound on what the answer may hold', async (_name, query, bound) => {
    const { errors } = await ask(query)
    expect(errors).toMatchObject([{ extensions: { code: 'QUERY_TOO_LARGE', bound } }])
    expect(asked()).toEqual([])
  })

  test.each([
    ['conditions', 'where', { AND: Array(500).fill({ OR: Array(500).fill({ health: { gt: 1 } }) }) }],
    ['conditions that are empty', 'where', { AND: Array(500).fill({ OR: Array(500).fill({}) }) }],
    ['orderings', 'sort', Array(300_000).fill({ importance: 'DESC' })],
    ['orderings of related memories', 'sort', Array(34).fill({ importance: 'DESC' })],
  ])('very many %s in a variable', async (_name, argument, value) => {
    const type = argument === 'where' ? 'MemoryWhere' : '[MemorySort!]'
    const given = `${argument}: $given, limit: 1`
    const query = `query ($given: ${type}) { memories(${given}) { causes(${given}) { id causes(${given}) { id } } } }`
    const { errors } = await ask(query, { given: value })
    expect(errors).toMatchObject([{ extensions: { code: 'QUERY_TOO_LARGE' } }])
    expect(asked()).toEqual([])
  })

  test.each([
    ['a limit', 'query ($n: Int) { memories(limit: $n) { id } }', { n: 201 }],
    ['a limit of another type', 'query ($n: Int) { memories(limit: $n) { id } }', { n: [1, 2] }],
    [
      'a list',
      'query ($w: MemoryWhere) { memories(where: $w) { id } }',
      { w: { id: { in: Array(501).fill('x') } } },
    ],
    ['nesting', 'query ($w: MemoryWhere) { memories(where: $w) { id } }', { w: deep(200) }],
    [
      'related filters',
      'query ($w: MemoryWhere) { memories(where: $w) { id } }',
      { w: { OR: Array(11).fill({ causes: { none: {} } }) } },
    ],
    [
      'an unknown field',
      'query ($w: MemoryWhere) { memories(where: $w) { id } }',
      { w: { tenant: { eq: 'default' } } },
    ],
    [
      'the prototype',
      'query ($w: MemoryWhere) { memories(where: $w) { id } }',
      { w: JSON.parse('{"__proto__": {"x": 1}}') },
    ],
  ])('%s in a variable', async (_name, query, variables) => {
    const answer = await ask(query, variables)
    expect(answer.errors.length, answer.text).toBeGreaterThan(0)
    expect(asked()).toEqual([])
  })

  test.each([
    ['a batch', 'POST', '[{"query":"{ __typename }"},{"query":"{ __typename }"}]', 'application/json'],
    ['a text', 'POST', '{"query":"{ __typename }"}', 'text/plain'],
    ['a form', 'POST', 'query=%7B__typename%7D', 'application/x-www-form-urlencoded'],
    ['a multipart', 'POST', '--x--', 'multipart/form-data; boundary=x'],
    ['null', 'POST', 'null', 'application/json'],
    ['no JSON', 'POST', '{"query":', 'application/json'],
    ['a GET without the header against forgery', 'GET', undefined, undefined],
  ])('%s as the body', async (_name, method, body, type) => {
    const response = await fetch(`${service.url}/graphql${body ? '' : '?query={__typename}'}`, {
      method,
      headers: { authorization: `Bearer ${OPERATOR_KEY}`, ...(type ? { 'content-type': type } : {}) },
      ...(body ? { body } : {}),
    })
    expect(response.status).toBeGreaterThanOrEqual(400)
    expect(response.status).toBeLessThan(500)
    expect(await response.text()).not.toMatch(/stack|node_modules/)
    expect(asked()).toEqual([])
  })

  test('a persisted query', async () => {
    const persistedQuery = { version: 1, sha256Hash: '0'.repeat(64) }
    const response = await fetch(`${service.url}/graphql`, {
      method: 'POST',
      headers: { authorization: `Bearer ${OPERATOR_KEY}`, 'content-type': 'application/json' },
      body: JSON.stringify({ query: '{ __typename }', extensions: { persistedQuery } }),
    })
    expect(await response.json()).toMatchObject({
      errors: [{ extensions: { code: 'PERSISTED_QUERY_NOT_SUPPORTED' } }],
    })
    expect(asked()).toEqual([])
  })

  test('a mutation by GET', async () => {
    const query = encodeURIComponent('mutation { createMemory(content: "x") { memory { id } } }')
    const response = await fetch(`${service.url}/graphql?query=${query}`, {
      headers: { authorization: `Bearer ${OPERATOR_KEY}`, 'apollo-require-preflight': 'true' },
    })
    expect(response.status).toBe(405)
    expect(asked()).toEqual([])
  })

  test('a request without a key, and one with a wrong key', async () => {
    for (const headers of [{}, { authorization: 'Bearer nonsense' }]) {
      const response = await fetch(`${service.url}/graphql`, { method: 'POST', headers, body: '{}' })
      expect(response.status).toBe(401)
      expect(response.headers.get('www-authenticate')).toBe('Bearer')
    }
    expect(asked()).toEqual([])
  })
})

test('what is within the bounds is answered', async () => {
  const { errors } = await ask(
    '{ memories(limit: 20) { causedBy(limit: 20) { supports(limit: 20) { id } } } }',
  )
  expect(errors).toEqual([])
  expect(asked()).toHaveLength(1)
})

test('a thousand contents, two lists of 500 ids and what is named by its id are answered', async () => {
  const contents = '{ memories(limit: 200) { connections(limit: 5) { memory { content } } } }'
  expect((await ask(contents)).errors).toEqual([])
  const ids =
    'query ($ids: [ID!]) { a: memories(where: { id: { in: $ids } }) { id } b: memories(where: { id: { in: $ids } }) { id } }'
  expect((await ask(ids, { ids: Array(500).fill('x') })).errors).toEqual([])
  const named =
    '{ memories(where: { id: { eq: "x" } }) { content connections(limit: 100) { memory { content } } } }'
  expect((await ask(named)).errors).toEqual([])
})

test('fragments that are spread a few times are answered', async () => {
  const { errors } = await ask(
    `{ memories(limit: 2) { ...A ...A causedBy(limit: 5) { ...A } } }
    fragment A on Memory { ...B causes(limit: 5, where: { supports: { some: {} } }) { ...B } }
    fragment B on Memory { id content }`,
  )
  expect(errors).toEqual([])
})

const ask = (query: string, variables?: Record<string, unknown>) =>
  graphql(service, query, variables ? { variables } : {})

function deep(depth: number): unknown {
  return depth === 0 ? {} : { NOT: deep(depth - 1) }
}
