import type { Context, TenantProfile } from '../../context.ts'
import type { Output, Parsed } from '../../contract/index.ts'
import { invalid } from '../../contract/problems.ts'
import type { SearchResult } from '../../contract/search.ts'
import { LONGEST_QUERY, LONGEST_QUESTION } from '../../contract/values.ts'
import { traitsOf } from '../../platform/embeddings/models.ts'
import { timeSlices } from '../../platform/time-slices.ts'
import { inEachPart, inPrivate, partOf, partsOf } from '../access/private.ts'
import { seal, unseal } from '../cursors.ts'
import type { Handler } from '../handler.ts'
import { toFilter } from '../memories/filters.ts'
import { recordRecalls } from '../memories/recalls.ts'
import { type AskedTime, timeOfQuery, toTimeReading } from './asked-time.ts'
import { bearing } from './bearing.ts'
import { mergeResults } from './both.ts'
import { Coverage } from './coverage.ts'
import { withRelevance } from './evidence.ts'
import { highlightOf } from './highlights.ts'
import type { Asked, Found, Search, SearchOutcome } from './hits.ts'
import { hybridSearch } from './hybrid.ts'
import { keywordSearch } from './keyword.ts'
import { keywordSearchAsOf } from './keyword-as-of.ts'
import { newerOf } from './newer.ts'
import { bestOfParts, partsToSearch } from './parts.ts'
import { hasPreferences, poolFor, preferred, presentOf } from './preferences.ts'
import { reranked } from './rerank.ts'
import { rounded } from './rounding.ts'
import { semanticSearch } from './semantic.ts'
import { turnsAround } from './turns.ts'
import { type Reading, readQuery } from './words.ts'

const searches = { semantic: semanticSearch, keyword: keywordSearch, hybrid: hybridSearch }

/** Searches, and records a recall of each result where the caller asks for that. */
export const searchMemories: Handler<'searchMemories'> = async (ctx, { record_recall, ...input }) => {
  const answer = await findMemories(ctx, input)
  const { search_type: type, degraded } = answer
  ctx.app.metrics.searches.inc({ type, degraded: String(degraded) })
  if (record_recall && input.as_of === undefined)
    await recordRecalls(
      ctx,
      answer.results.map(({ memory }) => memory),
    )
  return answer
}

/** The same, with a cursor behind each result. */
export async function searchWithCursors(ctx: Context, input: Parsed<'searchMemories'>) {
  const { record_recall: _, ...search } = input
  const answer = await searchMemories(ctx, input)
  return { ...answer, cursors: cursorsOf(ctx, search, answer.results) }
}

/** So many results a walk with `next_cursor` returns at most. */
const FURTHEST = 1_000

/** So many results by meaning are looked at, at least: the order does not depend on what is left out, and what bears on the query can be below what does not. */
const LOOKED = 20

/** How much recency counts for a query that asks for what is current. */
const CURRENT = 0.15

/** Searches for one result more than is returned: it says whether there are more. */
export async function findMemories(ctx: Context, request: Search): Promise<Output<'searchMemories'>> {
  checkPast(request)
  const time = timeOfQuery(request.query, presentOf(request))
  const input = { ...request, recency_weight: request.recency_weight ?? (time.current ? CURRENT : 0) }
  const { limit, search_type, min_score = 0, min_relevance, explain } = input
  if (input.rerank && !ctx.app.reranker) throw invalid('/rerank', 'not_available', NO_RERANKER)
  if (!input.by_parts && input.query.length > LONGEST_QUERY) throw invalid('/query', 'too_big', TOO_LONG)
  const before = returnedBefore(ctx, request)
  const end = Math.min(before.count + limit, FURTHEST)
  const chosen = hasPreferences(input)
  const isByWords = search_type === 'keyword' && min_relevance === 0
  const looked = isByWords ? end : Math.max(end, before.count + LOOKED)
  const count = (chosen ? poolFor(end) : looked) + 1
  // Where nothing is left out and the order stays, no others are read.
  const most = (min_relevance === 0 && !chosen ? end + 1 : count) - before.count
  const outcome = await findCandidates(ctx, input, { count, most, before, time })
  const { parts, results } = outcome
  const nextSlice = timeSlices()
  const preferences = { count: limit + 1, nextSlice }
  const ordered = (chosen ? await preferred(ctx, results, input, preferences) : results).map(rounded)
  const relevant = relevantOf(ctx, ordered, input, { degraded: outcome.degraded, best: before.best })
  const kept = relevant.filter(({ score }) => score >= min_score)
  const asked = parts.length > 0 ? parts.join('\n') : input.query
  const { results: best, degraded } = input.rerank
    ? await reranked(ctx, kept, asked)
    : { results: kept, degraded: false }
  const page = best.slice(0, end - before.count)
  const hasMore = best.length > page.length
  return {
    results: await shown(ctx, page, { ...input, query: asked }, nextSlice),
    search_type,
    query: explain && outcome.reading ? { ...outcome.reading, ...toTimeReading(time) } : null,
    has_more: hasMore,
    next_cursor: hasMore && end < FURTHEST ? cursorAfter(ctx, request, before, page) : null,
    truncated: outcome.truncated,
    weak_left_out: ordered.length - relevant.length,
    degraded: outcome.degraded || degraded,
    parts,
  }
}

