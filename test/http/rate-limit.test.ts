import { once } from 'node:events'
import { expect, test } from 'vitest'
import WebSocket from 'ws'
import { expectProblem } from '../support/expect-problem.ts'
import { freshTenant, OPERATOR_KEY, startService, withService } from '../support/service.ts'

const service = withService({ settings: { SERVICE_RATE_LIMIT: '3' } })

test('a credential with too many requests learns when to retry; other credentials and health checks are not limited', async () => {
  const statuses = await Promise.all([1, 2, 3].map(async () => (await service.request('/stats')).status))
  expect(statuses).toEqual([200, 200, 200])
  const refused = await service.request('/stats')
  const seconds = Number(refused.headers.get('retry-after'))
  expect(seconds).toBeGreaterThanOrEqual(1)
  expect(seconds).toBeLessThanOrEqual(60)
  expect((await expectProblem(refused, 'rate_limited')).detail).toContain('3')

  expect((await service.request('/health')).status).toBe(200)
  const other = await service.request('/stats', { headers: { authorization: 'Bearer another' } })
  expect(other.status).toBe(401)
})

test('who has no key is counted by address', async () => {
  await using own = await startService({ settings: { SERVICE_RATE_LIMIT: '3' } })
  const ask = async () => (await fetch(`${own.baseUrl}/stats`)).status
  expect([await ask(), await ask(), await ask(), await ask()]).toEqual([401, 401, 401, 429])
})

test('the keys of a tenant share its count, however many there are; another tenant has its own', async () => {
  await using own = await startService({ settings: { SERVICE_RATE_LIMIT: '4' } })
  const ask = async (key: string) =>
    (await fetch(`${own.baseUrl}/stats`, { headers: { authorization: `Bearer ${key}` } })).status
  const other = await own.client.createKey({ tenant: freshTenant(), scopes: ['read'] })
  const { key: admin } = await own.client.createKey({ scopes: ['admin'] })
  const made = []
  for (const owner of [undefined, 'ann'])
    made.push(await own.clientOf(own.tenant, admin).createKey({ scopes: ['read'], ...(owner && { owner }) }))
  const statuses = []
  for (const { key } of [...made, ...made]) statuses.push(await ask(key))
  expect(statuses).toEqual([200, 200, 429, 429])
  expect(await ask(other.key)).toBe(200)
})

test('a key with a limit of its own shares it with the keys that it was rotated to, and is not held by that of its tenant', async () => {
  await using own = await startService({ settings: { SERVICE_RATE_LIMIT: '3' } })
  const ask = async (key: string) =>
    (await fetch(`${own.baseUrl}/stats`, { headers: { authorization: `Bearer ${key}` } })).status
  const first = await own.client.createKey({ rate_limit: 5, name: 'import' })
  const second = await own.client.rotateKey({ id: first.id })
  const statuses = []
  for (const { key } of [first, second, first, second, second, first]) statuses.push(await ask(key))
  expect(statuses).toEqual([200, 200, 200, 200, 200, 429])
})

test('made-up keys share one count, and do not hinder a valid key', async () => {
  await using own = await startService({ settings: { SERVICE_RATE_LIMIT: '3' } })
  const madeUp = () => `mnk_${crypto.randomUUID().replaceAll('-', '')}_${'x'.repeat(43)}`
  const ask = async (key: string) =>
    (await fetch(`${own.baseUrl}/stats`, { headers: { authorization: `Bearer ${key}` } })).status
  const statuses = []
  for (const key of [madeUp(), 'another', madeUp(), madeUp(), 'a fifth']) statuses.push(await ask(key))
  expect(statuses).toEqual([401, 401, 401, 429, 429])
  expect((await own.request('/stats')).status).toBe(200)
})

test('a websocket and what is asked over it count like requests, however the header is written', async () => {
  await using own = await startService({ settings: { SERVICE_RATE_LIMIT: '3' } })
  const open = async () => {
    const socket = new WebSocket(`${own.url.replace('http', 'ws')}/graphql`, 'graphql-transport-ws', {
      headers: { authorization: `Bearer ${OPERATOR_KEY}`, 'x-tenant-id': own.tenant },
    })
    await once(socket, 'open')
    socket.send(JSON.stringify({ type: 'connection_init' }))
    return socket
  }
  const socket = await open()
  await once(socket, 'message')
  const ask = async (id: string, then: object) => {
    socket.send(
      JSON.stringify({ type: 'subscribe', id, payload: { query: 'subscription { changes { kind } }' } }),
    )
    socket.send(JSON.stringify(then))
    return JSON.parse(String((await once(socket, 'message'))[0]))
  }
  const ping = { type: 'ping' }
  expect([await ask('1', ping), await ask('2', ping)]).toEqual([{ type: 'pong' }, { type: 'pong' }])
  const refused = await ask('3', { type: 'pong' })
  expect(refused).toMatchObject({
    type: 'error',
    id: '3',
    payload: [{ extensions: { code: 'RATE_LIMITED' } }],
  })
  const [{ extensions }] = refused.payload
  expect(extensions.retryAfterSeconds).toBeGreaterThanOrEqual(1)
  expect(extensions.retryAfterSeconds).toBeLessThanOrEqual(60)
  socket.close()

  expect((await once(await open(), 'close'))[0]).toBe(1013)
  const request = await own.request('/stats', { headers: { authorization: `bearer   ${OPERATOR_KEY}` } })
  await expectProblem(request, 'rate_limited')
})

test('each message of an MCP batch counts as a request', async () => {
  await using own = await startService({ settings: { SERVICE_RATE_LIMIT: '5' } })
  const ask = (size: number) =>
    fetch(`${own.url}/mcp`, {
      method: 'POST',
      headers: {
        authorization: `Bearer ${OPERATOR_KEY}`,
        'content-type': 'application/json',
        accept: 'application/json, text/event-stream',
      },
      body: JSON.stringify(Array.from({ length: size }, (_, id) => ({ jsonrpc: '2.0', id, method: 'ping' }))),
    })
  expect((await ask(3)).status).toBe(200)
  const refused = await ask(3)
  const seconds = Number(refused.headers.get('retry-after'))
  expect(seconds).toBeGreaterThanOrEqual(1)
  expect(seconds).toBeLessThanOrEqual(60)
  await expectProblem(refused, 'rate_limited')
})

test('a key has a limit of its own, also where the service has none', async () => {
  await using own = await startService({})
  const { key } = await own.client.createKey({ rate_limit: 3 })
  const ask = async () =>
    (await fetch(`${own.baseUrl}/stats`, { headers: { authorization: `Bearer ${key}` } })).status
  expect(await ask()).toBe(200)
  await expect.poll(ask, { interval: 10 }).toBe(429)
  expect((await own.request('/stats')).status).toBe(200)
})
