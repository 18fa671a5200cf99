import { createServer, type ServerResponse } from 'node:http'
import { text } from 'node:stream/consumers'
import { Webhook } from 'standardwebhooks'
import type { Change } from '../../src/contract/changes.ts'

type Message = { type: string; timestamp: string; webhook_id: string; tenant: string; data: Change }
type Received = { id: string; message: Message }
type Answer = (response: ServerResponse, received: Received) => void

/** A receiver that checks each signature with the library of the specification, as users do. */
export async function startReceiver() {
  const received: Received[] = []
  let answer: Answer = response => response.writeHead(204).end()
  let secret: string | undefined
  const server = createServer(async (request, response) => {
    const body = await text(request)
    const headers = request.headers as Record<string, string>
    if (secret !== undefined) new Webhook(secret).verify(body, headers)
    const one = { id: headers['webhook-id'] as string, message: JSON.parse(body) }
    received.push(one)
    answer(response, one)
  })
  const listen = (port: number) => new Promise<void>(resolve => server.listen(port, '127.0.0.1', resolve))
  const stop = () =>
    new Promise<void>(resolve => {
      server.close(() => resolve())
      server.closeAllConnections()
    })
  await listen(0)
  const { port } = server.address() as { port: number }
  return {
    url: `http://127.0.0.1:${port}/hook`,
    port,
    received,
    /** Kinds, or with `of` the versions of one memory, in the order in which they came. */
    kinds: () => received.map(({ message }) => message.type),
    trust(value: string) {
      secret = value
    },
    answerWith(next: Answer | number) {
      answer = typeof next === 'number' ? response => response.writeHead(next).end() : next
    },
    stop,
    start: () => listen(port),
    [Symbol.asyncDispose]: stop,
  }
}
