import type { SearchResult } from '../contract/search.ts'

/** A hit of one kind of search: `raw` is its cosine or relevance, `relative` that over the best of its list. */
export type Ranked = { id: string; rank: number; raw: number; relative: number }

/** What an answer says of a memory that it found. */
export type Verdict = Omit<SearchResult, 'memory'>

/** So many of the best of a list say what a usual score is; where there are fewer the missing ones count as 0. */
const BEST = 20
/** No value stands farther above the least of so many, in standard deviations of all of them. */
const HIGHEST = Math.sqrt(2 * BEST)

const formula = `score = sum of parts; part = ½ · (.9 · lead / √${2 * BEST} + .1 · 2 / (1 + rank))`

/**
 * Fuses two lists, best first. What counts is how far a hit stands out in its list (distribution-based score fusion),
 * so that the half which is sure of its answer has the say; ranks order what does not stand out. The score is the fused
 * value over the highest possible. `docs/search-quality.md` has the comparison with other ways.
 */
export function fuse(semantic: readonly Ranked[], keyword: readonly Ranked[]): (Verdict & { id: string })[] {
  const [byMeaning, byWords] = [standings(semantic), standings(keyword)]
  return [...new Set([...byWords.keys(), ...byMeaning.keys()])]
    .map(id => ({ id, ...fused(byMeaning.get(id), byWords.get(id)) }))
    .sort((a, b) => b.score - a.score || (a.id < b.id ? -1 : 1))
}

type Spread = { least: number; deviation: number }
type Standing = { hit: Ranked; lead: number; part: number }

function standings(hits: readonly Ranked[]): Map<string, Standing> {
  const spread = spreadOf(hits)
  return new Map(hits.map(hit => [hit.id, { hit, ...standing(hit, spread) }]))
}

function spreadOf(hits: readonly Ranked[]): Spread {
  const values = Array.from({ length: BEST }, (_, at) => Math.max(0, hits[at]?.raw ?? 0))
  const mean = values.reduce((sum, value) => sum + value, 0) / BEST
  const variance = values.reduce((sum, value) => sum + (value - mean) ** 2, 0) / BEST
  return { least: Math.min(...values), deviation: Math.sqrt(variance) }
}

function standing({ raw, rank }: Ranked, { least, deviation }: Spread): { lead: number; part: number } {
  const lead = deviation > 0 ? Math.min(HIGHEST, Math.max(0, raw - least) / deviation) : 0
  return { lead, part: 0.5 * (0.9 * (lead / HIGHEST) + 0.1 * (2 / (1 + rank))) }
}

function fused(semantic: Standing | undefined, keyword: Standing | undefined): Verdict {
  return {
    score: (semantic?.part ?? 0) + (keyword?.part ?? 0),
    sources: {
      semantic: semantic
        ? { rank: semantic.hit.rank, score: Math.min(1, Math.max(0, semantic.hit.raw)) }
        : null,
      keyword: keyword ? { rank: keyword.hit.rank, score: keyword.hit.relative } : null,
    },
    explain: {
      semantic: semantic ? { cosine: semantic.hit.raw, lead: semantic.lead, part: semantic.part } : null,
      keyword: keyword ? { relevance: keyword.hit.raw, lead: keyword.lead, part: keyword.part } : null,
      formula,
    },
  }
}
