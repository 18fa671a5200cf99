import { createClient } from 'graphql-ws'
import { type Access, headersOf } from './service.ts'

export type Way = 'events' | 'websocket'

/** Calls `changed` for each change until the signal aborts, and `open` once it listens. */
export function follow(access: Access, way: Way, on: Listener, signal: AbortSignal): Promise<void> {
  return way === 'events' ? followEvents(access, on, signal) : followSocket(access, on, signal)
}

type Listener = { open(): void; changed(): void }

/** Server-sent events, read by `fetch`: an `EventSource` cannot send a token in a header. */
async function followEvents(access: Access, on: Listener, signal: AbortSignal): Promise<void> {
  const response = await fetch(`${access.url}/api/v1/events`, { headers: headersOf(access), signal })
  if (!response.ok || !response.body) throw new Error(`The service answered ${response.status}.`)
  on.open()
  let rest = ''
  for await (const piece of response.body.pipeThrough(new TextDecoderStream())) {
    const events = (rest + piece).split('\n\n')
    rest = events.pop() ?? ''
    for (const event of events) if (/^data: ?\{/m.test(event)) on.changed()
  }
}

/** A subscription over a websocket. The token travels in the first message, because a browser sets no headers there. */
async function followSocket(access: Access, on: Listener, signal: AbortSignal): Promise<void> {
  const client = createClient({
    url: `${access.url.replace(/^http/, 'ws')}/graphql`,
    connectionParams: headersOf(access),
    retryAttempts: 3,
    on: { connected: on.open },
  })
  signal.addEventListener('abort', () => void client.dispose(), { once: true })
  for await (const _ of client.iterate({ query: 'subscription { changes { kind } }' })) on.changed()
}
