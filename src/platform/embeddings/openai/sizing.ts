import { faultOf } from './faults.ts'
import type { EmbeddingRequest } from './request.ts'

const MOST_TEXTS = 128

/** Halves the size of requests after a timeout, and grows it by one with each success. */
export function createSizing(request: EmbeddingRequest): { texts(): number; request: EmbeddingRequest } {
  let texts = MOST_TEXTS
  return {
    texts: () => texts,
    request: async (inputs, signal) => {
      try {
        const vectors = await request(inputs, signal)
        texts = Math.min(MOST_TEXTS, texts + 1)
        return vectors
      } catch (error) {
        if (faultOf(error).kind === 'slow') texts = Math.max(1, inputs.length >> 1)
        throw error
      }
    },
  }
}
