import { setTimeout as pause } from 'node:timers/promises'
import { createBatcher } from '../batcher.ts'
import { type Config, ConfigError } from '../config.ts'
import type { Log } from '../log.ts'
import { weightedMean } from './divide.ts'
import { type Embedder, type Embedding, EmbeddingUnavailable, type TextKind } from './embedder.ts'
import { traitsOf } from './models.ts'
import { attempt, type Provider } from './openai/attempt.ts'
import { createBreaker } from './openai/breaker.ts'
import { embedJobs } from './openai/jobs.ts'
import { createRequest, HARMLESS } from './openai/request.ts'
import { createSizing } from './openai/sizing.ts'
import { partsFor } from './shorten.ts'

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
  const batcher = (kind: TextKind) => {
    const sizing = createSizing((texts, signal) =>
      request(
        texts.map(text => (prefix[kind] ?? '') + text),
        signal,
      ),
    )
    const provider: Provider = { ...sizing, breaker, dimensions, signal: closing.signal }
    const limits = { concurrency: REQUESTS[kind], most: sizing.texts, bytes: MOST_BYTES, sizeOf: bytesOf }
    return createBatcher<string, Embedding>(limits, jobs => embedJobs(provider, jobs))
  }
  const batchers = { document: batcher('document'), query: batcher('query') }
  const probe = attempt({ request, breaker, dimensions, signal: closing.signal }, [HARMLESS])
  await Promise.race([probe, pause(LONGEST_PROBE_MS, undefined, { ref: false })])

  return {
    space: { provider: 'openai', model, dimensions },
    semantic: true,
    async embed(texts, { kind, signal, share }) {
      const texted = texts.map(text => partsFor(text, tokens))
      const inputs = texted.flatMap(({ parts }) => parts)
      const ask = () => batchers[kind](inputs, { signal: AbortSignal.any([signal, closing.signal]), share })
      const embeddings = await (kind === 'query' ? retryOnce(ask) : ask())
      return texted.map(({ parts, whole }) => join(parts, embeddings.splice(0, parts.length), whole))
    },
    health: breaker.health,
    async [Symbol.asyncDispose]() {
      closing.abort(new EmbeddingUnavailable('the service is stopping'))
    },
  }
}

/** The start does not wait longer for a provider. */
const LONGEST_PROBE_MS = 2_000

/** The embedding of a text from those of its parts. */
function join(parts: readonly string[], embeddings: readonly Embedding[], whole: boolean): Embedding {
  const [only] = embeddings as readonly [Embedding]
  const truncated = !whole || embeddings.some(each => each.truncated)
  if (embeddings.length === 1) return { ...only, truncated }
  const known = embeddings.map(({ vector }, at) => ({ vector, length: (parts[at] as string).length }))
  return { vector: weightedMean(known), truncated }
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
