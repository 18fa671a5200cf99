import type { Context, QueryVector } from '../../context.ts'
import { MARGIN } from '../../store/embeddings/spaces.ts'
import { isSelective, type MemoryFilter, statesAt } from '../../store/memories/filter.ts'
import { smallSet } from '../../store/memories/small-set.ts'
import { nearestMemories, nearestOf, SURE } from '../../store/search/semantic.ts'
import { embedQuery } from '../embeddings/vectors.ts'
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
import { readResults } from './results.ts'
import { focusOf } from './tenant-profile.ts'

/** @throws EmbeddingUnavailable */
export async function semanticSearch(
  ctx: Context,
  input: Search,
  count: number,
  { profile, returned, most, asker }: Asked,
): Promise<SearchOutcome> {
  const semantic = focusOf(input.query, profile)
  const vector = await embedQuery(asker, semantic.texts)
  const filter = toFilter(input)
  const enough = Math.min(count, returned.size + most) + SPARE
  const { hits, truncated } = await findNearest(ctx, vector, filter, enough)
  const scored = ranked(hits).map(hit => ({ id: hit.id, ...toScoring(hit) }))
  return {
    results: await readResults(ctx, scored, { met: hits, filter, vector, returned, most }),
    reading: { semantic, keyword: null },
    truncated,
    degraded: false,
    plain: vector.plain,
    worded: true,
  }
}

/** The maximum number of candidates of the vector index that one search reads. */
const MAXIMUM_CANDIDATES = 8_000

/**
 * Asks the index for more and more candidates, until enough of them pass the filter and no further one can be as near: that
 * is not looked at where the nearest need not be `exact` and the index holds all filters. One query is mostly enough. If
 * the filters that the index does not hold keep few memories, each of them is measured.
 */
export async function findNearest(
  ctx: Context,
  { mean }: QueryVector,
  filter: MemoryFilter,
  count: number,
  { exact } = { exact: true },
): Promise<Hits> {
  const selective = isSelective(filter)
  const ids = selective ? await smallSet(ctx, statesAt(filter), filter) : undefined
  if (ids) return { hits: await nearestOf(ctx, mean, ids, filter, count), truncated: false }
  const factor = selective ? 4 : exact ? 2 : 1
  let candidates = Math.min(Math.max(ctx.breadth, factor * count), MAXIMUM_CANDIDATES)
  for (;;) {
    const { hits, seen, farthest } = await nearestMemories(ctx, mean, filter, { candidates, count })
    const isAll = seen < SURE * candidates
    const isSettled = !(exact || selective) || (hits.at(-1)?.score ?? -1) > farthest + MARGIN
    if (isAll || (hits.length === count && isSettled) || candidates === MAXIMUM_CANDIDATES)
      return { hits, truncated: !isAll && hits.length < count }
    candidates = Math.min(4 * candidates, MAXIMUM_CANDIDATES)
  }
}

function toScoring({ rank, raw }: Ranked): Scoring {
  const score = Math.max(0, raw)
  return {
    score,
    sources: { semantic: { rank, score }, keyword: null },
    explain: {
      semantic: { cosine: raw, weight: 1, part: score },
      keyword: null,
      session: null,
      time: null,
      formula: 'score = max(0, cosine)',
      ...unexplained,
    },
  }
}
