import type { Ranked, Scoring } from './hits.ts'

/** A small constant: the first ranks decide. */
const K = 2
const WEIGHTS = { semantic: 0.5, keyword: 0.5, session: 0.3, time: 0.5 }
/** So much of the query, by the rarity of its words, counts as all of it. */
export const WHOLE = 0.8
/** How much less a memory of a session counts with each step from the strong hit. */
const FADING = 0.7

const formula =
  'score = sum of parts; part = weight · 3 / (2 + rank), for keyword search · coverage; weight = .5 for semantic and .5 for keyword search, 1 if only one of them was searched; part of the session = weight · score of the strong result · .7 ^ (distance − 1), weight = .3; part of the time = weight · 3 / (2 + rank), weight = .5; with a session, a time or both all weights are divided by their sum'

/** A hit by words, and the share of the query's words, weighted by their rarity, that it contains. */
export type Worded = Ranked & { share: number }

/** A memory at most two places before or after a strong hit in its session. `rank` and `score` are those of that hit. */
export type SessionNeighbour = { id: string; nextTo: string; rank: number; distance: number; score: number }

/** The hits of each kind of search, best first; null for a kind that was not searched. */
type Lists = {
  semantic: readonly Ranked[] | null
  keyword: readonly Worded[] | null
  session?: readonly SessionNeighbour[]
  /** Those of the time that the query names; none if it names none. */
  time?: readonly Ranked[]
}

/**
 * Fuses lists by reciprocal rank (Cormack, Clarke and Buettcher, 2009). Only ranks count, so no property of an
 * embedding model does; a hit by words counts as much as it covers of the query. The weights sum to 1: a score of 1 is
 * the highest possible. An empty list of the session or the time changes nothing.
 */
export function fuse({ semantic, keyword, session = [], time = [] }: Lists): (Scoring & { id: string })[] {
  const whole = 1 + (session.length > 0 ? WEIGHTS.session : 0) + (time.length > 0 ? WEIGHTS.time : 0)
  const byMeaning = placed(semantic ?? [], (keyword ? WEIGHTS.semantic : 1) / whole, () => 1)
  const byWords = placed(keyword ?? [], (semantic ? WEIGHTS.keyword : 1) / whole, ({ share }) =>
    semantic ? Math.min(1, share / WHOLE) : 1,
  )
  const bySession = nextTo(session, WEIGHTS.session / whole)
  const byTime = placed(time, WEIGHTS.time / whole, () => 1)
  return [...new Set([...byWords.keys(), ...byMeaning.keys(), ...bySession.keys(), ...byTime.keys()])]
    .map(id => ({ id, ...fused(byMeaning.get(id), byWords.get(id), bySession.get(id), byTime.get(id)) }))
    .sort((a, b) => b.score - a.score || (a.id < b.id ? -1 : 1))
}

type Place<Hit> = { hit: Hit; weight: number; part: number }
type Covering = Place<Ranked> & { coverage: number }

const placed = <Hit extends Ranked>(
  hits: readonly Hit[],
  weight: number,
  coverageOf: (hit: Hit) => number,
): Map<string, Covering> =>
  new Map(
    hits.map(hit => {
      const coverage = coverageOf(hit)
      return [hit.id, { hit, weight, coverage, part: weight * coverage * ((K + 1) / (K + hit.rank)) }]
    }),
  )

/** Of several strong hits next to a memory the best one counts. */
function nextTo(
  neighbours: readonly SessionNeighbour[],
  weight: number,
): Map<string, Place<SessionNeighbour>> {
  const best = new Map<string, Place<SessionNeighbour>>()
  for (const hit of neighbours) {
    const part = weight * hit.score * FADING ** (hit.distance - 1)
    if (part > (best.get(hit.id)?.part ?? 0)) best.set(hit.id, { hit, weight, part })
  }
  return best
}

function fused(
  semantic: Covering | undefined,
  keyword: Covering | undefined,
  session: Place<SessionNeighbour> | undefined,
  time: Place<Ranked> | undefined,
): Scoring {
  return {
    score: (semantic?.part ?? 0) + (keyword?.part ?? 0) + (session?.part ?? 0) + (time?.part ?? 0),
    sources: {
      semantic: semantic ? { rank: semantic.hit.rank, score: Math.max(0, semantic.hit.raw) } : null,
      keyword: keyword ? { rank: keyword.hit.rank, score: keyword.hit.relative } : null,
    },
    explain: {
      semantic: semantic ? { cosine: semantic.hit.raw, weight: semantic.weight, part: semantic.part } : null,
      keyword: keyword ? explainWords(keyword) : null,
      session: session ? explainSession(session) : null,
      time: time ? { rank: time.hit.rank, weight: time.weight, part: time.part } : null,
      formula,
      ...unexplained,
    },
  }
}

/** What later steps of a search explain. */
export const unexplained = { relevance: null, preferences: null, rerank: null, similarity: null }

const explainWords = ({ hit, weight, coverage, part }: Covering) => ({
  relevance: hit.raw,
  coverage,
  weight,
  part,
})

const explainSession = ({ hit, weight, part }: Place<SessionNeighbour>) => ({
  next_to: hit.nextTo,
  rank: hit.rank,
  distance: hit.distance,
  score: hit.score,
  weight,
  part,
})
