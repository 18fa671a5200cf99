import type { Context } from '../../context.ts'
import type { Output, Parsed } from '../../contract/index.ts'
import type { Memory } from '../../contract/memories.ts'
import type { QueryReading, SearchResult } from '../../contract/search.ts'
import { SMALL_SET, smallSet } from '../../store/memories/list.ts'
import { getMemories } from '../../store/memories/memories.ts'
import { hasTags } from '../../store/neo4j/tokens.ts'
import {
  candidatesOfBoth,
  type Hit,
  memoriesWithTerms,
  nearestMemories,
  nearestOf,
  type SearchFilter,
} from '../../store/search/search.ts'
import { embedQuery, isWithoutVector } from '../embeddings/vectors.ts'
import { timeRange } from '../memories/filters.ts'
import { fuse, type Ranked, type Verdict } from './fusion.ts'
import { relevances } from './relevance.ts'
import { focusOf, tenantProfile, usualCosine } from './tenant-profile.ts'
import { readQuery } from './words.ts'

type Search = Parsed<'searchMemories'>

/** The best of one kind of search, best first. `truncated`: the bound on work was reached before there were enough. */
type Found = { hits: Hit[]; truncated: boolean }

export async function searchMemories(ctx: Context, input: Search): Promise<Output<'searchMemories'>> {
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

type Answer = { results: SearchResult[]; reading: QueryReading; truncated: boolean; degraded: boolean }

const searches: Record<
  Search['search_type'],
  (ctx: Context, input: Search, count: number) => Promise<Answer>
> = {
  async semantic(ctx, input, count) {
    const meaning = { texts: [input.query], left_out: [], usual_cosine: null }
    const vector = await embedQuery(ctx, meaning.texts)
    const { hits, truncated } = await nearestHits(ctx, vector, filterOf(input), count)
    const reading = { semantic: meaning, keyword: null }
    return { results: withVerdicts(hits, asSemantic), reading, truncated, degraded: false }
  },
  async keyword(ctx, input, count) {
    const { cut, ...words } = readQuery(input.query)
    const { hits, truncated } = await keywordHits(ctx, words.terms, filterOf(input), count)
    const reading = { semantic: null, keyword: words }
    return { results: withVerdicts(hits, asKeyword), reading, truncated: truncated || cut, degraded: false }
  },
  async hybrid(ctx, input, count) {
    const { cut, ...words } = readQuery(input.query)
    const { semantic, keyword, memories, ...found } = await bothKinds(ctx, input, words, count)
    const usual = found.reading.semantic?.usual_cosine ?? null
    const best = fuse({ semantic, keyword, usualCosine: usual }).slice(0, count)
    const known = await withOthers(ctx, memories, best)
    const results = best.flatMap(({ id, ...verdict }) => {
      const memory = known.get(id)
      return memory?.state === 'active' ? [{ memory, ...verdict }] : []
    })
    return { results, ...found, truncated: found.truncated || cut }
  },
}

/** The memories that are to be answered, those that are not at hand read. */
async function withOthers(
  ctx: Context,
  atHand: readonly Memory[],
  wanted: readonly { id: string }[],
): Promise<Map<string, Memory>> {
  const known = new Map(atHand.map(memory => [memory.id, memory]))
  const others = wanted.filter(({ id }) => !known.has(id)).map(({ id }) => id)
  return others.length === 0 ? known : new Map([...known, ...(await getMemories(ctx, others))])
}

type Both = Omit<Answer, 'results'> & {
  semantic: Ranked[] | null
  keyword: Ranked[] | null
  memories: Memory[]
}

/** The candidates of both kinds, in one statement where no filter asks for more. */
async function bothKinds(
  ctx: Context,
  input: Search,
  words: NonNullable<QueryReading['keyword']>,
  shown: number,
): Promise<Both> {
  const filter = filterOf(input)
  const { terms } = words
  const usual = await tenantProfile(ctx)
  const focus = focusOf(input.query, usual)
  const vector = await embedQuery(ctx, focus.texts).catch(withoutVector)
  const meaning = vector ? { ...focus, usual_cosine: usualCosine(vector, usual) } : null
  const reading = { semantic: meaning, keyword: words }
  const pool = Math.max(LEAST_POOL, 2 * input.limit)
  if (!vector || terms.length === 0 || hasTags(filter))
    return { ...(await eachKind(ctx, filter, pool, { vector, terms })), reading }
  const candidates = Math.max(LOCAL_MATCHES, pool)
  const reach = { count: pool, candidates, looked: pool, shown, few: LOCAL_MATCHES }
  const both = await candidatesOfBoth(ctx, { query: vector, terms }, filter, reach)
  const { near, worded, exhausted, memories } = both
  const whole = { semantic: ranked(near), reading, memories, degraded: false }
  if (exhausted || worded.length >= pool) {
    const few = exhausted && worded.length <= LOCAL_MATCHES
    const scored = few ? rescored(worded, candidate => candidate, terms) : worded
    return { ...whole, keyword: ranked(scored.slice(0, pool)), truncated: false }
  }
  const { hits, truncated } = await keywordHits(ctx, terms, filter, pool)
  return { ...whole, keyword: rankedHits(hits), truncated }
}

async function eachKind(
  ctx: Context,
  filter: SearchFilter,
  pool: number,
  { vector, terms }: { vector: Float32Array | undefined; terms: readonly string[] },
): Promise<Omit<Both, 'reading'>> {
  const [semantic, keyword] = await Promise.all([
    vector ? nearestHits(ctx, vector, filter, pool) : nothing,
    keywordHits(ctx, terms, filter, pool),
  ])
  return {
    semantic: vector ? rankedHits(semantic.hits) : null,
    keyword: terms.length > 0 ? rankedHits(keyword.hits) : null,
    memories: [...semantic.hits, ...keyword.hits].map(({ memory }) => memory),
    truncated: semantic.truncated || keyword.truncated,
    degraded: vector === undefined,
  }
}

const nothing: Found = { hits: [], truncated: false }

function withoutVector(error: unknown): undefined {
  if (!isWithoutVector(error)) throw error
}

/** So many of each kind are fused at the least, however few are asked for. */
const LEAST_POOL = 20
/** How many candidates of the vector index one search may look at. */
const MAXIMUM_CANDIDATES = 8_000

/**
 * The index is asked for more and more candidates, until enough of them pass and no further one can be as near: mostly
 * one look is enough. A tag filter is not in the index: where it keeps few memories they are all measured.
 */
async function nearestHits(
  ctx: Context,
  vector: Float32Array,
  filter: SearchFilter,
  count: number,
): Promise<Found> {
  const ids = hasTags(filter) ? await smallSet(ctx, { ...filter, states: ['active'] }) : undefined
  if (ids) return { hits: await nearestOf(ctx, vector, ids, filter, count), truncated: false }
  const least = Math.max(ctx.breadth, (hasTags(filter) ? 4 : 2) * count)
  for (let candidates = least; ; candidates = Math.min(4 * candidates, MAXIMUM_CANDIDATES)) {
    const { hits, complete } = await nearestMemories(ctx, vector, filter, { candidates, count })
    if (complete || candidates === MAXIMUM_CANDIDATES)
      return { hits, truncated: !complete && hits.length < count }
  }
}

/** So many matches at the most are scored by the tenant's own statistics. */
const LOCAL_MATCHES = 100
const MAXIMUM_MATCHES = 50 * SMALL_SET

/**
 * The filters that are not in the full-text index let most memories pass: as many are read as are wanted, and all that
 * were found when that was not enough.
 */
async function keywordHits(
  ctx: Context,
  terms: readonly string[],
  filter: SearchFilter,
  count: number,
): Promise<Found> {
  if (terms.length === 0) return nothing
  // One more than are scored here tells that they are too many for it.
  const most = Math.max(LOCAL_MATCHES + 1, count)
  let reach = { candidates: Math.max(LOCAL_MATCHES, count), looked: count }
  for (;;) {
    const { hits, exhausted } = await memoriesWithTerms(ctx, terms, filter, { ...reach, most })
    if (exhausted && hits.length <= LOCAL_MATCHES)
      return {
        hits: rescored(hits, ({ memory }) => memory, terms).slice(0, count),
        truncated: false,
      }
    const enough = hits.length >= count || exhausted
    if (enough || reach.candidates === MAXIMUM_MATCHES)
      return { hits: hits.slice(0, count), truncated: !enough }
    const candidates = Math.min(10 * reach.candidates, MAXIMUM_MATCHES)
    reach = { candidates, looked: candidates }
  }
}

/** So much is scored of each match at the least, and of all that are longer so much together: others wait meanwhile. */
const SCORED_CHARACTERS = { each: 4_000, together: 400_000 }

function rescored<Match extends { score: number }>(
  matches: readonly Match[],
  read: (match: Match) => { id: string; content: string | null },
  terms: readonly string[],
): Match[] {
  const contents = matches.map(match => read(match).content ?? '')
  const share = fairShare(contents.map(({ length }) => length))
  const texts = contents.map(content => content.slice(0, share))
  const scores = relevances(texts, terms)
  return matches
    .map((match, index) => ({ ...match, score: scores[index] ?? 0 }))
    .sort((a, b) => b.score - a.score || (read(a).id < read(b).id ? -1 : 1))
}

/** How much of each text is scored: what short ones leave over is for the longer ones. */
function fairShare(lengths: readonly number[]): number {
  let left = SCORED_CHARACTERS.together
  for (const [at, length] of lengths.toSorted((a, b) => a - b).entries()) {
    const share = Math.floor(left / (lengths.length - at))
    if (length > share) return Math.max(SCORED_CHARACTERS.each, share)
    left -= length
  }
  return SCORED_CHARACTERS.together
}

/** With its rank, and its score against the best of the answer. */
function ranked(hits: readonly { id: string; score: number }[]): Ranked[] {
  const best = hits[0]?.score ?? 0
  return hits.map(({ id, score }, index) => ({
    id,
    rank: index + 1,
    raw: score,
    relative: best > 0 ? score / best : 1,
  }))
}

const rankedHits = (hits: readonly Hit[]) =>
  ranked(hits.map(({ memory, score }) => ({ id: memory.id, score })))

function withVerdicts(hits: readonly Hit[], verdict: (hit: Ranked) => Verdict): SearchResult[] {
  const ranks = rankedHits(hits)
  return hits.map(({ memory }, index) => ({ memory, ...verdict(ranks[index] as Ranked) }))
}

function asSemantic({ rank, raw }: Ranked): Verdict {
  const score = Math.max(0, raw)
  return {
    score,
    sources: { semantic: { rank, score }, keyword: null },
    explain: {
      semantic: { cosine: raw, lead: null, part: score },
      keyword: null,
      formula: 'score = max(0, cosine)',
    },
  }
}

function asKeyword({ rank, raw, relative }: Ranked): Verdict {
  return {
    score: relative,
    sources: { semantic: null, keyword: { rank, score: relative } },
    explain: {
      semantic: null,
      keyword: { relevance: raw, lead: null, part: relative },
      formula: 'score = relevance / best relevance of the answer',
    },
  }
}

const filterOf = (input: Search): SearchFilter => ({
  tags: input.tags,
  tagsMatch: input.tags_match,
  policy: input.policy,
  importance: { from: input.min_importance, to: input.max_importance },
  createdAt: timeRange(input.created_after, input.created_before),
})
