import { once } from 'node:events'
import { type IncomingMessage, request } from 'node:http'
import { connect } from 'node:net'
import { json } from 'node:stream/consumers'
import { expect, test } from 'vitest'
import { WebSocket } from 'ws'
import { problem } from '../../src/contract/problems.ts'
import { OPERATOR_KEY, someMemory, startService, withService } from '../support/service.ts'

const service = withService()

type Sent = { method?: string; headers: Record<string, string>; body?: unknown }

async function ask(path: string, { method = 'GET', headers, body }: Sent) {
  const sent = request(service.url + path, { method, headers })
  sent.end(body === undefined ? undefined : JSON.stringify(body))
  const [response] = (await once(sent, 'response')) as [IncomingMessage]
  return { status: response.statusCode, headers: response.headers, body: await json(response) }
}

/** What clients send along that would rather speak HTTP/2, such as `curl --http2`. */
const http2 = {
  connection: 'Upgrade, HTTP2-Settings',
  upgrade: 'h2c',
  'http2-settings': 'AAMAAABkAAQAoAAAAAIAAAAA',
}

test('who offers HTTP/2 is answered in HTTP/1.1, with a body too', async () => {
  expect(await ask('/health', { headers: http2 })).toMatchObject({ status: 200, body: { status: 'ok' } })
  const headers = {
    ...http2,
    'content-type': 'application/json',
    'x-api-key': OPERATOR_KEY,
    'x-tenant-id': service.tenant,
  }
  const created = await ask('/api/v1/memories', { method: 'POST', headers, body: someMemory() })
  expect(created).toMatchObject({ status: 201, body: { version: 1 } })
})

const websocket = {
  connection: 'Upgrade',
  upgrade: 'WebSocket',
  'sec-websocket-version': '13',
  'sec-websocket-key': Buffer.alloc(16).toString('base64'),
}

test.each([
  ['at another path', '/elsewhere', {}, 'unknown_path'],
  ['for a page of another origin', '/graphql', { origin: 'http://elsewhere.example' }, 'foreign_caller'],
  [
    'by another host name, for a page of that host',
    '/graphql',
    { host: 'evil.example', origin: 'http://evil.example' },
    'foreign_caller',
  ],
])('a websocket %s is refused with a problem document', async (_, path, headers, code) => {
  const refused = await ask(path, { headers: { ...websocket, ...headers } })
  expect(refused.headers['content-type']).toBe('application/problem+json; charset=utf-8')
  const document = problem.parse(refused.body)
  expect(document).toMatchObject({ code, status: refused.status, instance: path })
  expect(refused.headers['x-request-id']).toBe(document.request_id)
})

test('a refused client that keeps its side open is disconnected', async () => {
  const { hostname, port } = new URL(service.url)
  const socket = connect({ host: hostname, port: Number(port), allowHalfOpen: true })
  socket.write('GET /elsewhere HTTP/1.1\r\nHost: a\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n\r\n')
  await once(socket.resume(), 'end')
  // What is still sent is answered by a reset, as nobody is there any more.
  const cut = once(socket, 'error')
  const sending = setInterval(() => socket.write('x'), 5)
  const [error] = await cut
  clearInterval(sending)
  expect(['ECONNRESET', 'EPIPE']).toContain(error.code)
})

test('a websocket beyond the bound on those with a key is refused with the time to retry', async () => {
  await using small = await startService({ settings: { SERVICE_FEED_STREAMS: '1' } })
  const address = `${small.url.replace('http', 'ws')}/graphql`
  const waiting = new WebSocket(address, 'graphql-transport-ws')
  await once(waiting, 'open')
  const first = new WebSocket(address, 'graphql-transport-ws', {
    headers: { authorization: `Bearer ${OPERATOR_KEY}` },
  })
  await once(first, 'open')
  first.send(JSON.stringify({ type: 'connection_init' }))
  await once(first, 'message')
  const second = new WebSocket(address, 'graphql-transport-ws').on('error', () => {})
  const [, response] = (await once(second, 'unexpected-response')) as [unknown, IncomingMessage]
  expect([response.statusCode, response.headers['retry-after']]).toEqual([429, '10'])
  expect(await json(response)).toMatchObject({ code: 'too_many_streams' })
  first.terminate()
  waiting.terminate()
})
