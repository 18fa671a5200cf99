import type { Context, QueryVector } from '../../context.ts'
import { isSelective, type MemoryFilter, statesAt } from '../../store/memories/filter.ts'
import { smallSet } from '../../store/memories/small-set.ts'
import { nearestMemories, nearestOf } from '../../store/search/semantic.ts'
import { embedQuery } from '../embeddings/vectors.ts'
import { toFilter } from '../memories/filters.ts'
import { unexplained } from './fusion.ts'
import {
  type Asked,
  type Hits,
  type Ranked,
  type Scoring,
  type Search,
  type SearchOutcome,
  toResults,
} from './hits.ts'
import { focusOf } from './tenant-profile.ts'

/** @throws EmbeddingUnavailable */
export async function semanticSearch(
  ctx: Context,
  input: Search,
  count: number,
  { profile, returned, asker }: Asked,
): Promise<SearchOutcome> {
  const semantic = focusOf(input.query, profile)
  const vector = await embedQuery(asker, semantic.texts)
  const { hits, truncated } = await findNearest(ctx, vector, toFilter(input), { count, returned })
  return {
    results: toResults(hits, toScoring),
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
 * Asks the index for more and more candidates, until enough of them pass the filter and no further one can be as near.
 * One query is mostly enough. The index does not hold all filters: if those keep few memories, each of them is measured.
 */
export async function findNearest(
  ctx: Context,
  vector: QueryVector,
  filter: MemoryFilter,
  { count, returned = [] }: { count: number; returned?: readonly string[] },
): Promise<Hits> {
  const ids = isSelective(filter) ? await smallSet(ctx, statesAt(filter), filter) : undefined
  if (ids) return { hits: await nearestOf(ctx, vector, ids, filter, { count, returned }), truncated: false }
  const least = Math.min(Math.max(ctx.breadth, (isSelective(filter) ? 4 : 2) * count), MAXIMUM_CANDIDATES)
  for (let candidates = least; ; candidates = Math.min(4 * candidates, MAXIMUM_CANDIDATES)) {
    const last = candidates === MAXIMUM_CANDIDATES
    const wanted = { candidates, count, returned, last }
    const { hits, full, complete } = await nearestMemories(ctx, vector, filter, wanted)
    if (complete || last) return { hits, truncated: !complete && !full }
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
