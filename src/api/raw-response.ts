import { randomUUID } from 'node:crypto'
import { STATUS_CODES } from 'node:http'
import type { Duplex } from 'node:stream'
import type { ServiceError } from '../contract/problems.ts'
import { problemDocument } from './problems.ts'

/** Answers with a problem document where there is no response to write to, and closes the connection. */
export function writeRawResponse(
  socket: Duplex,
  error: ServiceError,
  instance = '',
  requestId: string = randomUUID(),
) {
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

/** The same for a connection that has left the server, which would wait for as long as the other side keeps it open. */
export function refuseUpgrade(
  socket: Duplex,
  ...told: [error: ServiceError, instance: string, requestId?: string]
) {
  socket.once('finish', () => socket.destroy())
  writeRawResponse(socket, ...told)
}
