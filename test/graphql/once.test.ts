import { expect, test } from 'vitest'
import { graphql, type Json } from '../support/graphql.ts'
import { modernRequest } from '../support/mcp.ts'
import { OPERATOR_KEY, withService } from '../support/service.ts'

const service = withService()

const CREATE = `mutation ($content: String!, $key: String) {
  createMemory(content: $content, policy: "long_term", idempotencyKey: $key) { memory { id content } }
}`

const create = (content: string, key: string | null) =>
  graphql(service, CREATE, { variables: { content, key } })

test('a mutation with an idempotency key creates once, and returns the same memory again', async () => {
  const first = await create('Written once', 'once-1')
  const again = await create('Written once', 'once-1')
  expect(again.data).toEqual(first.data)
  expect(again.data.createMemory.memory.content).toBe('Written once')
  const other = await create('Written otherwise', 'once-1')
  expect(other.errors[0]?.extensions.code).toBe('IDEMPOTENCY_KEY_REUSED')
  const without = await create('Written once', null)
  expect(without.data.createMemory.memory.id).not.toBe(first.data.createMemory.memory.id)
})

test('a key that the header could not have is refused with its place', async () => {
  for (const key of ['', 'a b', 'ä', 'x'.repeat(256)]) {
    const { errors } = await create('Never written', key)
    expect(errors[0]?.extensions).toMatchObject({
      code: 'VALIDATION_FAILED',
      errors: [{ pointer: '/idempotencyKey' }],
    })
  }
})

test('the same key through GraphQL, REST and MCP is the same request', async () => {
  const first = await create('Written through three doors', 'doors-1')
  const { id } = first.data.createMemory.memory
  const rest = await service.request('/memories', {
    method: 'POST',
    headers: { 'content-type': 'application/json', 'idempotency-key': 'doors-1' },
    body: JSON.stringify({ content: 'Written through three doors', policy: 'long_term', ttl_seconds: 0 }),
  })
  expect(await rest.json()).toMatchObject({ id })
  const { headers, message } = modernRequest('tools/call', {
    name: 'create_memory',
    arguments: { content: 'Written through three doors', on_duplicate: 'store', idempotency_key: 'doors-1' },
  })
  const tool = await fetch(`${service.url}/mcp`, {
    method: 'POST',
    headers: {
      ...headers,
      authorization: `Bearer ${OPERATOR_KEY}`,
      'x-tenant-id': service.tenant,
      'content-type': 'application/json',
      accept: 'application/json, text/event-stream',
    },
    body: JSON.stringify(message),
  })
  expect(await tool.text()).toContain(id)
  const { memories } = await service.client.listMemories()
  expect(memories.filter(({ content }) => content === 'Written through three doors')).toHaveLength(1)
})

test('several memories are created once together', async () => {
  const query = `mutation { createMemories(memories: [{ content: "One" }, { content: "Two" }], idempotencyKey: "both") {
    memories { id }
  } }`
  expect((await graphql(service, query)).data).toEqual((await graphql(service, query)).data)
})

test('each response says what it may cost, and cost=only says it without running', async () => {
  const costOf = (text: string) => JSON.parse(text).extensions.cost
  const query = '{ memories(limit: 5) { content tags } }'
  const cost = { objects: 5, kilobytes: 600, limits: { objects: 20_000, kilobytes: 150_000 } }
  const run = await graphql(service, query)
  expect(costOf(run.text)).toEqual(cost)
  expect(run.data.memories).toBeDefined()

  const ask = (text: string) =>
    fetch(`${service.url}/graphql?cost=only`, {
      method: 'POST',
      headers: {
        authorization: `Bearer ${OPERATOR_KEY}`,
        'x-tenant-id': service.tenant,
        'content-type': 'application/json',
      },
      body: JSON.stringify({ query: text }),
    })
  expect(await (await ask(query)).json()).toEqual({ extensions: { cost } })
  await ask('mutation { createMemory(content: "Asked for its cost") { memory { id } } }')
  const { memories } = await service.client.listMemories()
  expect(memories.map(({ content }) => content)).not.toContain('Asked for its cost')
  const large: Json = await (await ask('{ memories(limit: 200) { relatedTo(limit: 200) { id } } }')).json()
  expect(large.errors[0].extensions).toMatchObject({ code: 'QUERY_TOO_LARGE', bound: 'cost' })
})
