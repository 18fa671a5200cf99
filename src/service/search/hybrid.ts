import type { Context, QueryVector } from '../../context.ts'
import type { QueryReading } from '../../contract/explanation.ts'
import { cutWords } from '../../platform/text/words.ts'
import { timeSlices } from '../../platform/time-slices.ts'
import { isSelective, type MemoryFilter } from '../../store/memories/filter.ts'
import { READ_CHARACTERS } from '../../store/neo4j/words.ts'
import { markOf } from '../../store/search/hits.ts'
import { candidatesOfBoth } from '../../store/search/hybrid.ts'
import type { WordedHit } from '../../store/search/keyword.ts'
import { sessionNeighbours } from '../../store/search/session.ts'
import { nearestInSpan } from '../../store/search/window.ts'
import { embedQuery, isWithoutVector } from '../embeddings/vectors.ts'
import { toFilter } from '../memories/filters.ts'
import type { Coverage } from './coverage.ts'
import { fuse, type SessionNeighbour, type Worded } from './fusion.ts'
import { type Asked, type Ranked, ranked, rankHits, type Search, type SearchOutcome } from './hits.ts'
import { findByTerms, LOCAL_MATCHES, rescored } from './keyword.ts'
import { type ReadMemory, withMissing } from './missing.ts'
import { findNearest } from './semantic.ts'
import { focusOf } from './tenant-profile.ts'
import { toKeywordReading, toWordQuery } from './words.ts'

/** The minimum number of candidates of each kind that are fused. */
const LEAST_POOL = 20
/** The number of hits whose neighbours in the session count. */
const STRONG = 10
/** How far a neighbour that counts is away at most. */
const REACH = 2
/** So many of each kind are read at least, that the strong ones are among them: what both kinds rank lower is not. */
const SHOWN = 2 * STRONG

/** Fuses the candidates by meaning and by words. Without an embedding provider it uses the words alone. */
export async function hybridSearch(
  ctx: Context,
  input: Search,
  count: number,
  asked: Asked,
): Promise<SearchOutcome> {
  const { vector, reading: semantic } = await readMeaning(input.query, asked)
  const pool = Math.max(LEAST_POOL, 2 * (count - 1))
  const filter = toFilter(input)
  const reach = { pool, shown: Math.max(SHOWN, count) }
  const returned = new Set(asked.returned)
  const query = { ...asked, vector }
  const [candidates, time] = await Promise.all([
    findCandidates(ctx, query, filter, reach),
    ofTheTime(ctx, query, filter, pool),
  ])
  const found = { ...candidates, time }
  const { fused, neighbours } = await withSessions(ctx, found, query, filter)
  const best = fused.slice(0, count).filter(({ id }) => !returned.has(markOf({ id })))
  const known = [...found.memories, ...neighbours]
  const memories = await withMissing(ctx, known, best, { filter, plain: vector?.plain })
  const results = best.flatMap(({ id, ...scoring }) => {
    const result = memories.get(id)
    return result ? [{ ...result, ...scoring }] : []
  })
  return {
    results,
    reading: { semantic, keyword: toKeywordReading(asked.reading) },
    truncated: found.truncated || asked.reading.cut,
    degraded: vector === undefined,
    plain: vector?.plain ?? null,
    worded: (found.keyword?.length ?? 0) > 0,
  }
}

/**
 * Fuses the candidates, and again with the neighbours of the strong hits in their sessions. If none of those can have a
 * session, no statement is sent.
 */
async function withSessions(
  ctx: Context,
  found: Candidates & { time: Ranked[] },
  { vector }: Query,
  filter: MemoryFilter,
) {
  const fused = fuse(found)
  const withoutSession = new Set(
    found.memories.filter(({ memory }) => memory.session_id === null).map(({ memory }) => memory.id),
  )
  const strong = new Map(fused.slice(0, STRONG).map(({ id, score }, at) => [id, { rank: at + 1, score }]))
  const inSession = [...strong.keys()].filter(id => !withoutSession.has(id))
  if (inSession.length === 0) return { fused, neighbours: [] }
  const rows = await sessionNeighbours(ctx, inSession, filter, { reach: REACH, plain: vector?.plain })
  const session = rows.flatMap(({ memory: { id }, nextTo, offset }): SessionNeighbour[] => {
    const hit = strong.get(nextTo)
    return hit ? [{ id, nextTo, distance: Math.abs(offset), ...hit }] : []
  })
  return {
    fused: fuse({ ...found, session }),
    neighbours: rows,
  }
}

