import type { Context } from '../context.ts'
import type { Output, Parsed } from '../contract/index.ts'
import type { Memory } from '../contract/memories.ts'
import { ServiceError } from '../contract/problems.ts'
import type { SearchResult } from '../contract/search.ts'
import { SMALL_SET, smallSet } from '../store/lists.ts'
import { memoriesWithTerms, nearestMemories, nearestOf, type SearchFilter } from '../store/search.ts'
import { timeRange } from './filters.ts'
import { fuse, type Ranked } from './fusion.ts'
import { relevances } from './relevance.ts'
import { embedQuery } from './vectors.ts'
import { queryTerms } from './words.ts'

type Search = Parsed<'searchMemories'>

/** The best of one kind of search, best first. `truncated`: the bound on work was reached before there were enough. */
type Found = { hits: Ranked[]; truncated: boolean }

export async function searchMemories(ctx: Context, input: Search): Promise<Output<'searchMemories'>> {
  const { limit, search_type, min_score = 0, explain } = input
  const { results, truncated, degraded } = await searches[search_type](ctx, input, limit + 1)
  const kept = results.filter(({ score }) => score >= min_score)
  return {
    results: kept.slice(0, limit).map(result => (explain ? result : { ...result, explain: null })),
    search_type,
    has_more: kept.length > limit,
    truncated,
    degraded,
  }
}

type Answer = { results: SearchResult[]; truncated: boolean; degraded: boolean }

const searches: Record<
  Search['search_type'],
  (ctx: Context, input: Search, count: number) => Promise<Answer>
> = {
  async semantic(ctx, input, count) {
    const { hits, truncated } = await semanticHits(ctx, input, count)
    return { results: hits.map(asSemantic), truncated, degraded: false }
  },
  async keyword(ctx, input, count) {
    const { hits, truncated } = await keywordHits(ctx, input, count)
    return { results: hits.map(asKeyword), truncated, degraded: false }
  },
  async hybrid(ctx, input, count) {
    const pool = Math.max(50, 2 * count)
    const [semantic, keyword] = await Promise.all([
      semanticHits(ctx, input, pool).catch(withoutProvider),
      keywordHits(ctx, input, pool),
    ])
    return {
      results: fuse(semantic.hits, keyword.hits).slice(0, count),
      truncated: semantic.truncated || keyword.truncated,
      degraded: semantic === nothing,
    }
  },
}

const nothing: Found = { hits: [], truncated: false }

function withoutProvider(error: unknown): Found {
  if (error instanceof ServiceError && error.code === 'embedding_unavailable') return nothing
  throw error
}

/** How many candidates of the vector index one search may look at. */
const MAXIMUM_CANDIDATES = 8_000

/**
 * A tag filter is not in the vector index. Where it keeps few memories they are all measured; where it keeps many,
 * the index is asked for more and more candidates until enough of them pass, and until no further one can be as near.
 */
async function semanticHits(ctx: Context, input: Search, count: number): Promise<Found> {
  const filter = filterOf(input)
  const vector = await embedQuery(ctx, input.query)
  const hasTags = filter.tags !== undefined && filter.tags.length > 0
  const ids = hasTags ? await smallSet(ctx, { ...filter, states: ['active'] }) : undefined
  if (ids) return { hits: ranked(await nearestOf(ctx, vector, ids, filter, count)), truncated: false }
  const first = hasTags ? 4 * count : count + 16
  for (let candidates = first; ; candidates = Math.min(4 * candidates, MAXIMUM_CANDIDATES)) {
    const { hits, complete } = await nearestMemories(ctx, vector, filter, { candidates, count })
    if (complete || candidates === MAXIMUM_CANDIDATES)
      return { hits: ranked(hits), truncated: !complete && hits.length < count }
  }
}

/** So many matches at the most are scored by the tenant's own statistics. */
const LOCAL_MATCHES = 100
const MAXIMUM_MATCHES = 50 * SMALL_SET

async function keywordHits(ctx: Context, input: Search, count: number): Promise<Found> {
  const filter = filterOf(input)
  const terms = queryTerms(input.query)
  if (terms.length === 0) return nothing
  for (
    let candidates = Math.max(LOCAL_MATCHES, count);
    ;
    candidates = Math.min(10 * candidates, MAXIMUM_MATCHES)
  ) {
    const { hits, exhausted } = await memoriesWithTerms(ctx, terms, filter, { candidates, count })
    if (exhausted && hits.length <= LOCAL_MATCHES)
      return { hits: ranked(rescored(hits, terms)).slice(0, count), truncated: false }
    const enough = hits.length >= count || exhausted
    if (enough || candidates === MAXIMUM_MATCHES)
      return { hits: ranked(hits).slice(0, count), truncated: !enough }
  }
}

type Hit = { memory: Memory; score: number }

/** Of each match so much is scored: all of a usual memory, and never so much that others have to wait. */
const SCORED_CHARACTERS = 4_000

function rescored(hits: readonly Hit[], terms: readonly string[]): Hit[] {
  const scores = relevances(
    hits.map(({ memory }) => memory.content.slice(0, SCORED_CHARACTERS)),
    terms,
  )
  return hits
    .map(({ memory }, index) => ({ memory, score: scores[index] ?? 0 }))
    .sort((a, b) => b.score - a.score || (a.memory.id < b.memory.id ? -1 : 1))
}

/** With its rank, and its score against the best of the answer. */
function ranked(hits: readonly Hit[]): Ranked[] {
  const best = hits[0]?.score ?? 0
  return hits.map(({ memory, score }, index) => ({
    memory,
    rank: index + 1,
    raw: score,
    relative: best > 0 ? score / best : 1,
  }))
}

function asSemantic({ memory, rank, raw }: Ranked): SearchResult {
  const score = cosineScore(raw)
  return {
    memory,
    score,
    sources: { semantic: { rank, score }, keyword: null },
    explain: { semantic: { cosine: raw, part: score }, keyword: null, formula: 'score = max(0, cosine)' },
  }
}

function asKeyword({ memory, rank, raw, relative }: Ranked): SearchResult {
  return {
    memory,
    score: relative,
    sources: { semantic: null, keyword: { rank, score: relative } },
    explain: {
      semantic: null,
      keyword: { relevance: raw, part: relative },
      formula: 'score = relevance / best relevance of the answer',
    },
  }
}

const cosineScore = (cosine: number) => Math.min(1, Math.max(0, cosine))

const filterOf = (input: Search): SearchFilter => ({
  tags: input.tags,
  tagsMatch: input.tags_match,
  policy: input.policy,
  importance: { from: input.min_importance, to: input.max_importance },
  createdAt: timeRange(input.created_after, input.created_before),
})
