import { timeSlices } from '../time-slices.ts'
import type { Embedder, Embedding } from './embedder.ts'
import { lexicalVector } from './lexical.ts'
import { toUnit } from './unit.ts'

const DEFAULT_DIMENSIONS = 384

/** Built in, needs nothing, never fails: similarity by shared words and word parts. Lexical, not semantic. */
export function createHashEmbedder(dimensions = DEFAULT_DIMENSIONS): Embedder {
  return {
    space: { provider: 'hash', model: 'lexical-v1', dimensions },
    semantic: false,
    async embed(texts, { signal }) {
      const embeddings: Embedding[] = []
      const nextSlice = timeSlices()
      for (const text of texts) {
        signal.throwIfAborted()
        const vector = await lexicalVector(text, dimensions, nextSlice)
        embeddings.push({ vector: toUnit(vector, dimensions), truncated: false })
      }
      return embeddings
    },
    health: () => ({ status: 'up', detail: 'lexical: finds shared words, not shared meaning' }),
    async [Symbol.asyncDispose]() {},
  }
}