type Candidates = Pick<SearchOutcome, 'truncated' | 'degraded'> & {
  results: Found[]
  reading: SearchOutcome['reading'] | null
  parts: string[]
}

type Reach = { count: number; most: number; before: Returned; time: AskedTime }

/** The results of the query with their relevance, or those of all its parts, without those of earlier pages. */
async function findCandidates(
  ctx: Context,
  input: Search,
  { count, most, before, time }: Reach,
): Promise<Candidates> {
  const profile = await profileOf(ctx)
  const parts = partsToSearch(input, profile)
  // Of several lists all are read: they are one by what is known of each.
  const isOne = parts.length === 0 && partsOf(ctx).length === 1
  const reach = { count, most: isOne ? most : count, before, time, profile }
  const look = (query: string) => findWhole(ctx, { ...input, query }, reach)
  if (parts.length === 0) return { ...(await look(input.query)), parts }
  const found = await Promise.all(parts.map(look))
  return {
    results: bestOfParts(found.flatMap(({ results }) => results)).slice(0, count),
    reading: null,
    truncated: found.some(({ truncated }) => truncated),
    degraded: found.some(({ degraded }) => degraded),
    parts,
  }
}

/** Of the shared and the private memories the profile that says more. */
async function profileOf(ctx: Context): Promise<TenantProfile> {
  const profiles = await Promise.all(partsOf(ctx).map(part => ctx.app.tenantProfiles.get(part)))
  return profiles.reduce((most, each) => (each.sampled > most.sampled ? each : most))
}

type Whole = Omit<Candidates, 'parts'>

type FoundInPart = Whole & Pick<SearchOutcome, 'worded'>

/**
 * The results in the tenant, or those in the shared and in the private memories as one list. A query whose phrases no memory
 * has is searched by its words.
 */
async function findWhole(
  ctx: Context,
  input: Search,
  { count, most, before, time, profile }: Reach & { profile: TenantProfile },
): Promise<Whole> {
  const reading = readQuery(input.query)
  const parts = partsOf(ctx)
  const isPart = parts.length > 1
  const all = { profile, time, asker: inPrivate(ctx), isPart, most }
  const find = (reading: Reading) =>
    Promise.all(
      parts.map((part, at) => {
        const coverage = new Coverage(reading.words, profile)
        const returned = before.ids[at] ?? new Set()
        return findInPart(part, input, count, { ...all, reading, coverage, returned })
      }),
    )
  const asWritten = await find(reading)
  const hasPhrases = reading.phrases.length === 0 || asWritten.some(({ worded }) => worded)
  const found = hasPhrases ? asWritten : await find({ ...reading, phrases: [] })
  const [first] = found as [FoundInPart, ...FoundInPart[]]
  if (!isPart) return first
  return {
    ...first,
    results: mergeResults(input.search_type, found, reading.words.length > 0),
    truncated: found.some(({ truncated }) => truncated),
    degraded: found.some(({ degraded }) => degraded),
  }
}

async function findInPart(ctx: Context, input: Search, count: number, asked: Asked): Promise<FoundInPart> {
  const search = input.as_of === undefined ? searches[input.search_type] : keywordSearchAsOf
  const outcome = await search(ctx, input, count, asked)
  const left = outcome.results.filter(({ memory }) => !asked.returned.has(memory.id))
  return { ...outcome, results: await withRelevance(ctx, left, asked, outcome.plain, timeSlices()) }
}

