import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { readJson } from '../../src/contract/json.ts'
import { expectProblem } from '../support/expect-problem.ts'
import { ask, modernRequest } from '../support/mcp.ts'
import { OPERATOR_KEY, someMemory, withService } from '../support/service.ts'

const service = withService()
const headers = { 'content-type': 'application/json' }

/** JSON that JavaScript would change, with the place and a word of the answer. */
const changed: readonly [string, string, RegExp][] = [
  ['{"chat_id": 1234567890123456789}', '/chat_id', /beyond ±9007199254740991.*Send it as text/],
  ['{"chat_id": -9007199254740992}', '/chat_id', /Send it as text/],
  ['{"chat_id": 9007199254740993.0}', '/chat_id', /Send it as text/],
  ['{"chat_id": 1e20}', '/chat_id', /Send it as text/],
  ['{"share": 1e-400}', '/share', /would become 0/],
  ['{"share": 1e400}', '/share', /too large/],
  ['{"user": "a", "user": "b"}', '/user', /more than once/],
  ['{"user": "a", "\\u0075ser": "b"}', '/user', /more than once/],
  ['{"__proto__": "a"}', '/__proto__', /not a name/],
]

const kept = [
  '9007199254740991',
  '-9007199254740991',
  '0.30000000000000004',
  '6.02214076e23',
  '5e-324',
  '-0.5e-3',
]

describe.each(changed)('the metadata %s', (metadata, pointer, rule) => {
  const memory = JSON.stringify({ ...someMemory(), metadata: '@' }).replace('"@"', metadata)

  test('are refused by REST, in a body and in a query', async () => {
    const bodies = [
      ['/memories', memory, ''],
      ['/memories/batch', `{"memories": [${memory}]}`, '/memories/0'],
      ['/memories/search', `{"query": "x", "search_type": "keyword", "metadata": ${metadata}}`, ''],
    ] as const
    for (const [path, body, before] of bodies) {
      const response = await service.request(path, { method: 'POST', headers, body })
      const { errors = [] } = await expectProblem(response, 'validation_failed')
      expect(errors[0]).toMatchObject({
        pointer: `${before}/metadata${pointer}`,
        message: expect.stringMatching(rule),
      })
    }
    const query = new URLSearchParams({ metadata })
    const response = await service.request(`/memories?${query}`)
    expect((await expectProblem(response, 'validation_failed')).errors?.[0]?.pointer).toBe(
      `/metadata${pointer}`,
    )
  })

  test('are refused by /mcp in a result that an agent reads, as an object and as text', async () => {
    for (const written of [metadata, JSON.stringify(metadata)]) {
      const { headers: modern, message } = modernRequest('tools/call', {
        name: 'create_memory',
        arguments: { content: 'x', metadata: '@' },
      })
      const response = await fetch(`${service.url}/mcp`, {
        method: 'POST',
        headers: { ...modern, authorization: `Bearer ${OPERATOR_KEY}`, 'x-tenant-id': service.tenant },
        body: JSON.stringify(message).replace('"@"', written),
      })
      expect(await response.json()).toMatchObject({
        result: { isError: true, content: [{ text: expect.stringMatching(rule) }] },
      })
    }
  })

  test('are refused by GraphQL in variables', async () => {
    const body = JSON.stringify({
      query:
        'mutation M($metadata: JSON) { createMemory(content: "x", metadata: $metadata) { memory { id } } }',
      variables: { metadata: '@' },
    }).replace('"@"', metadata)
    const response = await fetch(`${service.url}/graphql`, {
      method: 'POST',
      headers: { ...headers, authorization: `Bearer ${OPERATOR_KEY}`, 'x-tenant-id': service.tenant },
      body,
    })
    const { errors = [] } = await expectProblem(response, 'validation_failed')
    expect(errors[0]?.message).toMatch(rule)
  })

  test('are refused by an import, with the number of the line', async () => {
    const line = `{"section": "memories", "metadata": ${metadata}}`
    const response = await service.request('/import', {
      method: 'POST',
      headers,
      body: JSON.stringify({ lines: [line] }),
    })
    expect(response.status).toBe(422)
    expect(await response.text()).toMatch(rule)
  })
})

test('a number in the text of a GraphQL query is refused like one in its variables', async () => {
  for (const number of ['1234567890123456789', '1e-400', '1e400']) {
    const query = `mutation { createMemory(content: "x", metadata: {chat_id: ${number}}) { memory { id } } }`
    const response = await fetch(`${service.url}/graphql`, {
      method: 'POST',
      headers: { ...headers, authorization: `Bearer ${OPERATOR_KEY}`, 'x-tenant-id': service.tenant },
      body: JSON.stringify({ query }),
    })
    expect(await response.text(), number).toMatch(/BAD_USER_INPUT/)
  }
})

test.each(kept)('the number %s is kept and found', async number => {
  const body = JSON.stringify({ ...someMemory({ content: number }), metadata: { figure: '@' } }).replace(
    '"@"',
    number,
  )
  const response = await service.request('/memories', { method: 'POST', headers, body })
  const { metadata } = (await response.json()) as { metadata: { figure: number } }
  expect(metadata.figure).toBe(Number(number))
  const query = new URLSearchParams({ metadata: `{"figure": ${number}}` })
  const found = (await (await service.request(`/memories?${query}`)).json()) as { memories: object[] }
  expect(found.memories).toHaveLength(1)
})

test('a number as text keeps its digits', async () => {
  const chat_id = '1234567890123456789'
  const answer = await ask(service, 'tools/call', {
    name: 'create_memory',
    arguments: { content: 'of a chat', metadata: { chat_id } },
  })
  expect(answer.result?.isError).toBeFalsy()
  const { memories } = await service.client.listMemories({ metadata: { chat_id } })
  expect(memories).toMatchObject([{ metadata: { chat_id } }])
})

test('JSON that JavaScript keeps is read as JavaScript reads it, and never refused', () => {
  fc.assert(
    fc.property(fc.jsonValue({ maxDepth: 4 }), fc.nat(3), (value, indent) => {
      const text = JSON.stringify(value, null, indent)
      const { value: read, tooLarge } = readJson(text)
      expect(tooLarge).toBeUndefined()
      expect(read).toEqual(JSON.parse(text))
    }),
  )
})
