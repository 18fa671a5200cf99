import type { Context } from '../../context.ts'
import { cutWords } from '../../platform/text/words.ts'
import { timeSlices } from '../../platform/time-slices.ts'
import type { MemoryFilter } from '../../store/memories/filter.ts'
import { SMALL_SET } from '../../store/memories/small-set.ts'
import type { Candidate } from '../../store/search/hits.ts'
import { memoriesWithTerms } from '../../store/search/keyword.ts'
import { toFilter } from '../memories/filters.ts'
import { unexplained } from './fusion.ts'
import {
  type Asked,
  type Hits,
  type Ranked,
  ranked,
  type Scoring,
  type Search,
  type SearchOutcome,
  SPARE,
} from './hits.ts'
import { relevances } from './relevance.ts'
import { readResults } from './results.ts'
import { toKeywordReading, toWordQuery } from './words.ts'

export async function keywordSearch(
  ctx: Context,
  input: Search,
  count: number,
  asked: Asked,
): Promise<SearchOutcome> {
  const filter = toFilter(input)
  const { hits, truncated } = await findByTerms(ctx, asked, filter, count + SPARE)
  const scored = ranked(hits).map(hit => ({ id: hit.id, ...toScoring(hit) }))
  return {
    results: await readResults(ctx, scored, { ...asked, met: hits, filter, vector: undefined }),
    reading: { semantic: null, keyword: toKeywordReading(asked.reading) },
    truncated: truncated || asked.reading.cut,
    degraded: false,
    plain: null,
    worded: hits.length > 0,
  }
}

/** So many matches are scored by the tenant's own statistics. */
export const LOCAL_MATCHES = 100
const MAXIMUM_MATCHES = 50 * SMALL_SET
/** A match; the best ones have their words. */
export type WordedHit = Candidate & { words: string | null }

/**
 * The best matches, best first. Most memories pass the filters that the full-text index does not hold. The first query reads
 * as many as are wanted; if too few of them pass, further queries read more of what the index found.
 */
export async function findByTerms(
  ctx: Context,
  asked: Asked,
  filter: MemoryFilter,
  count: number,
): Promise<Hits<WordedHit>> {
  const query = toWordQuery(asked.reading)
  if (query.terms.length === 0) return { hits: [], truncated: false }
  // One more than are scored here shows that there are too many for it.
  const most = Math.max(LOCAL_MATCHES + 1, count)
  let candidates = Math.max(LOCAL_MATCHES, count)
  for (;;) {
    const { hits, seen } = await memoriesWithTerms(ctx, query, filter, { candidates, most })
    const exhausted = seen < candidates
    const enough = hits.length >= count || exhausted
    if (enough || candidates === MAXIMUM_MATCHES) {
      const words = await ctx.app.knownWords.of(ctx, hits.slice(0, LOCAL_MATCHES))
      const matches = hits.map(hit => ({ ...hit, words: words.get(hit.id) ?? null }))
      const all = exhausted && hits.length <= LOCAL_MATCHES
      return { hits: (await rescored(matches, asked, { all })).slice(0, count), truncated: !enough }
    }
    candidates = Math.min(10 * candidates, MAXIMUM_MATCHES)
  }
}

/**
 * The matches, best first, of which the best are scored without the words of other tenants: by the statistics of the
 * matches where these are `all`, else by the rarity of words with the tenant.
 */
export async function rescored<Match extends Pick<WordedHit, 'id' | 'score' | 'words'>>(
  matches: readonly Match[],
  { reading, profile, isPart }: Asked,
  { all }: { all: boolean },
): Promise<Match[]> {
  const best = matches.slice(0, LOCAL_MATCHES)
  const share = fairShare(best.map(({ words }) => words?.length ?? 0))
  const scores = await relevances(
    best.map(({ words }) => cutWords(words ?? '', share)),
    reading.words,
    timeSlices(),
    all && !isPart ? undefined : profile.rarity,
  )
  const scored = best
    .map((match, index) => ({ ...match, score: scores[index] ?? 0 }))
    .sort((a, b) => b.score - a.score || (a.id < b.id ? -1 : 1))
  return [...scored, ...below(scored.at(-1), matches.slice(LOCAL_MATCHES))]
}

/** The matches that were not scored again follow in their order. */
function below<Match extends Pick<WordedHit, 'score'>>(
  last: Match | undefined,
  rest: readonly Match[],
): Match[] {
  const ratio = (last?.score ?? 0) / (rest[0]?.score || 1)
  return rest.map(match => ({ ...match, score: ratio * match.score }))
}

/** Bounds the text that is scored, of each match and of all: other requests wait while it is computed. */
const SCORED_CHARACTERS = { each: 4_000, together: 400_000 }

/** The number of characters scored of each text. What short texts leave over is for the longer ones. */
function fairShare(lengths: readonly number[]): number {
  let left = SCORED_CHARACTERS.together
  for (const [at, length] of lengths.toSorted((a, b) => a - b).entries()) {
    const share = Math.floor(left / (lengths.length - at))
    if (length > share) return Math.max(SCORED_CHARACTERS.each, share)
    left -= length
  }
  return SCORED_CHARACTERS.together
}

export function toScoring({ rank, raw, relative }: Ranked): Scoring {
  return {
    score: relative,
    sources: { semantic: null, keyword: { rank, score: relative } },
    explain: {
      semantic: null,
      keyword: { relevance: raw, coverage: 1, weight: 1, part: relative },
      session: null,
      time: null,
      formula: 'score = relevance / best relevance of the answer',
      ...unexplained,
    },
  }
}
