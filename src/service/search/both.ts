import { fuse, WHOLE } from './fusion.ts'
import type { Found, Ranked, Scoring, Search } from './hits.ts'
import { toScoring } from './keyword.ts'

/** What a search found in the shared or in the private memories. */
type FoundInPart = { readonly results: readonly Found[]; readonly degraded: boolean }

/** A result with a key of its own: a memory of each part may have the same id. */
type Keyed = { readonly key: string; readonly part: number; readonly found: Found }

const keyOf = (part: number, id: string) => `${part} ${id}`

/**
 * The results of both parts, best first, scored as one search of both would have scored them: by their places in lists that
 * have the hits of both.
 */
export function mergeResults(
  type: Search['search_type'],
  parts: readonly FoundInPart[],
  hasWords: boolean,
): Found[] {
  const all = parts.flatMap(({ results }, part) =>
    results.map(found => ({ key: keyOf(part, found.memory.id), part, found })),
  )
  if (new Set(all.map(({ part }) => part)).size < 2) return all.map(({ found }) => found)
  const byKey = new Map(all.map(({ key, found }) => [key, found]))
  const isBlind = parts.every(({ degraded }) => degraded)
  return scoredAgain(type, all, { semantic: !isBlind, keyword: hasWords }).map(({ id, ...scoring }) =>
    withScoring(byKey.get(id) as Found, scoring),
  )
}

function withScoring(found: Found, scoring: Scoring): Found {
  const { explain } = scoring
  return {
    ...found,
    ...scoring,
    explain: explain && { ...explain, relevance: found.explain?.relevance ?? null },
  }
}

type Scored = Scoring & { id: string }

function scoredAgain(
  type: Search['search_type'],
  all: readonly Keyed[],
  searched: { semantic: boolean; keyword: boolean },
): Scored[] {
  if (type === 'hybrid') return fusedAgain(all, searched)
  if (type === 'keyword') return byRank(all, byWords).map(hit => ({ id: hit.id, ...toScoring(hit) }))
  const places = new Map(byRank(all, byMeaning).map(({ id, rank }) => [id, rank]))
  return all
    .map(({ key, found: { score, sources, explain } }) => {
      const semantic = sources.semantic && {
        ...sources.semantic,
        rank: places.get(key) ?? sources.semantic.rank,
      }
      return { id: key, score, sources: { ...sources, semantic }, explain }
    })
    .sort((a, b) => b.score - a.score || (a.id < b.id ? -1 : 1))
}

/** The neighbours of strong hits in their sessions count by what those have in both parts. */
function fusedAgain(all: readonly Keyed[], searched: { semantic: boolean; keyword: boolean }): Scored[] {
  const shares = new Map(all.map(({ key, found }) => [key, WHOLE * (found.explain?.keyword?.coverage ?? 0)]))
  const worded = byRank(all, byWords).map(hit => ({ ...hit, share: shares.get(hit.id) ?? 0 }))
  const lists = {
    semantic: searched.semantic ? byRank(all, byMeaning) : null,
    keyword: searched.keyword ? worded : null,
    time: byRank(all, ofTheTime),
  }
  const strong = new Map(fuse(lists).map(({ id, score }, at) => [id, { rank: at + 1, score }]))
  const session = all.flatMap(({ key, part, found: { explain } }) => {
    if (!explain?.session) return []
    const { next_to: nextTo, distance, ...before } = explain.session
    return [{ id: key, nextTo, distance, ...(strong.get(keyOf(part, nextTo)) ?? before) }]
  })
  return fuse({ ...lists, session })
}

/** A hit in the list of its part. */
type Hit = Omit<Ranked, 'id'>

const byMeaning = ({ sources, explain }: Found): Hit | undefined =>
  sources.semantic && explain?.semantic
    ? { rank: sources.semantic.rank, raw: explain.semantic.cosine, relative: 1 }
    : undefined

const byWords = ({ sources, explain }: Found): Hit | undefined =>
  sources.keyword && explain?.keyword
    ? { rank: sources.keyword.rank, raw: explain.keyword.relevance, relative: sources.keyword.score }
    : undefined

const ofTheTime = ({ explain }: Found): Hit | undefined =>
  explain?.time ? { rank: explain.time.rank, raw: explain.relevance?.cosine ?? 0, relative: 1 } : undefined

/**
 * The hits of both parts in one list: above each are those above it in its part, and those of the other part that match
 * better. What earlier pages returned of a part is above all of it that is left.
 */
function byRank(all: readonly Keyed[], read: (found: Found) => Hit | undefined): Ranked[] {
  const hits = all.flatMap(({ key, part, found }) => {
    const hit = read(found)
    return hit ? [{ id: key, part, ...hit }] : []
  })
  const best = hits.reduce(
    (most, { raw, relative }) => Math.max(most, relative > 0 ? raw / relative : raw),
    0,
  )
  const lists = [0, 1].map(part => hits.filter(hit => hit.part === part).sort((a, b) => a.rank - b.rank))
  return hits
    .map(({ id, part, rank, raw }) => {
      const others = lists[1 - part] ?? []
      const above = others.findLast(other => other.raw > raw || (other.raw === raw && part === 1))
      const before = above?.rank ?? Math.max(0, (others[0]?.rank ?? 1) - 1)
      return { id, rank: rank + before, raw, relative: best > 0 ? raw / best : 1 }
    })
    .sort((a, b) => a.rank - b.rank || (a.id < b.id ? -1 : 1))
}
