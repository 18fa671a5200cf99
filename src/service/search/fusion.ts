import type { Ranked, Scoring } from './hits.ts'

/** A hit leads by as much as its value exceeds that of the hit with this rank. */
const LAST_OF_THE_BEST = 20
/** Cosines lie closer together than relevances. */
const WEIGHTS = { meaning: 0.65, words: 0.35 }

const formula =
  'score = sum of parts; part = weight · (.9 · lead + .1 · 2 / (1 + rank)); weight = .65 by meaning and .35 by words, 1 where only one of them was asked'

/** The hits of each kind of search, best first; null for a kind that was not searched. */
type Halves = {
  semantic: readonly Ranked[] | null
  keyword: readonly Ranked[] | null
  /** The mean cosine of the query with the tenant's memories; null if it is not known. */
  typicalCosine: number | null
}

/**
 * Fuses two lists. A hit counts by how far it stands out in its list, so that the list with the clearer result decides;
 * ranks order the hits that do not stand out. Relevances are measured from 0 and cosines from the typical cosine, because
 * some models place all texts near each other. If the typical cosine is not known, because the tenant has few memories,
 * cosines count as they are: the nearest of a few need not be near. A score of 1 is the highest possible.
 * `docs/search-quality.md` compares this with other methods.
 */
export function fuse({ semantic, keyword, typicalCosine }: Halves): (Scoring & { id: string })[] {
  const byMeaning = standings(semantic ?? [], keyword ? WEIGHTS.meaning : 1, {
    floor: typicalCosine ?? 0,
    highest: typicalCosine === null ? 1 : best(semantic),
  })
  const byWords = standings(keyword ?? [], semantic ? WEIGHTS.words : 1, { floor: 0, highest: best(keyword) })
  return [...new Set([...byWords.keys(), ...byMeaning.keys()])]
    .map(id => ({ id, ...fused(byMeaning.get(id), byWords.get(id)) }))
    .sort((a, b) => b.score - a.score || (a.id < b.id ? -1 : 1))
}

const best = (hits: Halves['keyword']) => hits?.[0]?.raw ?? 0

type Standing = { hit: Ranked; lead: number; part: number }

/** A lead is a share of the distance from the floor to the highest value. */
function standings(
  hits: readonly Ranked[],
  weight: number,
  { floor, highest }: { floor: number; highest: number },
): Map<string, Standing> {
  const least = Math.max(floor, hits[LAST_OF_THE_BEST - 1]?.raw ?? floor)
  const height = highest - floor
  return new Map(
    hits.map(hit => {
      const lead = height > 0 ? Math.max(0, hit.raw - least) / height : 0
      return [hit.id, { hit, lead, part: weight * (0.9 * lead + 0.1 * (2 / (1 + hit.rank))) }]
    }),
  )
}

function fused(semantic: Standing | undefined, keyword: Standing | undefined): Scoring {
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
