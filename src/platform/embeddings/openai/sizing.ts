import { faultOf } from './faults.ts'
import type { Request } from './request.ts'

const MOST_TEXTS = 128

/** Halves the size of requests after one that was not answered in time, and lets it grow by one with each that was. */
export function createSizing(request: Request): { texts(): number; request: Request } {
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
