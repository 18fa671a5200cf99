import { faultOf } from './faults.ts'
import type { EmbeddingRequest } from './request.ts'

const MOST_TEXTS = 128

/**
 * How many texts a request has: half after a timeout, one more with each success, and never as many again as the provider
 * has refused although it takes each of them.
 */
export function createSizing(request: EmbeddingRequest): {
  texts(): number
  request: EmbeddingRequest
  refusedTogether(texts: number): void
} {
  let texts = MOST_TEXTS
  let most = MOST_TEXTS
  return {
    texts: () => texts,
    request: async (inputs, signal) => {
      try {
        const vectors = await request(inputs, signal)
        texts = Math.min(most, texts + 1)
        return vectors
      } catch (error) {
        if (faultOf(error).kind === 'slow') texts = Math.max(1, inputs.length >> 1)
        throw error
      }
    },
    refusedTogether(count) {
      most = Math.min(most, Math.max(1, count - 1))
      texts = Math.min(texts, Math.max(1, count >> 1))
    },
  }
}
