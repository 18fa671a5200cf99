import type { Context, QueryVector, SpaceInUse } from '../../context.ts'
import { baseTenant } from '../../contract/private.ts'
import { invalid, ServiceError } from '../../contract/problems.ts'
import { type Embedding, EmbeddingUnavailable, reasonOf } from '../../platform/embeddings/index.ts'
import { timeLimit } from '../../platform/time-limit.ts'
import { storeVector, type Unembedded } from '../../store/embeddings/vectors.ts'

/**
 * Embeds the contents of a write, each on its own. A null means that the provider gave no vector in the time that a
 * write waits: the memory is stored without one, and the worker computes it later.
 */
export async function embedForWrite(
  ctx: Context,
  contents: readonly string[],
): Promise<(Embedding | null)[]> {
  using limit = timeLimit(ctx.signal, ctx.app.config.embedding.writeWaitMs)
  return await Promise.all(contents.map(content => embedOrNull(ctx, content, limit.signal)))
}

async function embedOrNull(ctx: Context, content: string, signal: AbortSignal): Promise<Embedding | null> {
  try {
    const [embedding] = await ctx.embedder.embed([content], { kind: 'document', signal, share: ctx.share })
    return embedding ?? null
  } catch (error) {
    if (!(error instanceof EmbeddingUnavailable) && !signal.aborted) throw error
    const reason = error instanceof EmbeddingUnavailable ? reasonOf(error) : 'the provider is slow'
    ctx.log.warn({ reason }, 'stored without a vector; the worker computes it later')
    return null
  }
}

/** Embeds a content on behalf of a job and stores the vector. @throws EmbeddingUnavailable */
export async function embedQueued(
  ctx: Context,
  { space, embedder }: SpaceInUse,
  { id, revision, content }: Unembedded,
): Promise<void> {
  const share = baseTenant(ctx.tenant)
  const options = { kind: 'document', signal: ctx.signal, share, queued: true } as const
  const [embedding] = await embedder.embed([content], options)
  if (!embedding) throw new Error('The embedder gave no vector')
  await storeVector(ctx, space, { id, revision, ...embedding })
}

/**
 * The vector of the first of the texts, and the mean of all.
 * @throws ServiceError `embedding_unavailable`; `validation_failed` if the provider refuses the text
 */
export async function embedQuery(
  ctx: Context,
  texts: readonly string[],
  field = '/query',
): Promise<QueryVector> {
  try {
    return await ctx.app.queryVectors.get(ctx, texts)
  } catch (error) {
    if (!(error instanceof EmbeddingUnavailable) && !ctx.signal.aborted) throw error
    if (error instanceof EmbeddingUnavailable && error.permanent && error.itemFault)
      throw refusedByProvider(error, field)
    const retryAfterMs = error instanceof EmbeddingUnavailable ? error.retryAfterMs : null
    throw new ServiceError(
      'embedding_unavailable',
      'The embedding provider does not answer. Keyword search works without it.',
      { cause: error, retryAfterSeconds: Math.max(1, Math.ceil((retryAfterMs ?? 1000) / 1000)) },
    )
  }
}

/** A retry does not help here, unlike when the provider is not available. */
function refusedByProvider(cause: EmbeddingUnavailable, field: string): ServiceError {
  const rule = `has no vector: ${cause.message}. Search by keyword, which needs no vector`
  return invalid(field, 'refused_by_provider', rule, cause)
}

/** Whether a search failed because its query has no vector. */
export const isWithoutVector = (error: unknown): boolean =>
  error instanceof ServiceError &&
  (error.code === 'embedding_unavailable' || error.cause instanceof EmbeddingUnavailable)
