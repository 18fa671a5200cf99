import type { Chance, TenantProfile } from '../../context.ts'
import type { SearchResult } from '../../contract/search.ts'
import { traitsOf } from '../../platform/embeddings/models.ts'
import { analyse } from './words.ts'

/** How the cosines of a query with unrelated memories spread. */
export type Unrelated = { readonly mean: number; readonly deviation: number }

/**
 * `node bench/quality/main.ts --relevance` measures both. A hit that is `CERTAIN` deviations above chance has the relevance 1; all
 * informative words of the query together count as much as `WORDS` deviations.
 */
const CERTAIN = 5
const WORDS = 2

/** More of a content is not read for its words. */
const READ_CHARACTERS = 4_000

/** What unrelated texts of the tenant have as cosine with a query; from the traits of the model if they are too few. */
export function unrelatedTo(
  query: Float32Array,
  { chance }: TenantProfile,
  space: { readonly model: string },
): Unrelated {
  if (!chance) return traitsOf(space.model).unrelated ?? DEFAULT
  return { mean: meanCosine(query, chance), deviation: chance.deviation }
}

const DEFAULT: Unrelated = { mean: 0.1, deviation: 0.1 }

const meanCosine = (query: Float32Array, { vector }: Chance) =>
  query.reduce((sum, value, at) => sum + value * (vector[at] as number), 0) / Math.hypot(...query)

/**
 * Rates each result from 0 (what any text has) to 1, by how far its cosine lies above chance and how many of the
 * informative words of the query it contains. Without a cosine the words decide alone. Other requests run at each
 * `nextSlice`.
 */
export async function withRelevance<Result extends Omit<SearchResult, 'relevance' | 'highlight'>>(
  results: readonly Result[],
  terms: readonly string[],
  { rarity }: TenantProfile,
  unrelated: Unrelated | null,
  nextSlice: () => Promise<void>,
): Promise<(Result & { relevance: number })[]> {
  const wanted = new Map(analyse(terms.join(' ')).map(word => [word, rarity(word)]))
  const whole = sum([...wanted.values()])
  const rated: (Result & { relevance: number })[] = []
  for (const result of results) {
    await nextSlice()
    const words = whole === 0 ? 0 : sharedRarity(result.memory.content, wanted) / whole
    rated.push({ ...result, relevance: relevanceOf(words, result.explain?.semantic?.cosine, unrelated) })
  }
  return rated
}

function relevanceOf(words: number, cosine: number | undefined, unrelated: Unrelated | null): number {
  if (cosine === undefined || unrelated === null) return words
  const above = (cosine - unrelated.mean) / unrelated.deviation
  return Math.min(1, Math.max(0, (above + WORDS * words) / CERTAIN))
}

function sharedRarity(content: string, wanted: ReadonlyMap<string, number>): number {
  if (wanted.size === 0) return 0
  const words = new Set(analyse(content.slice(0, READ_CHARACTERS)))
  return sum([...wanted].map(([word, rarity]) => (words.has(word) ? rarity : 0)))
}

const sum = (values: readonly number[]) => values.reduce((total, value) => total + value, 0)
