import { once } from 'node:events'
import { connect } from 'node:net'
import { text } from 'node:stream/consumers'
import { expect, test } from 'vitest'
import { problem } from '../../src/contract/problems.ts'
import { withService } from '../support/service.ts'

const service = withService()

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
  [
    'a request without the header Host',
    'GET /health HTTP/1.1\r\nConnection: close\r\n\r\n',
    400,
    'malformed_request',
  ],
  ['a request for a tunnel', 'CONNECT a:1 HTTP/1.1\r\nHost: a\r\n\r\n', 405, 'method_not_allowed'],
])('%s is answered with a problem document', async (_, sent, status, code) => {
  const answer = await say(sent)
  const [head, body] = answer.split('\r\n\r\n') as [string, string]
  expect(head).toMatch(new RegExp(`^HTTP/1\\.1 ${status} `))
  expect(head).toContain('Content-Type: application/problem+json')
  expect(problem.parse(JSON.parse(body))).toMatchObject({ status, code })
  expect(head).toContain(`X-Request-Id: ${JSON.parse(body).request_id}`)
})

test.each([
  [
    'an expectation that is not known',
    'GET /health HTTP/1.1\r\nHost: localhost\r\nExpect: more\r\nConnection: close\r\n\r\n',
  ],
  ['HTTP/1.0 without the header Host', 'GET /health HTTP/1.0\r\n\r\n'],
])('%s does no harm', async (_, sent) => {
  expect(await say(sent)).toMatch(/^HTTP\/1\.1 200 /)
})

async function say(sent: string): Promise<string> {
  const { hostname, port } = new URL(service.url)
  const socket = connect(Number(port), hostname)
  await once(socket, 'connect')
  socket.write(sent)
  return text(socket)
}
