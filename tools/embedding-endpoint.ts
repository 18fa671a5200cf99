import { once } from 'node:events'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { setTimeout as pause } from 'node:timers/promises'
import { topicVector } from './topic-vector.ts'

/** How one request goes wrong. `silent` takes the request and never answers; `down` closes the connection. */
export type Fault =
  | 'down'
  | 'silent'
  | 'short'
  | 'nan'
  | 'null'
  | 'zero'
  | 'fewer'
  | 'reordered'
  | 'misnumbered'
  | 'html'
  | 'endless'
  | 'base64'
  | { readonly body: string }
  | {
      readonly status: number
      readonly retryAfter?: string
      /** What it says, or makes of the texts. */
      readonly message?: string | ((texts: readonly string[]) => string)
      readonly location?: string
    }

type Body = Readonly<Record<string, unknown>>

type LoggedRequest = {
  readonly texts: readonly string[]
  readonly body: Body
  readonly headers: IncomingMessage['headers']
}

type Options = {
  readonly dimensions?: number
  /** Lengths of the vectors of models that have another. */
  readonly lengths?: Readonly<Record<string, number>>
  /** Need not be of length one. */
  readonly vector?: (text: string, dimensions: number) => number[] | Promise<number[]>
}

/** An OpenAI-compatible `/v1/embeddings` on a free loopback port, with a script of what goes wrong. */
export async function startEmbeddingEndpoint({
  dimensions = 8,
  lengths = {},
  vector = topicVector,
}: Options = {}) {
  const requests: LoggedRequest[] = []
  let script: Fault[] = []
  let always: Fault | undefined
  let refusal: { refuses: (text: string) => boolean; fault: Fault } | undefined
  let odd: { refuses: (body: Body) => boolean; fault: Fault } | undefined
  let held: PromiseWithResolvers<void> | undefined
  let delayMs = 0

  const faultFor = (texts: readonly string[], body: Body) =>
    script.shift() ??
    always ??
    (odd?.refuses(body) ? odd.fault : undefined) ??
    (refusal && texts.some(refusal.refuses) ? refusal.fault : undefined)

  const server = createServer(async (req, res) => {
    const body = JSON.parse(await textOf(req))
    const texts: string[] = [body.input].flat()
    requests.push({ texts, body, headers: req.headers })
    server.emit('logged')
    const fault = faultFor(texts, body)
    await held?.promise
    if (delayMs > 0) await pause(delayMs, undefined, { ref: false })
    const length = typeof body.dimensions === 'number' ? body.dimensions : (lengths[body.model] ?? dimensions)
    answer(res, await Promise.all(texts.map(text => vector(text, length))), saying(fault, texts))
  })
  await once(server.listen(0, '127.0.0.1'), 'listening')

  return {
    /** For `OPENAI_BASE_URL`. */
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1`,
    /** Every request so far, oldest first. */
    requests,
    /** A fault for every request until `recover()`, or a list of faults for the next ones. */
    fail(next: Fault | Fault[]) {
      if (Array.isArray(next)) script.push(...next)
      else always = next
    },
    /** Requests that hold such a text fail, by default with 400. */
    refuse(refuses: (text: string) => boolean, fault: Fault = { status: 400 }) {
      refusal = { refuses, fault }
    },
    /** Requests of such a form fail, whatever their texts. */
    refuseForm(refuses: (body: Body) => boolean, fault: Fault = { status: 400 }) {
      odd = { refuses, fault }
    },
    recover() {
      script = []
      always = refusal = odd = undefined
      delayMs = 0
    },
    setDelay(ms: number) {
      delayMs = ms
    },
    /** Requests are taken but not answered until the returned function is called. */
    hold() {
      held = Promise.withResolvers<void>()
      return () => {
        held?.resolve()
        held = undefined
      }
    },
    /** Resolves when so many requests have arrived since the start. */
    async arrived(count: number) {
      while (requests.length < count) await once(server, 'logged')
    },
    async [Symbol.asyncDispose]() {
      held?.resolve()
      server.close()
      server.closeAllConnections()
    },
  }
}

async function textOf(req: IncomingMessage): Promise<string> {
  let text = ''
  for await (const chunk of req.setEncoding('utf8')) text += chunk
  return text
}

function answer(res: ServerResponse, vectors: number[][], fault: Fault | undefined): void {
  if (fault === 'silent') return
  if (fault === 'down') res.destroy()
  else if (fault === 'endless') endless(res)
  else if (fault === 'html') res.setHeader('content-type', 'text/html').end('<html>Please log in</html>')
  else if (typeof fault !== 'object')
    res.setHeader('content-type', 'application/json').end(bodyOf(vectors, fault))
  else if ('body' in fault) res.setHeader('content-type', 'application/json').end(fault.body)
  else refuse(res, fault)
}

function refuse(
  res: ServerResponse,
  { status, retryAfter, message, location }: Extract<Fault, { status: number }>,
): void {
  res.statusCode = status
  if (retryAfter !== undefined) res.setHeader('retry-after', retryAfter)
  if (location !== undefined) res.setHeader('location', location)
  const error = { message: message ?? 'provider-secret-detail', type: 'error', code: null }
  res.setHeader('content-type', 'application/json').end(JSON.stringify({ error }))
}

const saying = (fault: Fault | undefined, texts: readonly string[]): Fault | undefined =>
  typeof fault === 'object' && 'status' in fault && typeof fault.message === 'function'
    ? { ...fault, message: fault.message(texts) }
    : fault

function endless(res: ServerResponse): void {
  res.setHeader('content-type', 'application/json')
  const chunk = '['.repeat(1 << 20)
  const more = () => {
    while (!res.destroyed && res.write(chunk));
  }
  res.on('drain', more)
  more()
}

function bodyOf(vectors: number[][], fault: Exclude<Fault, object> | undefined): string {
  const data = vectors.map((vector, index) => ({
    object: 'embedding',
    index,
    embedding: spoilt(vector, fault),
  }))
  if (fault === 'fewer') data.pop()
  if (fault === 'reordered') data.reverse()
  if (fault === 'misnumbered') for (const item of data) item.index = 0
  const usage = { prompt_tokens: 1, total_tokens: 1 }
  return JSON.stringify({ object: 'list', data, model: 'test', usage }).replaceAll('"NaN"', 'NaN')
}

function spoilt(vector: number[], fault: Fault | undefined): unknown {
  if (fault === 'short') return vector.slice(1)
  if (fault === 'zero') return vector.map(() => 0)
  if (fault === 'nan') return ['NaN', ...vector.slice(1)]
  if (fault === 'null') return [null, ...vector.slice(1)]
  if (fault === 'base64') return Buffer.from(Float32Array.from(vector).buffer).toString('base64')
  return vector
}
