import type { Context } from '../../context.ts'
import { cosine } from '../../platform/embeddings/cosines.ts'
import { vectorsOf } from '../../store/search/vectors.ts'
import { inEachPart } from '../access/private.ts'
import type { Found, Search } from './hits.ts'

const DAY_MS = 86_400_000

type Preferences = Pick<
  Search,
  | 'importance_weight'
  | 'recency_weight'
  | 'recency_half_life_days'
  | 'diversity'
  | 'rerank'
  | 'reference_time'
>

/** Whether the order of the results follows from more than how well they match. */
export const hasPreferences = ({ importance_weight, recency_weight = 0, diversity, rerank }: Preferences) =>
  importance_weight > 0 || recency_weight > 0 || diversity > 0 || rerank

/** The time from which a search counts. */
export function presentOf({ reference_time, as_of }: Pick<Search, 'reference_time' | 'as_of'>): number {
  const present = reference_time ?? as_of
  return present === undefined ? Date.now() : Date.parse(present)
}

/** How many results are ranked for so many that are returned: one that is preferred may come from below them. */
export const poolFor = (limit: number) => Math.max(50, 3 * limit)

/** Weighs importance and age in, then puts results that say something else before those that repeat. */
export async function preferred(
  ctx: Context,
  results: readonly Found[],
  preferences: Preferences,
  { count, nextSlice }: { count: number; nextSlice: () => Promise<void> },
): Promise<Found[]> {
  const now = presentOf(preferences)
  const weighed = results
    .map(result => weigh(result, preferences, now))
    .sort((a, b) => b.score - a.score || (a.memory.id < b.memory.id ? -1 : 1))
  if (preferences.diversity === 0) return weighed
  const memories = weighed.map(({ memory }) => memory)
  const vectors = await inEachPart(ctx, memories, (part, own) => vectorsOf(part, own.map(idOf)))
  return diversify(weighed, new Map(vectors.flatMap(each => [...each])), preferences.diversity, {
    count,
    nextSlice,
  })
}

const idOf = ({ id }: { id: string }) => id

/** The mean of the score and of what is preferred, by their weights; the score itself weighs 1. */
function weigh(result: Found, preferences: Preferences, now: number): Found {
  const { importance_weight, recency_weight = 0, recency_half_life_days } = preferences
  if (importance_weight === 0 && recency_weight === 0) return result
  const whole = 1 + importance_weight + recency_weight
  const age = Math.max(0, now - Date.parse(result.memory.created_at)) / DAY_MS
  const part = (value: number, weight: number) => ({
    value,
    weight: weight / whole,
    part: (value * weight) / whole,
  })
  const importance = part(result.memory.importance, importance_weight)
  const recency = part(2 ** (-age / recency_half_life_days), recency_weight)
  const match = part(result.score, 1)
  return {
    ...result,
    score: match.part + importance.part + recency.part,
    explain: result.explain && { ...result.explain, preferences: { match, importance, recency } },
  }
}

/**
 * Maximal marginal relevance (Carbonell and Goldstein, 1998): the next result is the one with the best score after its similarity to
 * those before it is taken off. Scores stay; a result without a vector repeats nothing. Other requests run at each `nextSlice`.
 */
async function diversify(
  results: readonly Found[],
  vectors: ReadonlyMap<string, Float32Array>,
  diversity: number,
  { count, nextSlice }: { count: number; nextSlice: () => Promise<void> },
): Promise<Found[]> {
  const left = results.map(result => ({ result, nearest: 0 }))
  const chosen: Found[] = []
  const value = ({ result, nearest }: (typeof left)[number]) =>
    (1 - diversity) * result.score - diversity * nearest
  while (left.length > 0 && chosen.length < count) {
    await nextSlice()
    const best = left.reduce((a, b) => (value(b) > value(a) ? b : a))
    left.splice(left.indexOf(best), 1)
    chosen.push(withSimilarity(best))
    const vector = vectors.get(best.result.memory.id)
    for (const each of left) {
      const other = vectors.get(each.result.memory.id)
      if (vector && other) each.nearest = Math.max(each.nearest, cosine(vector, other))
    }
  }
  return chosen
}

const withSimilarity = ({ result, nearest }: { result: Found; nearest: number }): Found => ({
  ...result,
  explain: result.explain && { ...result.explain, similarity: nearest },
})
