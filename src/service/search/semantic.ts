import type { Context, TenantProfile } from '../../context.ts'
import { isSelective, type MemoryFilter, statesAt } from '../../store/memories/filter.ts'
import { smallSet } from '../../store/memories/small-set.ts'
import { nearestMemories, nearestOf } from '../../store/search/semantic.ts'
import { embedQuery } from '../embeddings/vectors.ts'
import { toFilter } from '../memories/filters.ts'
import { unrelatedTo } from './evidence.ts'
import { type Hits, type Ranked, type Scoring, type Search, type SearchOutcome, toResults } from './hits.ts'

/** @throws EmbeddingUnavailable */
export async function semanticSearch(
  ctx: Context,
  input: Search,
  count: number,
  profile: TenantProfile,
): Promise<SearchOutcome> {
  const texts = [input.query]
  const vector = await embedQuery(ctx, texts)
  const { hits, truncated } = await findNearest(ctx, vector, toFilter(input), count)
  return {
    results: toResults(hits, toScoring),
    reading: { semantic: { texts, left_out: [] }, keyword: null },
    truncated,
    degraded: false,
    unrelated: unrelatedTo(vector, profile, ctx.space),
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
  vector: Float32Array,
  filter: MemoryFilter,
  count: number,
): Promise<Hits> {
  const ids = isSelective(filter) ? await smallSet(ctx, statesAt(filter), filter) : undefined
  if (ids) return { hits: await nearestOf(ctx, vector, ids, filter, count), truncated: false }
  const least = Math.min(Math.max(ctx.breadth, (isSelective(filter) ? 4 : 2) * count), MAXIMUM_CANDIDATES)
  for (let candidates = least; ; candidates = Math.min(4 * candidates, MAXIMUM_CANDIDATES)) {
    const { hits, complete } = await nearestMemories(ctx, vector, filter, { candidates, count })
    if (complete || candidates === MAXIMUM_CANDIDATES)
      return { hits, truncated: !complete && hits.length < count }
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
      formula: 'score = max(0, cosine)',
      preferences: null,
      rerank: null,
      similarity: null,
    },
  }
}