/** Only texts are kept of the past. */
function checkPast({ as_of, search_type, around, diversity }: Search) {
  if (as_of === undefined) return
  if (search_type !== 'keyword')
    throw invalid('/search_type', 'custom', 'must be `keyword` together with `as_of`')
  if (around !== undefined) throw invalid('/around', 'unknown_field', NOT_OF_THE_PAST)
  if (diversity > 0) throw invalid('/diversity', 'unknown_field', NOT_OF_THE_PAST)
}

const NOT_OF_THE_PAST = 'is not known of the past. Omit it or `as_of`'

const TOO_LONG = `must have at most ${LONGEST_QUERY} characters, or up to ${LONGEST_QUESTION} with \`by_parts\``

/** By words alone, or with a model whose cosines nobody has judged, `auto` leaves out nothing. */
function relevantOf(
  { embedder, space }: Context,
  results: readonly Found[],
  { min_relevance, search_type }: Search,
  { degraded, best }: { degraded: boolean; best: number },
): readonly Found[] {
  if (min_relevance !== 'auto') return results.filter(({ relevance }) => relevance >= min_relevance)
  const isJudged = embedder.semantic && traitsOf(space.model).unrelated !== undefined
  return isJudged && search_type !== 'keyword' && !degraded ? bearing(results, best) : results
}

const NO_RERANKER = 'needs a reranking model, and the operator has set none (`SERVICE_RERANK_URL`)'

/** What earlier pages returned: the ids of the memories of each part, how many, and the highest of their relevances. */
type Returned = {
  readonly ids: readonly ReadonlySet<string>[]
  readonly count: number
  readonly best: number
}

/** A page is what is best of the others, so that none is returned twice when a longer list or a write changes the order. */
function returnedBefore(ctx: Context, input: Search): Returned {
  const sealed = input.cursor === undefined ? '0' : (unseal(ctx, walkOf(input), input.cursor) as string)
  const [best, ...texts] = sealed.split(' ')
  const ids = partsOf(ctx).map((_, at) => new Set(idsIn(texts[at] ?? '')))
  return { ids, count: ids.reduce((sum, { size }) => sum + size, 0), best: Number(best) }
}

/** A cursor holds whole ids, as bytes: ids of imported memories may be alike in any part of them. */
const packed = (ids: readonly string[]) =>
  Buffer.from(ids.join('').replaceAll('-', ''), 'hex').toString('base64url')

const ID = /(.{8})(.{4})(.{4})(.{4})(.{12})/g

const idsIn = (text: string): string[] =>
  Array.from(Buffer.from(text, 'base64url').toString('hex').matchAll(ID), ([, ...parts]) => parts.join('-'))

function cursorsOf(ctx: Context, input: Search, page: readonly Shown[]): string[] {
  const before = returnedBefore(ctx, input)
  return page.map((_, at) => cursorAfter(ctx, input, before, page.slice(0, at + 1)))
}

function cursorAfter(ctx: Context, input: Search, { ids, best }: Returned, page: readonly Shown[]): string {
  const highest = page.reduce((most, { relevance }) => Math.max(most, relevance), best)
  const all = ids.map((before, at) => {
    const own = page.filter(({ memory }) => partOf(ctx, memory) === at)
    return packed([...before, ...own.map(({ memory }) => memory.id)])
  })
  return seal(ctx, walkOf(input), [highest, ...all].join(' '))
}

type Shown = Pick<Found, 'memory' | 'relevance'>

/** What stays the same from page to page. */
const walkOf = ({ cursor, limit, explain, highlight, around, ...walk }: Search) => walk

/** The results with what the caller wants to see of them. Other requests run at each `nextSlice`. */
async function shown(
  ctx: Context,
  results: readonly Found[],
  { highlight, explain, around, ...input }: Search,
  nextSlice: () => Promise<void>,
): Promise<SearchResult[]> {
  const memories = around === undefined ? [] : results.map(({ memory }) => memory)
  const near = await inEachPart(ctx, memories, (part, own) =>
    turnsAround(part, own, toFilter(input), around ?? 0),
  )
  const turns = new Map(near.flatMap(each => [...each]))
  const newer = await newerOf(results, nextSlice)
  const words = highlight ? readQuery(input.query).words : []
  const all: SearchResult[] = []
  for (const { words: _, ...result } of results) {
    await nextSlice()
    all.push({
      ...result,
      highlight: highlight ? highlightOf(result.memory.content, words) : null,
      newer: newer.get(result.memory.id) ?? [],
      around: turns.get(result.memory.id) ?? [],
      explain: explain ? result.explain : null,
    })
  }
  return all
}
