/** The space that a vector belongs to. Vectors of two spaces are never compared. */
type EmbeddingSpace = {
  readonly provider: 'openai' | 'builtin' | 'local' | 'hash'
  readonly model: string
  readonly dimensions: number
}

/** A vector of length one; `truncated` when the text was longer than the model reads. */
export type Embedding = { readonly vector: Float32Array; readonly truncated: boolean }

/** Models that were trained with an instruction in front of the text get the one for this kind. */
export type TextKind = 'document' | 'query'

export type EmbedderHealth = { readonly status: 'up' | 'degraded'; readonly detail: string | null }

export type Embedder = {
  readonly space: EmbeddingSpace
  /** False if similarity means shared words and word parts, not shared meaning. */
  readonly semantic: boolean
  /**
   * One embedding for each text, in their order. Calls made at the same time share requests to the provider, so
   * texts that should succeed or fail by themselves are given in a call each.
   * @throws EmbeddingUnavailable when a text has no vector, or the reason of the signal.
   */
  embed(
    texts: readonly string[],
    options: {
      readonly kind: TextKind
      readonly signal: AbortSignal
      /** The owner of the texts: owners share a backlog fairly. */
      readonly share?: string | undefined
      /** Nobody waits for them: a model that computes here computes all others first. */
      readonly queued?: boolean
    },
  ): Promise<Embedding[]>
  /** As last observed, without a request to the provider. `detail` names no host and no credential. */
  health(): EmbedderHealth
} & AsyncDisposable

/** No vector for now, or none for this text. The message is fit for callers; a cause has the provider's words, for the operator. */
export class EmbeddingUnavailable extends Error {
  override readonly name = 'EmbeddingUnavailable'
  /** A retry does not help until a setting, a credential or the text is changed. */
  readonly permanent: boolean = false
  /** Milliseconds before which a retry is pointless, if known. */
  readonly retryAfterMs: number | null = null
  /** This text is the cause; others would work. */
  readonly itemFault: boolean = false

  constructor(message: string, traits: Partial<EmbeddingUnavailable> = {}, options?: ErrorOptions) {
    super(message, options)
    Object.assign(this, traits)
  }
}

/** Why there is no vector, for the log of the operator. */
export const reasonOf = ({ message, cause }: EmbeddingUnavailable): string =>
  cause instanceof Error ? `${message}; ${cause.message}` : message
