import type { Metrics } from '../metrics.ts'
import type { Tracing } from '../tracing/tracing.ts'
import { type Embedder, EmbeddingUnavailable } from './embedder.ts'

/** An embedder whose calls are measured and traced. */
export const measured = (embedder: Embedder, { embeddings }: Metrics, tracing?: Tracing): Embedder => ({
  ...embedder,
  async embed(texts, options) {
    const end = embeddings.startTimer({ kind: options.kind })
    const call = () => embedder.embed(texts, options)
    const attributes = { 'mnemograph.kind': options.kind, 'mnemograph.texts': texts.length }
    try {
      const vectors = await (tracing?.part({ name: 'embed', kind: 'client', attributes }, call) ?? call())
      end({ outcome: 'ok' })
      return vectors
    } catch (error) {
      end({ outcome: error instanceof EmbeddingUnavailable ? 'unavailable' : 'abandoned' })
      throw error
    }
  },
})
