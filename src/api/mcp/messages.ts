import { INVALID_REQUEST, PARSE_ERROR } from '@modelcontextprotocol/server'
import type { Request } from 'express'
import { ServiceError } from '../../contract/problems.ts'

type Refusal = { jsonrpc: '2.0'; id: null; error: { code: number; message: string } }

/** Revisions from here on know no batches. The one before them is what a client without the header speaks. */
const WITHOUT_BATCHES = '2025-06-18'

/** The message of a request whose body is read, or the answer that JSON-RPC has for one that is none. */
export function readMessage(req: Request): { body: unknown } | { refusal: Refusal } {
  const bytes = req.body as unknown
  if (!req.is('application/json'))
    throw new ServiceError('unsupported_media_type', 'The body must be application/json.')
  const body = parse(Buffer.isBuffer(bytes) ? bytes : Buffer.alloc(0))
  if (body === undefined) return refuse(PARSE_ERROR, 'Parse error: the body is not JSON in UTF-8')
  const revision = req.get('mcp-protocol-version')
  if (Array.isArray(body) && revision !== undefined && revision >= WITHOUT_BATCHES)
    return refuse(INVALID_REQUEST, `Invalid request: revision ${revision} has no batches`)
  return { body }
}

const utf8 = new TextDecoder('utf-8', { fatal: true })

function parse(bytes: Buffer): unknown {
  try {
    return JSON.parse(utf8.decode(bytes))
  } catch {
    return undefined
  }
}

const refuse = (code: number, message: string): { refusal: Refusal } => ({
  refusal: { jsonrpc: '2.0', id: null, error: { code, message } },
})
