import type { SearchResult } from '../contract/search.ts'

/** A hit of one kind of search: `raw` is its cosine or relevance, `relative` that over the best of its list. */
export type Ranked = { id: string; rank: number; raw: number; relative: number }

/** What an answer says of a memory that it found. */
export type Verdict = Omit<SearchResult, 'memory'>

/** Reciprocal rank fusion (Cormack, Clarke and Buettcher, 2009) with both halves alike. */
const K = 60

/** Fuses two lists by rank, best first. The score is the fused value over the highest possible. */
export function fuse(semantic: readonly Ranked[], keyword: readonly Ranked[]): (Verdict & { id: string })[] {
  const byMeaning = new Map(semantic.map(hit => [hit.id, hit]))
  const byWords = new Map(keyword.map(hit => [hit.id, hit]))
  return [...new Set([...byWords.keys(), ...byMeaning.keys()])]
    .map(id => ({ id, ...fused(byMeaning.get(id), byWords.get(id)) }))
    .sort((a, b) => b.score - a.score || (a.id < b.id ? -1 : 1))
}

function fused(semantic: Ranked | undefined, keyword: Ranked | undefined): Verdict {
  const parts = { semantic: part(semantic), keyword: part(keyword) }
  return {
    score: parts.semantic + parts.keyword,
    sources: {
      semantic: semantic ? { rank: semantic.rank, score: Math.min(1, Math.max(0, semantic.raw)) } : null,
      keyword: keyword ? { rank: keyword.rank, score: keyword.relative } : null,
    },
    explain: {
      semantic: semantic ? { cosine: semantic.raw, part: parts.semantic } : null,
      keyword: keyword ? { relevance: keyword.raw, part: parts.keyword } : null,
      formula: `score = sum of parts; part = ½ · (${K} + 1) / (${K} + rank)`,
    },
  }
}

const part = (hit: Ranked | undefined) => (hit ? (0.5 * (K + 1)) / (K + hit.rank) : 0)
