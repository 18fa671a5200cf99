import type { Ranked, Scoring } from './hits.ts'

/** A small constant: the first ranks decide. `docs/search-quality.md` compares constants and weights. */
const K = 1
const WEIGHTS = { semantic: 0.4, keyword: 0.6 }

const formula =
  'score = sum of parts; part = weight · 2 / (1 + rank); weight = .4 for semantic and .6 for keyword search, 1 if only one of them was searched'

/** The hits of each kind of search, best first; null for a kind that was not searched. */
type Lists = { semantic: readonly Ranked[] | null; keyword: readonly Ranked[] | null }

/**
 * Fuses two lists by reciprocal rank (Cormack, Clarke and Buettcher, 2009). Only ranks count, so no property of an
 * embedding model does. A score of 1 is the highest possible: the best of each list that was searched.
 */
export function fuse({ semantic, keyword }: Lists): (Scoring & { id: string })[] {
  const byMeaning = placed(semantic, keyword ? WEIGHTS.semantic : 1)
  const byWords = placed(keyword, semantic ? WEIGHTS.keyword : 1)
  return [...new Set([...byWords.keys(), ...byMeaning.keys()])]
    .map(id => ({ id, ...fused(byMeaning.get(id), byWords.get(id)) }))
    .sort((a, b) => b.score - a.score || (a.id < b.id ? -1 : 1))
}

type Place = { hit: Ranked; weight: number; part: number }

const placed = (hits: readonly Ranked[] | null, weight: number): Map<string, Place> =>
  new Map((hits ?? []).map(hit => [hit.id, { hit, weight, part: weight * ((K + 1) / (K + hit.rank)) }]))

function fused(semantic: Place | undefined, keyword: Place | undefined): Scoring {
  return {
    score: (semantic?.part ?? 0) + (keyword?.part ?? 0),
    sources: {
      semantic: semantic ? { rank: semantic.hit.rank, score: Math.max(0, semantic.hit.raw) } : null,
      keyword: keyword ? { rank: keyword.hit.rank, score: keyword.hit.relative } : null,
    },
    explain: {
      semantic: semantic ? { cosine: semantic.hit.raw, weight: semantic.weight, part: semantic.part } : null,
      keyword: keyword ? { relevance: keyword.hit.raw, weight: keyword.weight, part: keyword.part } : null,
      formula,
    },
  }
}
