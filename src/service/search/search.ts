import type { Context } from '../../context.ts'
import type { Output, Parsed } from '../../contract/index.ts'
import { invalid } from '../../contract/problems.ts'
import type { SearchResult } from '../../contract/search.ts'
import { timeSlices } from '../../platform/time-slices.ts'
import { seal, unseal } from '../cursors.ts'
import { withRelevance } from './evidence.ts'
import { highlightOf } from './highlights.ts'
import type { Found, Search } from './hits.ts'
import { hybridSearch } from './hybrid.ts'
import { keywordSearch } from './keyword.ts'
import { hasPreferences, poolFor, preferred } from './preferences.ts'
import { reranked } from './rerank.ts'
import { semanticSearch } from './semantic.ts'
import { readQuery } from './words.ts'

const searches = { semantic: semanticSearch, keyword: keywordSearch, hybrid: hybridSearch }

/** Searches, and records a recall of each result where the caller asks for that. */
export async function searchMemories(
  ctx: Context,
  { record_recall, ...input }: Parsed<'searchMemories'>,
): Promise<Output<'searchMemories'>> {
  const answer = await findMemories(ctx, input)
  const { search_type: type, degraded } = answer
  ctx.app.metrics.searches.inc({ type, degraded: String(degraded) })
  const ids = answer.results.map(({ memory }) => memory.id)
  if (record_recall) await ctx.app.recalls.record(ctx, ids)
  return answer
}

/** So many results a walk with `next_cursor` returns at most. */
const FURTHEST = 1_000

/** Searches for one result more than is returned: it says whether there are more. */
export async function findMemories(ctx: Context, input: Search): Promise<Output<'searchMemories'>> {
  const { limit, search_type, min_score = 0, min_relevance = 0, explain } = input
  if (input.rerank && !ctx.app.reranker) throw invalid('/rerank', 'not_available', NO_RERANKER)
  const before = returnedBefore(ctx, input)
  const end = Math.min(before.size + limit, FURTHEST)
  const profile = await ctx.app.tenantProfiles.get(ctx)
  const chosen = hasPreferences(input)
  const count = (chosen ? poolFor(end) : end) + 1
  const outcome = await searches[search_type](ctx, input, count, profile)
  const { reading, truncated, unrelated } = outcome
  const { terms } = readQuery(input.query)
  const nextSlice = timeSlices()
  const left = outcome.results.filter(({ memory }) => !before.has(markOf(memory)))
  const results = await withRelevance(left, terms, profile, unrelated, nextSlice)
  const ordered = chosen ? await preferred(ctx, results, input, { count: limit + 1, nextSlice }) : results
  const kept = ordered.filter(({ score, relevance }) => score >= min_score && relevance >= min_relevance)
  const { results: best, degraded } = input.rerank
    ? await reranked(ctx, kept, input.query)
    : { results: kept, degraded: false }
  const page = best.slice(0, end - before.size)
  const hasMore = best.length > page.length
  return {
    results: await shown(page, { ...input, terms }, nextSlice),
    search_type,
    query: explain ? reading : null,
    has_more: hasMore,
    next_cursor: hasMore && end < FURTHEST ? cursorAfter(ctx, input, before, page) : null,
    truncated,
    degraded: outcome.degraded || degraded,
  }
}

const NO_RERANKER = 'needs a reranking model, and the operator has set none (`SERVICE_RERANK_URL`)'

/**
 * The marks of the memories that earlier pages returned. A page is what is best of the others, so that none is returned
 * twice when a longer list or a write changes the order.
 */
function returnedBefore(ctx: Context, input: Search): ReadonlySet<string> {
  if (input.cursor === undefined) return new Set()
  const marks = unseal(ctx, walkOf(input), input.cursor) as string
  return new Set(marks.match(/.{12}/g))
}

function cursorAfter(
  ctx: Context,
  input: Search,
  before: ReadonlySet<string>,
  page: readonly Found[],
): string {
  return seal(ctx, walkOf(input), [...before, ...page.map(({ memory }) => markOf(memory))].join(''))
}

/** The random end of an id: a cursor that held whole ids would be three times as long. */
const markOf = ({ id }: { id: string }) => id.slice(-12)

/** What stays the same from page to page. */
const walkOf = ({ cursor, limit, explain, highlight, ...walk }: Search) => walk

/** The results with what the caller wants to see of them. Other requests run at each `nextSlice`. */
async function shown(
  results: readonly Found[],
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
