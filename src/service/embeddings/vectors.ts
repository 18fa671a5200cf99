import type { Context } from '../../context.ts'
import { ServiceError } from '../../contract/problems.ts'
import { type Embedder, type Embedding, EmbeddingUnavailable } from '../../platform/embeddings/index.ts'
import { timeLimit } from '../../platform/time-limit.ts'
import { QueryVectors } from '../search/query-vectors.ts'

/**
 * Vectors for what is about to be written. Where the provider gives none in the time that a write waits there is a
 * null: the write stands all the same, and the queue makes the vector later. Each text succeeds or fails by itself.
 */
export async function embedForWrite(
  ctx: Context,
  contents: readonly string[],
): Promise<(Embedding | null)[]> {
  using patience = timeLimit(ctx.signal, ctx.app.config.embedding.writeWaitMs)
  return await Promise.all(contents.map(content => embedOrNull(ctx, content, patience.signal)))
}

async function embedOrNull(ctx: Context, content: string, signal: AbortSignal): Promise<Embedding | null> {
  try {
    const [embedding] = await ctx.embedder.embed([content], { kind: 'document', signal, share: ctx.share })
    return embedding ?? null
  } catch (error) {
    if (!(error instanceof EmbeddingUnavailable) && !signal.aborted) throw error
    const reason = error instanceof EmbeddingUnavailable ? error.message : 'the provider is slow'
    ctx.log.warn({ reason }, 'stored without a vector, which the queue will make')
    return null
  }
}

/**
 * The vector of a query, or the mean of those of several texts.
 * @throws ServiceError `embedding_unavailable`; `validation_failed` when the provider refuses the text
 */
export async function embedQuery(ctx: Context, texts: readonly string[]): Promise<Float32Array> {
  try {
    return await queryVectorsOf(ctx.embedder).get(ctx.tenant, texts, ctx.signal)
  } catch (error) {
    if (!(error instanceof EmbeddingUnavailable) && !ctx.signal.aborted) throw error
    if (error instanceof EmbeddingUnavailable && error.permanent && error.itemFault)
      throw refusedByProvider(error)
    const retryAfterMs = error instanceof EmbeddingUnavailable ? error.retryAfterMs : null
    throw new ServiceError(
      'embedding_unavailable',
      'The embedding provider does not answer. Keyword search works without it.',
      { cause: error, retryAfterSeconds: Math.max(1, Math.ceil((retryAfterMs ?? 1000) / 1000)) },
    )
  }
}

/** Asking again would not help, as it does where the provider is away. */
function refusedByProvider(cause: EmbeddingUnavailable): ServiceError {
  const message = `has no vector: ${cause.message}; keyword search works without one`
  const faults = [{ pointer: '/query', code: 'refused_by_provider', message }]
  return new ServiceError('validation_failed', `/query: ${message}`, { faults, cause })
}

/** Whether a search failed for want of the vector of its query. */
export const isWithoutVector = (error: unknown): boolean =>
  error instanceof ServiceError &&
  (error.code === 'embedding_unavailable' || error.cause instanceof EmbeddingUnavailable)

const remembered = new WeakMap<Embedder, QueryVectors>()

function queryVectorsOf(embedder: Embedder): QueryVectors {
  const known = remembered.get(embedder) ?? new QueryVectors(embedder)
  remembered.set(embedder, known)
  return known
}
