/** A server-sent event; `id` is the position after it. An event without data only advances that position. */
export type ServerEvent = { name: string; data: string; id: string | undefined }

/** A body as text, piece by piece. By a reader, as not every browser iterates over a stream. Who stops early cancels it. */
export async function* textIn(body: ReadableStream<Uint8Array<ArrayBuffer>>): AsyncGenerator<string> {
  const reader = body.pipeThrough(new TextDecoderStream()).getReader()
  try {
    for (;;) {
      const { value, done } = await reader.read()
      if (done) return
      yield value
    }
  } finally {
    await reader.cancel().catch(() => {})
  }
}

/** The events in a text that arrives piece by piece (WHATWG HTML, 9.2). */
export async function* eventsIn(pieces: AsyncIterable<string>): AsyncGenerator<ServerEvent> {
  let rest = ''
  for await (const piece of pieces) {
    const blocks = (rest + piece).split('\n\n')
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
