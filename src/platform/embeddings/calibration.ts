import type { Embedder } from './embedder.ts'

/** How the cosines of texts that have nothing to do with each other spread in a space. */
export type Unrelated = { readonly mean: number; readonly deviation: number }

/** The memories of one tenant are less different than these texts: their cosines spread so many times as far. */
const WIDER = 1.5
const DEVIATIONS = { least: 0.02, most: 0.1 }

/**
 * Measures a model that nobody has calibrated, with texts that have nothing to do with each other.
 * @throws EmbeddingUnavailable, or the reason of the signal
 */
export async function calibrate(embedder: Embedder, signal: AbortSignal): Promise<Unrelated> {
  const embeddings = await embedder.embed(texts, { kind: 'document', signal })
  const cosines = embeddings.flatMap(({ vector }, at) =>
    embeddings.slice(at + 1).map(other => dot(vector, other.vector)),
  )
  const mean = meanOf(cosines)
  const deviation = Math.sqrt(meanOf(cosines.map(cosine => (cosine - mean) ** 2)))
  return { mean, deviation: Math.min(DEVIATIONS.most, Math.max(DEVIATIONS.least, WIDER * deviation)) }
}

const dot = (one: Float32Array, other: Float32Array) =>
  one.reduce((sum, value, at) => sum + value * (other[at] as number), 0)

const meanOf = (values: readonly number[]) => values.reduce((sum, value) => sum + value, 0) / values.length

const texts = [
  'The train to the coast leaves at half past seven.',
  'Our household adopted a golden retriever in March.',
  'The function returns null for an empty input.',
  'The quarterly budget was cut by a fifth.',
  'My grandmother bakes bread every Saturday.',
  'The bridge was built of granite in 1850.',
  'He plays the cello in a small orchestra.',
  'The lake freezes in cold winters.',
  'She is allergic to shellfish.',
  'The court dismissed the appeal yesterday.',
  'Bees dance to show where flowers are.',
  'The new printer needs a different driver.',
  'Their flight to Lisbon was delayed by fog.',
  'The museum shows masks from the islands.',
  'Tomatoes grow best in full sun.',
  'The striker scored twice in the second half.',
]
