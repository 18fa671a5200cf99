import { request } from 'node:http'
import { expect, test } from 'vitest'
import { expectProblem } from '../support/expect-problem.ts'
import { modernRequest } from '../support/mcp.ts'
import { OPERATOR_KEY, startService, withService } from '../support/service.ts'

const service = withService()

const initialize = {
  jsonrpc: '2.0',
  id: 1,
  method: 'initialize',
  params: { protocolVersion: '2025-06-18', capabilities: {}, clientInfo: { name: 'x', version: '1' } },
}
const ping = { jsonrpc: '2.0', id: 7, method: 'ping' }

const post = (
  body: string | Buffer,
  headers: Record<string, string> = {},
  signal: AbortSignal | null = null,
) =>
  fetch(`${service.url}/mcp`, {
    method: 'POST',
    body,
    signal,
    headers: {
      authorization: `Bearer ${OPERATOR_KEY}`,
      'x-tenant-id': service.tenant,
      'content-type': 'application/json',
      accept: 'application/json, text/event-stream',
      ...headers,
    },
  })

test('without a key nothing is said, and how to come with one', async () => {
  for (const authorization of ['', 'Bearer wrong']) {
    const response = await post(JSON.stringify(initialize), { authorization })
    expect(response.headers.get('www-authenticate')).toBe('Bearer')
    await expectProblem(response, 'unauthorized')
  }
})

test('a page of the web is not let in, whether it comes by its name or by its origin', async () => {
  for (const origin of ['https://evil.example', 'null', 'http://localhost.evil.example'])
    await expectProblem(await post(JSON.stringify(initialize), { origin }), 'foreign_caller')
  expect((await post(JSON.stringify(initialize), { origin: 'http://localhost:6274' })).status).toBe(200)
  expect(await statusWithHost('evil.example')).toBe(403)
  expect(await statusWithHost('localhost:1')).toBe(200)
})

test('a service that is reached by another name accepts it by a setting', async () => {
  await using named = await startService({
    settings: { SERVICE_ALLOWED_HOSTS: 'memory.example, other.example' },
  })
  expect(await statusWithHost('memory.example', named.url)).toBe(200)
  expect(await statusWithHost('evil.example', named.url)).toBe(403)
})

test('there is nothing to get and nothing to end, as there are no sessions', async () => {
  for (const method of ['GET', 'DELETE', 'PUT']) {
    const headers = { authorization: `Bearer ${OPERATOR_KEY}`, accept: 'text/event-stream' }
    const response = await fetch(`${service.url}/mcp`, { method, headers })
    expect(response.headers.get('allow')).toBe('POST')
    await expectProblem(response, 'method_not_allowed')
  }
})

test('values that nest without end are refused as what they are', async () => {
  const nested = (levels: number) =>
    JSON.stringify({ ...ping, params: { _meta: { x: '@' } } }).replace(
      '"@"',
      '['.repeat(levels) + ']'.repeat(levels),
    )
  for (const levels of [5_000, 100_000]) await expectError(await post(nested(levels)), 400, -32600)
  expect((await post(nested(100))).status).toBe(200)
})

test('a body that is too large, of another type or no JSON is refused', async () => {
  await expectProblem(await post(Buffer.alloc(9 * 1024 * 1024, 0x20)), 'payload_too_large')
  await expectProblem(await post('<a/>', { 'content-type': 'text/xml' }), 'unsupported_media_type')
  for (const body of ['', '{', Buffer.from('{"jsonrpc":"2.0","id":1,"method":"\xff"}', 'latin1')])
    await expectError(await post(body), 400, -32700)
  for (const body of [
    '42',
    '{}',
    '{"jsonrpc":"1.0","id":1,"method":"ping"}',
    '{"jsonrpc":"2.0","id":{},"method":"ping"}',
  ])
    await expectError(await post(body), 400, -32600)
})

test('several messages in one are answered to the revision that has them, and to no other', async () => {
  const batch = JSON.stringify([ping, { ...ping, id: 8 }])
  const response = await post(batch, { 'mcp-protocol-version': '2025-03-26' })
  expect(response.status).toBe(200)
  expect(await response.text()).toMatch(/"id":7.*"id":8|"id":8.*"id":7/s)
  for (const revision of ['2025-06-18', '2025-11-25', '2026-07-28'])
    await expectError(await post(batch, { 'mcp-protocol-version': revision }), 400, -32600)
  await expectError(await post(JSON.stringify([initialize, ping])), 400, -32600)
  await expectError(await post('[]'), 400, -32600)
})

test.each(['ping', 'tools/list', 'resources/list', 'resources/templates/list', 'prompts/list'])(
  'null for the parameters or the cursor is none: %s',
  async method => {
    for (const params of [{ params: null }, method === 'ping' ? {} : { params: { cursor: null } }]) {
      const response = await post(JSON.stringify({ jsonrpc: '2.0', id: 7, method, ...params }))
      expect([response.status, await response.text()]).toEqual([200, expect.stringContaining('"result":')])
    }
  },
)

test.each([
  [{ method: 'notifications/initialized', params: null }],
  [{ method: 'notifications/cancelled', params: null }],
  [{ method: 'notifications/roots/list_changed', params: 5 }],
  [{ method: 'notifications/no/such', params: [1] }],
  [{ method: 'notifications/progress', params: { _meta: 1 } }],
])('a notification is never answered: %j', async message => {
  const notification = { jsonrpc: '2.0', ...message }
  for (const body of [notification, [notification, notification]]) {
    const response = await post(JSON.stringify(body))
    expect([response.status, await response.text()]).toEqual([202, ''])
  }
  const mixed = await (await post(JSON.stringify([notification, ping]))).text()
  expect(mixed).toContain('"id":7')
  expect(mixed).not.toContain('"error"')
})

