import { INVALID_REQUEST, PARSE_ERROR } from '@modelcontextprotocol/server'
import type { Request } from 'express'
import { type JsonFault, readJson } from '../../contract/json.ts'
import { ServiceError } from '../../contract/problems.ts'
import { readJsonBody } from '../json-body.ts'

type Refusal = { jsonrpc: '2.0'; id: null; error: { code: number; message: string } }

/** Revisions from here on know no batches. The one before them is what a client without the header speaks. */
const WITHOUT_BATCHES = '2025-06-18'

/** So many messages a batch may have: each is an operation, and all are in progress at once. */
const LARGEST_BATCH = 20

type Messages = {
  readonly body: unknown
  readonly messages: readonly unknown[]
  /** What the body does not say as it was written, for which tools refuse a call. */
  readonly fault: JsonFault | undefined
}

/** The body of a request and the messages in it, or the answer that JSON-RPC has for a body that is none. */
export async function readMessages(req: Request): Promise<Messages | { refusal: Refusal }> {
  const bytes = req.body as unknown
  if (!req.is('application/json'))
    throw new ServiceError('unsupported_media_type', 'The body must be application/json.')
  const message = Buffer.isBuffer(bytes) ? bytes : Buffer.alloc(0)
  const { value: body, tooLarge, fault } = await readJsonBody(message)
  if (tooLarge) return refuse(INVALID_REQUEST, `Invalid request: the message ${tooLarge}`)
  if (body === undefined) return refuse(PARSE_ERROR, 'Parse error: the body is not JSON in UTF-8')
  const revision = req.get('mcp-protocol-version')
  if (Array.isArray(body) && revision !== undefined && revision >= WITHOUT_BATCHES)
    return refuse(INVALID_REQUEST, `Invalid request: revision ${revision} has no batches`)
  if (Array.isArray(body) && body.length > LARGEST_BATCH)
    return refuse(INVALID_REQUEST, `Invalid request: a batch has at most ${LARGEST_BATCH} messages`)
  const messages = [body].flat()
  for (const message of messages) readParameters(message)
  return { body, messages, fault }
}

/** Hosts send null for what they leave out, arguments as text, and numbers to prompts, which the protocol's own check would refuse. */
function readParameters(message: unknown) {
  const read = (message ?? {}) as { method?: unknown; params?: Record<string, unknown> | null }
  if (read.params === null) delete read.params
  const { method, params } = read
  if (typeof params !== 'object') return
  if (params.cursor === null) delete params.cursor
  const given = typeof params.arguments === 'string' ? inText(params.arguments) : params.arguments
  if (given === null || given === undefined) delete params.arguments
  else params.arguments = method === 'prompts/get' ? textsOf(given) : given
}

const inText = (text: string) => (text.trim() === '' ? undefined : (readJson(text).value ?? text))

const textsOf = (given: object) =>
  Object.fromEntries(
    Object.entries(given).flatMap(([name, value]) => (value === null ? [] : [[name, String(value)]])),
  )

const refuse = (code: number, message: string): { refusal: Refusal } => ({
  refusal: { jsonrpc: '2.0', id: null, error: { code, message } },
})
