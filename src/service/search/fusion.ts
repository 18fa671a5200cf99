import type { SearchResult } from '../../contract/search.ts'

/** A hit of one kind of search: `raw` is its cosine or relevance, `relative` that over the best of its list. */
export type Ranked = { id: string; rank: number; raw: number; relative: number }

/** What an answer says of a memory that it found. */
export type Verdict = Omit<SearchResult, 'memory'>

/** A hit leads by what it is above the one of this rank. */
const LAST_OF_THE_BEST = 20
/** Cosines lie closer together than relevances do. */
const WEIGHTS = { meaning: 0.65, words: 0.35 }

const formula =
  'score = sum of parts; part = weight · (.9 · lead + .1 · 2 / (1 + rank)); weight = .65 by meaning and .35 by words, 1 where only one of them was asked'

/** What each kind of search found, best first; null where it was not asked. */
type Halves = {
  semantic: readonly Ranked[] | null
  keyword: readonly Ranked[] | null
  /** Where it is known. */
  usualCosine: number | null
}

/**
 * Fuses two lists. What counts is how far a hit stands out in its list, so that the half which is sure of its answer has
 * the say; ranks order what does not stand out. Relevances are measured from 0, cosines from the usual one: with some
 * models all texts are near each other. Where that is not known, among few memories, cosines count as they are: the
 * nearest of a few need not be near. The score is the fused value over the highest possible.
 * `docs/search-quality.md` has the comparison with other ways.
 */
export function fuse({ semantic, keyword, usualCosine }: Halves): (Verdict & { id: string })[] {
  const byMeaning = standings(semantic ?? [], keyword ? WEIGHTS.meaning : 1, {
    usual: usualCosine ?? 0,
    highest: usualCosine === null ? 1 : best(semantic),
  })
  const byWords = standings(keyword ?? [], semantic ? WEIGHTS.words : 1, { usual: 0, highest: best(keyword) })
  return [...new Set([...byWords.keys(), ...byMeaning.keys()])]
    .map(id => ({ id, ...fused(byMeaning.get(id), byWords.get(id)) }))
    .sort((a, b) => b.score - a.score || (a.id < b.id ? -1 : 1))
}

const best = (hits: Halves['keyword']) => hits?.[0]?.raw ?? 0

type Standing = { hit: Ranked; lead: number; part: number }

/** Leads are shares of the way from what is usual to the highest value. */
function standings(
  hits: readonly Ranked[],
  weight: number,
  { usual, highest }: { usual: number; highest: number },
): Map<string, Standing> {
  const least = Math.max(usual, hits[LAST_OF_THE_BEST - 1]?.raw ?? usual)
  const height = highest - usual
  return new Map(
    hits.map(hit => {
      const lead = height > 0 ? Math.max(0, hit.raw - least) / height : 0
      return [hit.id, { hit, lead, part: weight * (0.9 * lead + 0.1 * (2 / (1 + hit.rank))) }]
    }),
  )
}

function fused(semantic: Standing | undefined, keyword: Standing | undefined): Verdict {
  return {
    score: (semantic?.part ?? 0) + (keyword?.part ?? 0),
    sources: {
      semantic: semantic ? { rank: semantic.hit.rank, score: Math.max(0, semantic.hit.raw) } : null,
      keyword: keyword ? { rank: keyword.hit.rank, score: keyword.hit.relative } : null,
    },
    explain: {
      semantic: semantic ? { cosine: semantic.hit.raw, lead: semantic.lead, part: semantic.part } : null,
      keyword: keyword ? { relevance: keyword.hit.raw, lead: keyword.lead, part: keyword.part } : null,
      formula,
    },
  }
}
