import type { Unrelated } from './calibration.ts'
import type { TextKind } from './embedder.ts'

type Traits = {
  /** Length of the vectors where the request names none. */
  readonly dimensions?: number
  /** Longest text in tokens. */
  readonly tokens?: number
  /** Takes the request's `dimensions` parameter. Many servers refuse a request that has it. */
  readonly shortens?: boolean
  /** The vector is that of the first token, not the mean of all. */
  readonly pooling?: 'cls'
  /** The instruction that the model expects in front of a text. */
  readonly prefix?: Partial<Record<TextKind, string>>
  /**
   * Cosine from which on two texts are about the same thing. Models spread their vectors differently: what is near in
   * one is far in another. `node bench/calibrate.ts` measures it.
   */
  readonly threshold?: number
  /** The cosines of unrelated texts. The service measures those of other models itself. */
  readonly unrelated?: Unrelated
}

const NOMIC = { document: 'search_document: ', query: 'search_query: ' }
const E5 = { document: 'passage: ', query: 'query: ' }
const SENTENCE = { query: 'Represent this sentence for searching relevant passages: ' }

/** By the beginning of the name, so that `nomic-embed-text:v1.5` is known too. The first match counts. */
const KNOWN: readonly (readonly [string, Traits])[] = [
  ['text-embedding-3-small', { dimensions: 1536, tokens: 8191, shortens: true }],
  ['text-embedding-3-large', { dimensions: 3072, tokens: 8191, shortens: true }],
  ['text-embedding-ada-002', { dimensions: 1536, tokens: 8191 }],
  ['nomic-embed-text-v2', { dimensions: 768, tokens: 512, prefix: NOMIC }],
  ['nomic-embed-text', { dimensions: 768, tokens: 8192, prefix: NOMIC }],
  ['mxbai-embed-large', { dimensions: 1024, tokens: 512, pooling: 'cls', prefix: SENTENCE }],
  ['all-minilm', { dimensions: 384 }],
  ['bge-m3', { dimensions: 1024, tokens: 8192, pooling: 'cls' }],
  [
    'bge-small-en',
    {
      dimensions: 384,
      tokens: 512,
      pooling: 'cls',
      threshold: 0.82,
      unrelated: { mean: 0.45, deviation: 0.07 },
    },
  ],
  ['bge-', { pooling: 'cls' }],
  // The built-in model: its mean is subtracted from each vector, which spreads the vectors.
  [
    'centred-e5-small-v2-q',
    { dimensions: 384, tokens: 512, prefix: E5, threshold: 0.62, unrelated: { mean: 0.04, deviation: 0.1 } },
  ],
  ['lexical-', { unrelated: { mean: 0.02, deviation: 0.07 } }],
  ['e5-', { prefix: E5, threshold: 0.88, unrelated: { mean: 0.75, deviation: 0.03 } }],
  // The other built-in model, measured by `node bench/calibrate.ts --model multilingual`.
  [
    'multilingual-e5-small-q4',
    { dimensions: 384, tokens: 512, prefix: E5, threshold: 0.92, unrelated: { mean: 0.79, deviation: 0.03 } },
  ],
  ['multilingual-e5-', { prefix: E5, threshold: 0.88, unrelated: { mean: 0.75, deviation: 0.03 } }],
]

/** The known traits of a model. The part before a slash is the vendor's name (`openai/text-embedding-3-small`). */
export function traitsOf(model: string): Traits {
  const name = model.slice(model.lastIndexOf('/') + 1).toLowerCase()
  return KNOWN.find(([start]) => name.startsWith(start))?.[1] ?? {}
}

/** The cosines of unrelated texts where nothing is known of a model. */
export const UNRELATED: Unrelated = { mean: 0.1, deviation: 0.1 }
/** So many deviations below the mean of unrelated texts is the 0 of the common scale, on which a deviation is .1. */
const BELOW = 0.4

/** Brings the cosines of a model on the scale of the built-in one. */
export function cosineScale({ mean, deviation }: Unrelated): (cosine: number) => number {
  return cosine => 0.1 * ((cosine - mean) / deviation + BELOW)
}

const DEFAULT_THRESHOLD = 0.7

/** So many deviations above unrelated texts, those of calibrated models are about the same thing. */
const CLEARLY = 3.5
const HIGHEST = 0.98

/** The cosine from which on memories are connected in a space, unless the settings name one. */
export const defaultThreshold = (
  { model }: { readonly model: string },
  { mean, deviation }: Unrelated = UNRELATED,
): number =>
  traitsOf(model).threshold ?? Math.min(HIGHEST, Math.max(DEFAULT_THRESHOLD, mean + CLEARLY * deviation))
