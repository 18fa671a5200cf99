import type { Context } from '../../context.ts'
import type { Output, Parsed } from '../../contract/index.ts'
import type { SearchResult } from '../../contract/search.ts'
import { timeSlices } from '../../platform/time-slices.ts'
import { withRelevance } from './evidence.ts'
import { highlightOf } from './highlights.ts'
import type { Search } from './hits.ts'
import { hybridSearch } from './hybrid.ts'
import { keywordSearch } from './keyword.ts'
import { hasPreferences, poolFor, preferred } from './preferences.ts'
import { semanticSearch } from './semantic.ts'
import { readQuery } from './words.ts'

const searches = { semantic: semanticSearch, keyword: keywordSearch, hybrid: hybridSearch }

/** Searches, and records a recall of each result where the caller asks for that. */
export async function searchMemories(
  ctx: Context,
  { record_recall, ...input }: Parsed<'searchMemories'>,
): Promise<Output<'searchMemories'>> {
  const answer = await findMemories(ctx, input)
  const ids = answer.results.map(({ memory }) => memory.id)
  if (record_recall) ctx.app.recalls.record(ctx, ids)
  return answer
}

/** Searches for one result more than is returned: it says whether there are more. */
export async function findMemories(ctx: Context, input: Search): Promise<Output<'searchMemories'>> {
  const { limit, search_type, min_score = 0, min_relevance = 0, explain } = input
  const profile = await ctx.app.tenantProfiles.get(ctx)
  const chosen = hasPreferences(input)
  const count = chosen ? poolFor(limit + 1) : limit + 1
  const outcome = await searches[search_type](ctx, input, count, profile)
  const { reading, truncated, degraded, unrelated } = outcome
  const { terms } = readQuery(input.query)
  const nextSlice = timeSlices()
  const results = await withRelevance(outcome.results, terms, profile, unrelated, nextSlice)
  const ordered = chosen ? await preferred(ctx, results, input, { count: limit + 1, nextSlice }) : results
  const kept = ordered.filter(({ score, relevance }) => score >= min_score && relevance >= min_relevance)
  return {
    results: await shown(kept.slice(0, limit), { ...input, terms }, nextSlice),
    search_type,
    query: explain ? reading : null,
    has_more: kept.length > limit,
    truncated,
    degraded,
  }
}

/** The results with what the caller wants to see of them. Other requests run at each `nextSlice`. */
async function shown(
  results: readonly Omit<SearchResult, 'highlight'>[],
  { terms, highlight, explain }: Pick<Search, 'highlight' | 'explain'> & { terms: readonly string[] },
  nextSlice: () => Promise<void>,
): Promise<SearchResult[]> {
  const all: SearchResult[] = []
  for (const result of results) {
    await nextSlice()
    all.push({
      ...result,
      highlight: highlight ? highlightOf(result.memory.content, terms) : null,
      explain: explain ? result.explain : null,
    })
  }
  return all
}
