import type { Metrics } from '../metrics.ts'
import { type Embedder, EmbeddingUnavailable } from './embedder.ts'

/** An embedder whose calls are measured. */
export const measured = (embedder: Embedder, { embeddings }: Metrics): Embedder => ({
  ...embedder,
  async embed(texts, options) {
    const end = embeddings.startTimer({ kind: options.kind })
    try {
      const vectors = await embedder.embed(texts, options)
      end({ outcome: 'ok' })
      return vectors
    } catch (error) {
      end({ outcome: error instanceof EmbeddingUnavailable ? 'unavailable' : 'abandoned' })
      throw error
    }
  },
})
