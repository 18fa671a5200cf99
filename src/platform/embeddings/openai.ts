import { createBatcher } from '../batcher.ts'
import { type Config, ConfigError } from '../config.ts'
import type { Log } from '../log.ts'
import { type Embedder, type Embedding, EmbeddingUnavailable, type TextKind } from './embedder.ts'
import { traitsOf } from './models.ts'
import type { Provider } from './openai/attempt.ts'
import { createBreaker } from './openai/breaker.ts'
import { createRequest } from './openai/request.ts'
import { settle } from './openai/settle.ts'
import { createSizing } from './openai/sizing.ts'
import { shortenText } from './shorten.ts'

const DEFAULT_MODEL = 'text-embedding-3-small'
/** A token is a byte or more, and the public endpoint takes 300,000 tokens a request. */
const MOST_BYTES = 256 * 1024
/** Searches have their own request, so that they do not wait behind a backlog of writes. */
const REQUESTS: Record<TextKind, number> = { document: 2, query: 1 }

/** Vectors from any OpenAI-compatible endpoint. An outage shows in `embed` and `health`, not here. */
export async function createOpenAiEmbedder(config: Config['embedding'], log: Log): Promise<Embedder> {
  const model = config.model ?? DEFAULT_MODEL
  const { tokens, prefix = {}, dimensions: native } = traitsOf(model)
  const request = createRequest(config, model)
  const dimensions = config.dimensions ?? native ?? (await requestLength(model, request))
  const closing = new AbortController()
  const breaker = createBreaker({
    onChange: (health, waitMs) =>
      log[health.status === 'up' ? 'info' : 'warn']({ ...health, waitMs }, 'embedding provider'),
  })
  const batcher = (requests: number) => {
    const sizing = createSizing(request)
    const provider: Provider = { request: sizing.request, breaker, dimensions, signal: closing.signal }
    const limits = { concurrency: requests, most: sizing.texts, bytes: MOST_BYTES, sizeOf: bytesOf }
    return createBatcher<string, Embedding>(limits, jobs => settle(provider, jobs))
  }
  const batchers = { document: batcher(REQUESTS.document), query: batcher(REQUESTS.query) }

  return {
    space: { provider: 'openai', model, dimensions },
    semantic: true,
    async embed(texts, { kind, signal, share }) {
      const beginnings = texts.map(text => shortenText(text, tokens))
      const inputs = beginnings.map(text => (prefix[kind] ?? '') + text)
      const ask = () => batchers[kind](inputs, { signal: AbortSignal.any([signal, closing.signal]), share })
      const embeddings = await (kind === 'query' ? retryOnce(ask) : ask())
      return embeddings.map((embedding, at) =>
        beginnings[at] === texts[at] ? embedding : { ...embedding, truncated: true },
      )
    },
    health: breaker.health,
    async [Symbol.asyncDispose]() {
      closing.abort(new EmbeddingUnavailable('the service is stopping'))
    },
  }
}

const bytesOf = (text: string) => Buffer.byteLength(text)

/** A search has no queue that would retry it later. */
async function retryOnce<Result>(ask: () => Promise<Result>): Promise<Result> {
  try {
    return await ask()
  } catch (reason) {
    if (!(reason instanceof EmbeddingUnavailable)) throw reason
    if (reason.permanent || reason.itemFault || reason.retryAfterMs !== null) throw reason
    return ask()
  }
}

async function requestLength(model: string, request: Provider['request']): Promise<number> {
  try {
    const [vector] = await request(['ok'], AbortSignal.timeout(60_000))
    if (vector instanceof Float32Array || Array.isArray(vector)) return vector.length
    throw new Error('The provider returned no vector.')
  } catch (cause) {
    const message = `The length of the vectors of ${model} is unknown and its provider did not report it. Set SERVICE_EMBEDDING_DIMENSIONS.`
    throw new ConfigError([message], { cause })
  }
}
