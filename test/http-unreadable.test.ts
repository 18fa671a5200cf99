import { once } from 'node:events'
import { connect } from 'node:net'
import { text } from 'node:stream/consumers'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { problem } from '../src/contract/problems.ts'
import { startService, type TestService } from './support/service.ts'

let service: TestService
beforeAll(async () => {
  service = await startService()
})
afterAll(() => service?.[Symbol.asyncDispose]())

test.each([
  ['something that is no HTTP', 'EHLO there\r\n\r\n', 400, 'malformed_request'],
  [
    'a header with a control character',
    'GET / HTTP/1.1\r\nHost: a\r\nX-A: a\0b\r\n\r\n',
    400,
    'malformed_request',
  ],
  [
    'headers without end',
    `GET / HTTP/1.1\r\nHost: a\r\nX-A: ${'a'.repeat(20_000)}\r\n\r\n`,
    431,
    'headers_too_large',
  ],
])('%s is answered with a problem document', async (_, sent, status, code) => {
  const answer = await say(sent)
  const [head, body] = answer.split('\r\n\r\n') as [string, string]
  expect(head).toMatch(new RegExp(`^HTTP/1\\.1 ${status} `))
  expect(head).toContain('Content-Type: application/problem+json')
  expect(problem.parse(JSON.parse(body))).toMatchObject({ status, code })
  expect(head).toContain(`X-Request-Id: ${JSON.parse(body).request_id}`)
})

async function say(sent: string): Promise<string> {
  const { hostname, port } = new URL(service.url)
  const socket = connect(Number(port), hostname)
  await once(socket, 'connect')
  socket.write(sent)
  return text(socket)
}
