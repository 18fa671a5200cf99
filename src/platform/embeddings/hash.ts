import { setImmediate as yieldToOthers } from 'node:timers/promises'
import type { Embedder, Embedding } from './embedder.ts'
import { lexicalVector } from './lexical.ts'
import { toUnit } from './unit.ts'

const DEFAULT_DIMENSIONS = 384
/** Milliseconds of hashing after which other work runs. */
const SLICE_MS = 8

/** Built in, needs nothing, never fails: similarity by shared words and word parts. Lexical, not semantic. */
export function createHashEmbedder(dimensions = DEFAULT_DIMENSIONS): Embedder {
  return {
    space: { provider: 'hash', model: 'lexical-v1', dimensions },
    semantic: false,
    async embed(texts, { signal }) {
      const embeddings: Embedding[] = []
      let sliceEnds = performance.now() + SLICE_MS
      for (const text of texts) {
        signal.throwIfAborted()
        embeddings.push({ vector: toUnit(lexicalVector(text, dimensions), dimensions), truncated: false })
        if (performance.now() < sliceEnds) continue
        await yieldToOthers()
        sliceEnds = performance.now() + SLICE_MS
      }
      return embeddings
    },
    health: () => ({ status: 'up', detail: 'lexical: finds shared words, not shared meaning' }),
    async [Symbol.asyncDispose]() {},
  }
}
