import { OPERATOR_KEY, type TestService } from './service.ts'

export type Event = { event: string; id: string; data: Record<string, unknown> }

type Options = { path?: string; key?: string; tenant?: string; headers?: Record<string, string> }

/** Server-sent events as they come; what has no data is left out. Ends when the service ends it. */
export async function openEvents(
  { baseUrl, tenant: own }: Pick<TestService, 'baseUrl' | 'tenant'>,
  { path = '/events', key = OPERATOR_KEY, tenant = own, headers = {} }: Options = {},
) {
  let last = ''
  const stop = new AbortController()
  const response = await fetch(baseUrl + path, {
    headers: {
      authorization: `Bearer ${key}`,
      ...(key === OPERATOR_KEY ? { 'x-tenant-id': tenant } : {}),
      ...headers,
    },
    signal: stop.signal,
  })
  const events = response.ok && response.body ? eventsOf(response.body) : undefined
  return {
    response,
    /** The last id that came, with or without an event. */
    lastId: () => last,
    /** The next so many events. */
    async take(count: number): Promise<Event[]> {
      const taken: Event[] = []
      while (taken.length < count) {
        const next = await events?.next()
        if (!next || next.done) break
        taken.push(next.value)
      }
      return taken
    },
    async [Symbol.asyncDispose]() {
      stop.abort()
    },
  }

  async function* eventsOf(body: ReadableStream<Uint8Array>): AsyncGenerator<Event> {
    let rest = ''
    for await (const piece of body.pipeThrough(new TextDecoderStream())) {
      const blocks = (rest + piece).split('\n\n')
      rest = blocks.pop() ?? ''
      for (const block of blocks) {
        const fields = new Map(
          block
            .split('\n')
            .map(line => [line.split(':', 1)[0] as string, line.slice(line.indexOf(': ') + 2)]),
        )
        last = fields.get('id') ?? last
        const data = fields.get('data')
        if (data)
          yield { event: fields.get('event') ?? '', id: fields.get('id') ?? '', data: JSON.parse(data) }
      }
    }
  }
}
