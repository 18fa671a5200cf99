import { StreamableHTTPClientTransport } from '@modelcontextprotocol/client'
import { brokenOff, explain, type UpstreamError } from './errors.ts'
import { errorMessage, type Id, type Message, type RpcAnswer } from './messages.ts'

type Waiting = {
  answer: Promise<RpcAnswer | undefined>
  complete: (answer: RpcAnswer | undefined) => void
  abort: AbortController
  /** It is not answered before it is ended. */
  lasting: boolean
}

export type Upstream = {
  /**
   * The answer of the service, or why there is none; undefined for a request that was cancelled. The service receives
   * `text` in place of the request, which may have lost digits of its numbers.
   */
  ask(request: Message & { id: Id }, text?: string): Promise<RpcAnswer | undefined>
  /** The revision that the caller and the service agreed on, for those that agree once. */
  speak(revision: string): void
  cancel(id: Id): void
  /** Ends what does not end on its own, and waits for the rest. */
  finish(): Promise<void>
  stop(): void
}

type Options = {
  url: URL
  headers: Record<string, string>
  /** Receives the notifications of the service. */
  onNotice: (message: Message) => void
  /** Called with each failure, and with undefined after a success. */
  onError: (upstreamError: UpstreamError | undefined) => void
}

/** The service at the other end. It keeps no session, so each call stands for itself, and the next one may work. */
export async function openUpstream({ url, headers, onNotice, onError }: Options): Promise<Upstream> {
  const waiting = new Map<Id, Waiting>()
  const texts = new Map<string, string>()
  const send = (to: string | URL, init?: RequestInit) =>
    fetch(to, { ...init, body: texts.get(String(init?.body)) ?? init?.body ?? null })
  const transport = new StreamableHTTPClientTransport(url, { requestInit: { headers }, fetch: send })
  transport.onmessage = received => {
    const message = received as Message
    if (message.method !== undefined || message.id === undefined) return onNotice(message)
    onError(undefined)
    complete(message.id, message)
  }
  await transport.start()
  return {
    ask(request, text) {
      const written = JSON.stringify(request)
      if (text !== undefined) texts.set(written, text)
      const { promise: answer, resolve: complete } = Promise.withResolvers<RpcAnswer | undefined>()
      const abort = new AbortController()
      const lasting = request.method === 'subscriptions/listen'
      waiting.set(request.id, { answer, complete, abort, lasting })
      transport
        .send(request as Parameters<typeof transport.send>[0], {
          requestSignal: abort.signal,
          onRequestStreamEnd: () => fail(request.id, brokenOff()),
        })
        .catch((error: unknown) => fail(request.id, explain(error, url)))
      return answer.finally(() => texts.delete(written))
    },
    speak: revision => transport.setProtocolVersion(revision),
    cancel: id => drop(id),
    async finish() {
      for (const [id, { lasting }] of waiting) if (lasting) drop(id)
      await Promise.all([...waiting.values()].map(({ answer }) => answer))
    },
    stop() {
      for (const id of waiting.keys()) drop(id)
    },
  }

  function complete(id: Id, answer: RpcAnswer | undefined) {
    waiting.get(id)?.complete(answer)
    waiting.delete(id)
  }

  function fail(id: Id, upstreamError: UpstreamError) {
    if (!waiting.has(id)) return
    onError(upstreamError)
    complete(id, errorMessage(id, upstreamError.error))
  }

  function drop(id: Id) {
    waiting.get(id)?.abort.abort()
    complete(id, undefined)
  }
}