test.each([
  ['tools/list', { cursor: 5 }, '`params.cursor` must be a string.'],
  ['prompts/list', { cursor: ['a'] }, '`params.cursor` must be a string.'],
  ['resources/templates/list', { cursor: {} }, '`params.cursor` must be a string.'],
  ['tools/call', {}, '`params.name` is required.'],
  ['prompts/get', { name: 5 }, '`params.name` must be a string.'],
  ['resources/read', {}, '`params.uri` is required.'],
  [
    'initialize',
    { capabilities: {}, clientInfo: { name: 'x', version: '1' } },
    '`params.protocolVersion` is required. Send a string.',
  ],
  ['initialize', { ...initialize.params, protocolVersion: 1 }, '`params.protocolVersion` must be a string.'],
])('a wrong parameter is named in a sentence: %s %j', async (method, params, sentence) => {
  const response = await post(JSON.stringify({ jsonrpc: '2.0', id: 7, method, params }))
  const text = await response.text()
  expect(text).toContain(`"code":-32602,"message":"Invalid parameters: ${sentence}`)
  expect(text).not.toContain('invalid_type')
})

test('more than 20 messages in one are refused', async () => {
  const batch = (size: number) => JSON.stringify(Array.from({ length: size }, (_, id) => ({ ...ping, id })))
  expect((await (await post(batch(20))).text()).match(/"id":\d+/g)).toHaveLength(20)
  for (const size of [21, 20_000]) await expectError(await post(batch(size)), 400, -32600)
})

test('several messages in one that only read end with their caller; where one of them writes, all go on', async () => {
  const { client, embeddings } = service
  const search = (query: string) => ({
    name: 'search_memories',
    arguments: { query, search_type: 'semantic' },
  })
  const release = embeddings.hold()
  const before = embeddings.requests.length
  const first = client.searchMemories({ query: 'what the others stand behind', search_type: 'semantic' })
  await embeddings.arrived(before + 1)
  await leave([search('nobody waits for this')])
  await leave([search('somebody else writes too'), { name: 'create_memory', arguments: { content: 'left' } }])
  await client.listMemories()
  release()
  await first
  await client.searchMemories({ query: 'who comes last', search_type: 'semantic' })
  const asked = embeddings.requests.flatMap(({ texts }) => texts)
  expect(asked).toContain('somebody else writes too')
  expect(asked).not.toContain('nobody waits for this')
  const stored = async () => (await client.listMemories()).memories.map(({ content }) => content)
  await expect.poll(stored).toContain('left')
})

test('headers that say something else than the body are refused', async () => {
  const { headers, message } = modernRequest('tools/call', { name: 'list_memories', arguments: {} })
  const body = JSON.stringify(message)
  expect((await post(body, headers)).status).toBe(200)
  const { 'mcp-method': _method, ...withoutMethod } = headers
  const { 'mcp-name': _name, ...withoutName } = headers
  for (const wrong of [
    { ...headers, 'mcp-method': 'tools/list' },
    { ...headers, 'mcp-name': 'delete_memory' },
    { ...headers, 'mcp-protocol-version': '2025-11-25' },
    withoutMethod,
    withoutName,
  ])
    await expectError(await post(body, wrong), 400, -32020)
  await expectError(await post(JSON.stringify(ping), { 'mcp-protocol-version': '1999-01-01' }), 400, -32000)
})

test('an unknown tool, prompt or method, and invalid input have different errors', async () => {
  const ask = async (method: string, params: Record<string, unknown>) => {
    const { headers, message } = modernRequest(method, params)
    return post(JSON.stringify(message), headers)
  }
  await expectError(await ask('tools/call', { name: 'drop_all', arguments: {} }), 200, -32602)
  await expectError(await ask('prompts/get', { name: 'no_prompt' }), 200, -32602)
  await expectError(await ask('memories/steal', {}), 404, -32601)
  const answer = await (
    await ask('tools/call', { name: 'create_memory', arguments: { content: '', tgas: 1 } })
  ).json()
  expect(answer).toMatchObject({
    result: { isError: true, content: [{ text: expect.stringContaining('`tgas` is not a field') }] },
  })
})

test('a request has its id in the answer, and a wrong one is not taken over', async () => {
  const answered = async (id: string) =>
    (await post(JSON.stringify(ping), { 'x-request-id': id })).headers.get('x-request-id')
  expect(await answered('mine-1')).toBe('mine-1')
  expect(await answered('a b')).toMatch(/^[0-9a-f-]{36}$/)
})

async function expectError(response: Response, status: number, code: number) {
  const text = await response.text()
  expect.soft([response.status, text]).toEqual([status, expect.stringContaining(`"code":${code}`)])
}

/** Calls tools in one batch and goes once they are in progress, which the answer to a ping behind them shows. */
async function leave(calls: readonly object[]) {
  const messages = calls.map((params, id) => ({ ...ping, id, method: 'tools/call', params }))
  const gone = new AbortController()
  await post(JSON.stringify([...messages, { ...ping, id: 'in progress' }]), {}, gone.signal)
  gone.abort()
}

/** `fetch` does not let a caller choose the Host. */
function statusWithHost(host: string, url = service.url): Promise<number | undefined> {
  const { port } = new URL(url)
  const headers = {
    host,
    authorization: `Bearer ${OPERATOR_KEY}`,
    'content-type': 'application/json',
    accept: 'application/json, text/event-stream',
  }
  return new Promise((resolve, reject) => {
    request({ host: '127.0.0.1', port, path: '/mcp', method: 'POST', headers }, res => {
      res.resume()
      resolve(res.statusCode)
    })
      .on('error', reject)
      .end(JSON.stringify(initialize))
  })
}
