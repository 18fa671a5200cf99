import { setImmediate as nextTurn } from 'node:timers/promises'
import type { Embedder, Embedding } from './embedder.ts'
import { lexicalVector } from './lexical.ts'
import { toUnit } from './unit.ts'

const DEFAULT_DIMENSIONS = 384
/** Milliseconds of hashing after which other work gets its turn. */
const TURN_MS = 8

/** Built in, needs nothing, never fails: nearness by shared words and word parts. Lexical, not semantic. */
export function createHashEmbedder(dimensions = DEFAULT_DIMENSIONS): Embedder {
  return {
    space: { provider: 'hash', model: 'lexical-v1', dimensions },
    semantic: false,
    async embed(texts, { signal }) {
      const embeddings: Embedding[] = []
      let turnEnds = performance.now() + TURN_MS
      for (const text of texts) {
        signal.throwIfAborted()
        embeddings.push({ vector: toUnit(lexicalVector(text, dimensions), dimensions), truncated: false })
        if (performance.now() < turnEnds) continue
        await nextTurn()
        turnEnds = performance.now() + TURN_MS
      }
      return embeddings
    },
    health: () => ({ status: 'up', detail: 'lexical: finds shared words, not shared meaning' }),
    async [Symbol.asyncDispose]() {},
  }
}
