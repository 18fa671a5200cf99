import type { toNodeHandler } from '@modelcontextprotocol/node'
import type { Request } from 'express'

type Handler = Parameters<typeof toNodeHandler>[0]

const BOTH = 'application/json, text/event-stream'

/**
 * The protocol wants both types in Accept, and many clients name one or none. They are answered too: with JSON, unless
 * they take events.
 */
export function asAccepted(handler: Handler, req: Request): Handler {
  const wantsEvents = Boolean(req.accepts('text/event-stream'))
  const wantsJson = Boolean(req.accepts('application/json'))
  if (!wantsEvents && !wantsJson) return handler
  const names = /application\/json/.test(req.get('accept') ?? '')
  req.headers.accept = BOTH
  if (wantsEvents && (names || !wantsJson)) return handler
  return {
    ...handler,
    fetch: async (...asked) => inJson(await handler.fetch(...asked)),
  }
}

/** The messages of an event stream as one JSON answer. A stream that answers no request stays a stream. */
async function inJson(response: Response): Promise<Response> {
  if (!response.headers.get('content-type')?.startsWith('text/event-stream')) return response
  const messages = Array.from((await response.text()).matchAll(/^data: ?(.+)$/gm), ([, data]) =>
    JSON.parse(data as string),
  ).filter(message => 'result' in message || 'error' in message)
  return Response.json(messages.length === 1 ? messages[0] : messages, { status: response.status })
}
