import { once } from 'node:events'
import type { IncomingMessage } from 'node:http'
import { expect, test } from 'vitest'
import { WebSocket } from 'ws'
import { rawRequest } from '../support/raw-request.ts'
import { OPERATOR_KEY, someMemory, startService, withService } from '../support/service.ts'

const KEY = `${OPERATOR_KEY}-in-production`

const service = withService({
  operatorKey: KEY,
  settings: {
    NODE_ENV: 'production',
    SERVICE_PUBLIC_URL: 'https://memory.example/memory',
    SERVICE_CORS_ORIGINS:
      'https://app.example.com, https://*.example.org, http://dev.example:*, HTTPS://Ports.example:8443, http://[2001:db8::1]:3000, capacitor://localhost',
  },
})

const headers = (origin: string | string[]) => ({
  origin,
  authorization: `Bearer ${KEY}`,
  'x-tenant-id': service.tenant,
})

const preflight = (origin: string | string[], path = '/api/v1/memories', url = service.url) =>
  rawRequest(url + path, {
    method: 'OPTIONS',
    headers: {
      origin,
      'access-control-request-method': 'PATCH',
      'access-control-request-headers': 'authorization,content-type,idempotency-key,if-match,x-tenant-id',
    },
  })

/** The status with which a websocket is opened or refused. */
async function upgrade(origin: string, url = service.url): Promise<number | undefined> {
  const socket = new WebSocket(`${url.replace('http', 'ws')}/graphql`, 'graphql-transport-ws', {
    headers: { origin },
  }).on('error', () => {})
  const [, response] = (await Promise.race([
    once(socket, 'open').then(() => [undefined, { statusCode: 101 }]),
    once(socket, 'unexpected-response'),
  ])) as [unknown, IncomingMessage]
  socket.terminate()
  return response.statusCode
}

const ping = JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'ping' })

const viaMcp = (origin: string | string[]) =>
  rawRequest(`${service.url}/mcp`, {
    method: 'POST',
    headers: {
      ...headers(origin),
      'content-type': 'application/json',
      accept: 'application/json, text/event-stream',
    },
    body: ping,
  })

const ALLOWED: readonly string[] = [
  'https://app.example.com',
  'https://a.example.org',
  'https://a.b.example.org',
  'https://xn--bcher-kva.example.org',
  'http://dev.example',
  'http://dev.example:3000',
  'https://ports.example:8443',
  'http://[2001:db8::1]:3000',
  'capacitor://localhost',
  // The service itself, by its public address.
  'https://memory.example',
]

const REFUSED: readonly string[] = [
  'null',
  '',
  '*',
  'app.example.com',
  '//app.example.com',
  'http://app.example.com',
  'https://app.example.com/',
  'https://app.example.com/page',
  'https://app.example.com?',
  'https://app.example.com#',
  'https://app.example.com:443',
  'https://app.example.com:8443',
  'https://app.example.com.',
  'https://app.example.com.evil.example',
  'https://evilapp.example.com',
  'https://app-example.com',
  'https://example.com',
  'https://example.org',
  'https://evilexample.org',
  'https://a.example.org:8443',
  'https://a.example.org.evil.example',
  'https://.example.org',
  'https://a..example.org',
  'https://*.example.org',
  'HTTPS://APP.EXAMPLE.COM',
  'https://App.example.com',
  'https://user@app.example.com',
  'https://user:password@app.example.com',
  'https://app.example.com@evil.example',
  'https://app.example.com\\.evil.example',
  'https://app.example.com%2eevil.example',
  'https://app.example.com https://evil.example',
  'https://app.example.com, https://evil.example',
  'http://dev.example:99999',
  'http://dev.example:0',
  'http://dev.example:',
  'https://dev.example',
  'http://[2001:db8::1]',
  'http://[2001:0db8:0:0:0:0:0:1]:3000',
  'http://[2001:db8::2]:3000',
  'https://ports.example',
  'capacitor://localhost:3000',
  'file://',
  'http://localhost:3000',
  'http://127.0.0.1',
  'http://[::1]:4545',
  'https://memory.example:8443',
  'http://memory.example',
]