/** The candidates of the time that the query names. */
async function ofTheTime(ctx: Context, { vector, time }: Query, filter: MemoryFilter, count: number) {
  if (!vector || !time.named) return []
  return ranked(await nearestInSpan(ctx, vector.mean, time.named, filter, count))
}

type Meaning = { vector: QueryVector | undefined; reading: QueryReading['semantic'] }

/** The vectors of a query; none if the embedding provider is not available. */
async function readMeaning(query: string, { profile, asker }: Asked): Promise<Meaning> {
  const focus = focusOf(query, profile)
  const vector = await embedQuery(asker, focus.texts).catch(withoutVector)
  return { vector, reading: vector ? focus : null }
}

function withoutVector(error: unknown): undefined {
  if (!isWithoutVector(error)) throw error
}

type Query = Asked & { vector: QueryVector | undefined }

/** The candidates of each kind, null for a kind that was not searched, and the memories that were read with them. */
type Candidates = {
  semantic: Ranked[] | null
  keyword: Worded[] | null
  memories: ReadMemory[]
  truncated: boolean
}

/** Finds the candidates of both kinds in one statement, unless a filter or a query needs several. */
async function findCandidates(
  ctx: Context,
  query: Query,
  filter: MemoryFilter,
  { pool, shown }: { pool: number; shown: number },
): Promise<Candidates> {
  const { vector, coverage } = query
  const words = toWordQuery(query.reading)
  if (!vector || words.terms.length === 0 || isSelective(filter))
    return findSeparately(ctx, query, filter, pool)
  const looked = Math.max(LOCAL_MATCHES, pool)
  const { returned } = query
  const reach = { count: pool, candidates: looked, looked, shown, scored: LOCAL_MATCHES, returned }
  const both = await candidatesOfBoth(ctx, { vector, words }, filter, reach)
  const { near, lacksNear, worded, exhausted, memories } = both
  if (lacksNear) return findSeparately(ctx, query, filter, pool)
  const semantic = ranked(near)
  if (exhausted || worded.length >= pool) {
    const all = exhausted && worded.length <= LOCAL_MATCHES
    const best = (await rescored(worded, query, { all })).slice(0, pool)
    return { semantic, keyword: await withShares(best, coverage), memories, truncated: false }
  }
  const found = await findByTerms(ctx, { ...query, returned: [] }, filter, pool)
  return {
    semantic,
    keyword: await withShares(found.hits, coverage),
    memories: [...memories, ...found.memories],
    truncated: found.truncated,
  }
}

async function findSeparately(
  ctx: Context,
  query: Query,
  filter: MemoryFilter,
  pool: number,
): Promise<Candidates> {
  const { vector, reading, coverage } = query
  const [semantic, keyword] = await Promise.all([
    vector ? findNearest(ctx, vector, filter, { count: pool }) : undefined,
    findByTerms(ctx, { ...query, returned: [] }, filter, pool),
  ])
  return {
    semantic: semantic ? rankHits(semantic.hits) : null,
    keyword: reading.words.length > 0 ? await withShares(keyword.hits, coverage) : null,
    memories: [...(semantic?.hits ?? []), ...keyword.memories],
    truncated: (semantic?.truncated ?? false) || keyword.truncated,
  }
}

/**
 * The hits by words with the share of the query that each covers. Those below the ones that are read count as the last of
 * these: so far down it makes no difference.
 */
async function withShares(hits: readonly WordedHit[], coverage: Coverage): Promise<Worded[]> {
  const nextSlice = timeSlices()
  const worded: Worded[] = []
  for (const [at, hit] of ranked(hits).entries()) {
    await nextSlice()
    const words = hits[at]?.words
    const share = words
      ? coverage.of({ id: hit.id, words: cutWords(words, READ_CHARACTERS) })
      : worded.at(-1)?.share
    worded.push({ ...hit, share: share ?? 0 })
  }
  return worded
}
