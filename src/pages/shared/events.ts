import { call, refusalOf } from './ask.ts'

/** A server-sent event; `id` is the position after it. An event without data only advances that position. */
export type ServerEvent = { name: string; data: string; id: string | undefined }

/**
 * The events of a stream, until it ends. It is read by `fetch`, because a browser's own `EventSource` cannot send the key
 * in a header. @throws Refusal when the stream is not given
 */
export async function* eventsOf(path: string, init: RequestInit): AsyncGenerator<ServerEvent> {
  const response = await call(path, { ...init, headers: { ...init.headers, accept: 'text/event-stream' } })
  if (!response.ok || !response.body)
    throw refusalOf(response, (await response.json().catch(() => ({}))) as { detail?: string; code?: string })
  const reader = response.body.pipeThrough(new TextDecoderStream()).getReader()
  let rest = ''
  for (;;) {
    const { value, done } = await reader.read()
    if (done) return
    const blocks = (rest + value).split('\n\n')
    rest = blocks.pop() ?? ''
    for (const block of blocks) yield parsed(block)
  }
}

function parsed(block: string): ServerEvent {
  const fields = block.split('\n').map(line => /^(\w*): ?(.*)$/.exec(line) ?? [])
  const all = (name: string) => fields.filter(([, field]) => field === name).map(([, , value]) => value)
  return {
    name: all('event')[0] ?? 'message',
    data: all('data').join('\n'),
    id: all('id')[0],
  }
}
