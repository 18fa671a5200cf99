import { Agent, request } from 'node:http'

const agent = new Agent({ keepAlive: true, maxSockets: 256 })

export type Answer = { status: number; body: unknown }

type Sent = { method?: string; headers?: Record<string, string>; body?: unknown }

/** One request over a connection that is kept, its answer read as JSON. @throws when it cannot be made or read */
export function call(url: string, { method = 'GET', headers = {}, body }: Sent = {}): Promise<Answer> {
  const sent = body === undefined ? undefined : Buffer.from(JSON.stringify(body))
  const { promise, resolve, reject } = Promise.withResolvers<Answer>()
  const req = request(url, {
    method,
    agent,
    headers: {
      ...headers,
      ...(sent ? { 'content-type': 'application/json', 'content-length': sent.length } : {}),
    },
  })
  req.once('error', reject)
  req.once('response', res => {
    const chunks: Buffer[] = []
    res.on('data', chunk => chunks.push(chunk))
    res.once('error', reject)
    res.once('end', () => {
      const text = Buffer.concat(chunks).toString('utf8')
      resolve({ status: res.statusCode ?? 0, body: text === '' ? undefined : JSON.parse(text) })
    })
  })
  req.end(sent)
  return promise
}

/** Vectors of texts from the embedding endpoint, one request for all. */
export async function embed(endpoint: string, texts: readonly string[]): Promise<Float32Array[]> {
  const { body } = await call(`${endpoint}/embeddings`, { method: 'POST', body: { input: texts } })
  const { data } = body as { data: { embedding: number[] }[] }
  return data.map(({ embedding }) => Float32Array.from(embedding))
}
