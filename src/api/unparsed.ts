import type { Duplex } from 'node:stream'
import type { ProblemCode } from '../contract/problem-codes.ts'
import { ServiceError } from '../contract/problems.ts'
import { refuseUpgrade, writeRawResponse } from './raw-response.ts'

/** Returns what never became a request, as Node could not read it, like every other failure; and hangs up. */
export function answerUnparsed(error: NodeJS.ErrnoException, socket: Duplex) {
  if (error.code === 'ECONNRESET' || !socket.writable) return void socket.destroy()
  const [code, detail] = reasons[error.code ?? ''] ?? unreadable
  writeRawResponse(socket, new ServiceError(code, detail))
}

/** This is no proxy. */
export function refuseTunnel(_req: unknown, socket: Duplex) {
  socket.on('error', () => socket.destroy())
  const detail = 'CONNECT is not possible here: this is no proxy.'
  refuseUpgrade(socket, new ServiceError('method_not_allowed', detail), '')
}

const unreadable: [ProblemCode, string] = ['malformed_request', 'This is not HTTP as RFC 9112 describes it.']

const reasons: Record<string, [ProblemCode, string]> = {
  HPE_HEADER_OVERFLOW: ['headers_too_large', 'The request line and the headers are over 16 KiB together.'],
  ERR_HTTP_REQUEST_TIMEOUT: ['request_timeout', 'The request did not arrive whole in time.'],
}
