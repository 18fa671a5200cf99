import type { Context } from '../../context.ts'
import type { Output, Parsed } from '../../contract/index.ts'
import { hybridSearch } from './hybrid.ts'
import { keywordSearch } from './keyword.ts'
import { semanticSearch } from './semantic.ts'

const searches = { semantic: semanticSearch, keyword: keywordSearch, hybrid: hybridSearch }

/** Searches for one result more than is returned: it says whether there are more. */
export async function searchMemories(
  ctx: Context,
  input: Parsed<'searchMemories'>,
): Promise<Output<'searchMemories'>> {
  const { limit, search_type, min_score = 0, explain } = input
  const { results, reading, truncated, degraded } = await searches[search_type](ctx, input, limit + 1)
  const kept = results.filter(({ score }) => score >= min_score)
  return {
    results: kept.slice(0, limit).map(result => (explain ? result : { ...result, explain: null })),
    search_type,
    query: explain ? reading : null,
    has_more: kept.length > limit,
    truncated,
    degraded,
  }
}
