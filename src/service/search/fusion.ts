import type { Ranked, Scoring } from './hits.ts'

/** A small constant: the first ranks decide. */
const K = 1
const WEIGHTS = { semantic: 0.4, keyword: 0.6, session: 0.2 }

const formula =
  'score = sum of parts; part = weight · 2 / (1 + rank); weight = .4 for semantic and .6 for keyword search, 1 if only one of them was searched; .2 for the session if a strong result has neighbours in one, and then all weights are divided by 1.2'

/** A memory just before or after a strong hit in its session. `rank` is the rank of that hit. */
export type Neighbour = { id: string; nextTo: string; rank: number }

/** The hits of each kind of search, best first; null for a kind that was not searched. */
type Lists = {
  semantic: readonly Ranked[] | null
  keyword: readonly Ranked[] | null
  session?: readonly Neighbour[]
}

/**
 * Fuses lists by reciprocal rank (Cormack, Clarke and Buettcher, 2009). Only ranks count, so no property of an
 * embedding model does. The weights sum to 1: a score of 1 is the highest possible, the best of each list that was
 * searched. An empty list of the session changes nothing.
 */
export function fuse({ semantic, keyword, session = [] }: Lists): (Scoring & { id: string })[] {
  const whole = session.length > 0 ? 1 + WEIGHTS.session : 1
  const byMeaning = placed(semantic ?? [], (keyword ? WEIGHTS.semantic : 1) / whole)
  const byWords = placed(keyword ?? [], (semantic ? WEIGHTS.keyword : 1) / whole)
  const bySession = placed(session, WEIGHTS.session / whole)
  return [...new Set([...byWords.keys(), ...byMeaning.keys(), ...bySession.keys()])]
    .map(id => ({ id, ...fused(byMeaning.get(id), byWords.get(id), bySession.get(id)) }))
    .sort((a, b) => b.score - a.score || (a.id < b.id ? -1 : 1))
}

type Place<Hit> = { hit: Hit; weight: number; part: number }

const placed = <Hit extends { id: string; rank: number }>(
  hits: readonly Hit[],
  weight: number,
): Map<string, Place<Hit>> =>
  new Map(hits.map(hit => [hit.id, { hit, weight, part: weight * ((K + 1) / (K + hit.rank)) }]))

function fused(
  semantic: Place<Ranked> | undefined,
  keyword: Place<Ranked> | undefined,
  session: Place<Neighbour> | undefined,
): Scoring {
  return {
    score: (semantic?.part ?? 0) + (keyword?.part ?? 0) + (session?.part ?? 0),
    sources: {
      semantic: semantic ? { rank: semantic.hit.rank, score: Math.max(0, semantic.hit.raw) } : null,
      keyword: keyword ? { rank: keyword.hit.rank, score: keyword.hit.relative } : null,
    },
    explain: {
      semantic: semantic ? { cosine: semantic.hit.raw, weight: semantic.weight, part: semantic.part } : null,
      keyword: keyword ? { relevance: keyword.hit.raw, weight: keyword.weight, part: keyword.part } : null,
      session: session ? explainSession(session) : null,
      formula,
      preferences: null,
      rerank: null,
      similarity: null,
    },
  }
}

const explainSession = ({ hit, weight, part }: Place<Neighbour>) => ({
  next_to: hit.nextTo,
  rank: hit.rank,
  weight,
  part,
})
