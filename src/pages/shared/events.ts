import { eventsIn, type ServerEvent, textIn } from '../../server-events.ts'
import { call, refusalOf } from './ask.ts'

/**
 * The events of a stream, until it ends. It is read by `fetch`, because a browser's own `EventSource` cannot send the key
 * in a header. @throws Refusal when the stream is not given
 */
export async function* eventsOf(path: `/${string}`, init: RequestInit): AsyncGenerator<ServerEvent> {
  const response = await call(path, { ...init, headers: { ...init.headers, accept: 'text/event-stream' } })
  if (!response.ok || !response.body)
    throw refusalOf(response, (await response.json().catch(() => ({}))) as { detail?: string; code?: string })
  yield* eventsIn(textIn(response.body))
}
