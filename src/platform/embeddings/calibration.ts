import { cosinesOf, spreadOf } from './cosines.ts'
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
  const { mean, deviation } = spreadOf(cosinesOf(embeddings.map(({ vector }) => vector)))
  return { mean, deviation: Math.min(DEVIATIONS.most, Math.max(DEVIATIONS.least, WIDER * deviation)) }
}

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
