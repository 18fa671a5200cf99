import { Agent, request } from 'undici'

/** A connection for each caller, without pipelining. An answer may take as long as it takes. */
const dispatcher = new Agent({ connections: 256, pipelining: 1, headersTimeout: 0, bodyTimeout: 0 })

export type Answer = { status: number; body: unknown }

type Sent = { method?: string; headers?: Record<string, string>; body?: unknown }

/** One request over a connection that is kept, its answer read as JSON. @throws when it cannot be made or read */
export async function call(url: string, { method = 'GET', headers = {}, body }: Sent = {}): Promise<Answer> {
  const sent = body === undefined ? {} : { body: JSON.stringify(body) }
  const type = body === undefined ? {} : { 'content-type': 'application/json' }
  const answer = await request(url, { dispatcher, method, headers: { ...headers, ...type }, ...sent })
  const text = await answer.body.text()
  return { status: answer.statusCode, body: text === '' ? undefined : JSON.parse(text) }
}

/** Vectors of texts from the embedding endpoint, one request for all. */
export async function embed(endpoint: string, texts: readonly string[]): Promise<Float32Array[]> {
  const { body } = await call(`${endpoint}/embeddings`, { method: 'POST', body: { input: texts } })
  const { data } = body as { data: { embedding: number[] }[] }
  return data.map(({ embedding }) => Float32Array.from(embedding))
}