test.each(ALLOWED)('a page of %j may call everything, and keeps the permission', async origin => {
  for (const path of ['/api/v1/memories', '/graphql', '/mcp', '/api/v1/events']) {
    const allowed = await preflight(origin, path)
    expect([allowed.status, allowed.text]).toEqual([204, ''])
    expect(allowed.headers).toMatchObject({
      'access-control-allow-origin': origin,
      'access-control-allow-methods': expect.stringContaining('PATCH'),
      'access-control-allow-headers': expect.stringMatching(/idempotency-key,if-match/),
      'access-control-max-age': '7200',
      vary: expect.stringContaining('Origin'),
    })
  }
  const read = await rawRequest(`${service.url}/api/v1/stats`, { headers: headers(origin) })
  expect([read.status, read.headers['access-control-allow-origin']]).toEqual([200, origin])
  expect((await viaMcp(origin)).headers['access-control-allow-origin']).toBe(origin)
  expect(await upgrade(origin)).toBe(101)
})

test.each(REFUSED)('a page of %j may call nothing', async origin => {
  const refused = await preflight(origin)
  expect([refused.status, JSON.parse(refused.text).code]).toEqual([403, 'foreign_caller'])
  const read = await rawRequest(`${service.url}/api/v1/stats`, { headers: headers(origin) })
  for (const { headers: answered } of [refused, read]) {
    expect(Object.keys(answered).filter(name => name.startsWith('access-control'))).toEqual([])
    expect(answered.vary).toContain('Origin')
  }
  expect(JSON.parse((await viaMcp(origin)).text).code).toBe('foreign_caller')
  expect(await upgrade(origin)).toBe(403)
})

test('two Origin headers name no origin', async () => {
  const two = ['https://app.example.com', 'https://app.example.com']
  expect((await preflight(two)).status).toBe(403)
  expect((await viaMcp(two)).status).toBe(403)
})

test('a page reads the headers that it works with', async () => {
  const origin = 'https://app.example.com'
  const created = await rawRequest(`${service.baseUrl}/memories`, {
    method: 'POST',
    headers: { ...headers(origin), 'content-type': 'application/json' },
    body: JSON.stringify(someMemory()),
  })
  expect(created.status).toBe(201)
  const readable = String(created.headers['access-control-expose-headers']).toLowerCase().split(', ')
  expect(readable).toEqual(
    expect.arrayContaining([
      'etag',
      'location',
      'x-request-id',
      'retry-after',
      'mnemograph-bookmark',
      'ratelimit',
    ]),
  )
  expect(created.headers['access-control-allow-credentials']).toBe('true')
})

test('problems can be read too, with and without a key', async () => {
  await using limited = await startService({
    settings: { SERVICE_RATE_LIMIT: '2', SERVICE_CORS_ORIGINS: 'https://app.example.com' },
  })
  const ask = async (path: string) => {
    const { status, headers: answered } = await rawRequest(limited.url + path, {
      headers: { origin: 'https://app.example.com' },
    })
    expect(answered['access-control-allow-origin']).toBe('https://app.example.com')
    expect(answered['access-control-expose-headers']).toContain('Retry-After')
    return status
  }
  expect([await ask('/api/v1/stats'), await ask('/nowhere'), await ask('/graphql')]).toEqual([401, 404, 429])
  expect(await ask('/health')).toBe(200)
  const statuses = [1, 2, 3].map(
    async () => (await preflight('https://app.example.com', '/mcp', limited.url)).status,
  )
  expect(await Promise.all(statuses)).toEqual([204, 204, 204])
})

test('with * every origin may call, without cookies, and a page without an origin may not', async () => {
  await using open = await startService({ settings: { SERVICE_CORS_ORIGINS: '*' } })
  const { status, headers: answered } = await preflight('https://anywhere.example', '/graphql', open.url)
  expect([status, answered['access-control-allow-origin']]).toEqual([204, 'https://anywhere.example'])
  expect(answered).not.toHaveProperty('access-control-allow-credentials')
  expect((await preflight('null', '/graphql', open.url)).status).toBe(403)
})

test('outside of production pages of this machine may call', async () => {
  await using own = await startService()
  for (const origin of [
    'http://localhost:5173',
    'http://127.0.0.1:3000',
    'https://localhost',
    'http://[::1]:8080',
  ])
    expect([(await preflight(origin, '/graphql', own.url)).status, await upgrade(origin, own.url)]).toEqual([
      204, 101,
    ])
  for (const origin of ['http://localhost.evil.example', 'https://app.example.com'])
    expect((await preflight(origin, '/graphql', own.url)).status).toBe(403)
})

test('in production a page of the service itself may call, by the address it was loaded from', async () => {
  expect((await preflight(service.url)).status).toBe(204)
  expect(await upgrade(service.url)).toBe(101)
})

test('OPTIONS without a preflight needs a key as before', async () => {
  const { status } = await rawRequest(`${service.baseUrl}/memories`, {
    method: 'OPTIONS',
    headers: { origin: 'https://app.example.com' },
  })
  expect(status).toBe(401)
})
