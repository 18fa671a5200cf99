import { STATUS_CODES } from 'node:http'
import type { Duplex } from 'node:stream'
import { v7 as mintId } from 'uuid'
import { type ProblemCode, ServiceError } from '../contract/problems.ts'
import { problemDocument } from './problems.ts'

/** Answers what never became a request, as Node could not read it, like every other failure; and hangs up. */
export function answerUnreadable(error: NodeJS.ErrnoException, socket: Duplex) {
  if (error.code === 'ECONNRESET' || !socket.writable) return void socket.destroy()
  const [code, detail] = reasons[error.code ?? ''] ?? unreadable
  hangUp(socket, new ServiceError(code, detail))
}

/** Answers with a problem document where there is no response to write to, and closes the connection. */
export function hangUp(socket: Duplex, error: ServiceError, instance = '') {
  const requestId = mintId()
  const document = problemDocument(error, instance, requestId)
  const body = JSON.stringify(document)
  socket.end(
    [
      `HTTP/1.1 ${document.status} ${STATUS_CODES[document.status]}`,
      'Content-Type: application/problem+json; charset=utf-8',
      `Content-Length: ${Buffer.byteLength(body)}`,
      `X-Request-Id: ${requestId}`,
      'Cache-Control: no-store',
      ...(error.retryAfterSeconds === undefined ? [] : [`Retry-After: ${error.retryAfterSeconds}`]),
      'Connection: close',
      '',
      body,
    ].join('\r\n'),
  )
}

const unreadable: [ProblemCode, string] = ['malformed_request', 'This is not HTTP as RFC 9112 describes it.']

const reasons: Record<string, [ProblemCode, string]> = {
  HPE_HEADER_OVERFLOW: ['headers_too_large', 'The request line and the headers are over 16 KiB together.'],
  ERR_HTTP_REQUEST_TIMEOUT: ['request_timeout', 'The request did not arrive whole in time.'],
}
