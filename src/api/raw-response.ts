import { randomUUID } from 'node:crypto'
import { STATUS_CODES } from 'node:http'
import type { Duplex } from 'node:stream'
import type { ServiceError } from '../contract/problems.ts'
import { problemDocument } from './problems.ts'

/** Writes a problem document to a connection without a response object, and closes it. */
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

/** The same for an upgraded connection, which would otherwise stay open until the client closes it. */
export function refuseUpgrade(
  socket: Duplex,
  ...problem: [error: ServiceError, instance: string, requestId?: string]
) {
  socket.once('finish', () => socket.destroy())
  writeRawResponse(socket, ...problem)
}
