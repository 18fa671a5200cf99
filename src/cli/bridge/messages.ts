export type Id = string | number
export type RpcError = { code: number; message: string; data?: unknown }
export type Message = {
  jsonrpc: '2.0'
  id?: Id
  method?: string
  params?: Record<string, unknown> | null
  result?: Record<string, unknown>
  error?: RpcError
}
type RefusedMessage = { jsonrpc: '2.0'; id: Id | null; error: RpcError }
export type RpcAnswer = Message | RefusedMessage

/** The codes of JSON-RPC. */
export const code = { parse: -32700, invalid: -32600, refused: -32000 } as const

export const errorMessage = (id: Id | null, error: RpcError): RefusedMessage => ({
  jsonrpc: '2.0',
  id,
  error,
})

const utf8 = new TextDecoder('utf-8', { fatal: true })

/** Parses a line and keeps its text; undefined if it is not JSON in UTF-8. */
export function parseMessage(line: Buffer): { value: unknown; text: string } | undefined {
  try {
    const text = utf8.decode(line)
    return { value: JSON.parse(text), text }
  } catch {
    return undefined
  }
}

export function isMessage(value: unknown): value is Message {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return false
  const { jsonrpc, id, method } = value as Record<string, unknown>
  const isAnswer = 'result' in value || 'error' in value
  return (
    jsonrpc === '2.0' &&
    (id === undefined || isId(id)) &&
    (typeof method === 'string' || (method === undefined && isAnswer && id !== undefined))
  )
}

/** The id under which a message that is no message may be refused. */
export const idOf = (value: unknown): Id | null => {
  const { id } = (value ?? {}) as { id?: unknown }
  return isId(id) ? id : null
}

const isId = (id: unknown): id is Id => typeof id === 'string' || typeof id === 'number'
