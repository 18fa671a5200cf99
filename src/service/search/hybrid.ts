import type { Context, TenantProfile } from '../../context.ts'
import type { QueryReading } from '../../contract/search.ts'
import { conflictsOf } from '../../store/connections/conflicts.ts'
import { isSelective, type MemoryFilter, statesAt } from '../../store/memories/filter.ts'
import { getMemories } from '../../store/memories/get.ts'
import type { FoundMemory } from '../../store/search/hits.ts'
import { candidatesOfBoth } from '../../store/search/hybrid.ts'
import type { WordQuery } from '../../store/search/keyword.ts'
import { sessionNeighbours } from '../../store/search/session.ts'
import { embedQuery, isWithoutVector } from '../embeddings/vectors.ts'
import { toFilter } from '../memories/filters.ts'
import { unrelatedTo } from './evidence.ts'
import { fuse, type Neighbour } from './fusion.ts'
import { type Ranked, ranked, rankHits, type Search, type SearchOutcome } from './hits.ts'
import { findByTerms, LOCAL_MATCHES, rescored } from './keyword.ts'
import { findNearest } from './semantic.ts'
import { focusOf } from './tenant-profile.ts'
import { readQuery, toWordQuery } from './words.ts'

/** The minimum number of candidates of each kind that are fused. */
const LEAST_POOL = 20
/** The number of hits whose neighbours in the session count. */
const STRONG = 5
/** So many of each kind are read at least, that the strong ones are among them: what both kinds rank lower is not. */
const SHOWN = 2 * STRONG

/** Fuses the candidates by meaning and by words. Without an embedding provider it uses the words alone. */
export async function hybridSearch(
  ctx: Context,
  input: Search,
  count: number,
  profile: TenantProfile,
): Promise<SearchOutcome> {
  const { cut, ...keyword } = readQuery(input.query)
  const { vector, reading: semantic } = await readMeaning(ctx, input.query, profile)
  const pool = Math.max(LEAST_POOL, 2 * (count - 1))
  const query = { vector, words: toWordQuery(keyword) }
  const filter = toFilter(input)
  const found = await findCandidates(ctx, query, filter, { pool, shown: Math.max(SHOWN, count) })
  const { fused, neighbours } = await withSessions(ctx, found, filter)
  const best = fused.slice(0, count)
  const memories = await withMissing(ctx, [...found.memories, ...neighbours], best)
  return {
    results: best.flatMap(({ id, ...scoring }) => {
      const result = memories.get(id)
      return result && statesAt(filter).includes(result.memory.state) ? [{ ...result, ...scoring }] : []
    }),
    reading: { semantic, keyword },
    truncated: found.truncated || cut,
    degraded: vector === undefined,
    unrelated: vector ? unrelatedTo(vector, profile, ctx.space) : null,
  }
}

/**
 * Fuses the candidates, and again with the neighbours of the strong hits in their sessions. If none of those can have a
 * session, no statement is sent.
 */
async function withSessions(ctx: Context, found: Candidates, filter: MemoryFilter) {
  const fused = fuse(found)
  const withoutSession = new Set(
    found.memories.filter(({ memory }) => memory.session_id === null).map(({ memory }) => memory.id),
  )
  const strong = fused.slice(0, STRONG).map(({ id }, at) => ({ id, rank: at + 1 }))
  const inSession = strong.filter(({ id }) => !withoutSession.has(id)).map(({ id }) => id)
  if (inSession.length === 0) return { fused, neighbours: [] }
  const rows = await sessionNeighbours(ctx, inSession, filter)
  // The worst first: of the hits next to the same memory the best one counts.
  const session = new Map<string, Neighbour>()
  for (const { id: nextTo, rank } of strong.toReversed())
    for (const { memory } of rows.filter(row => row.nextTo === nextTo))
      session.set(memory.id, { id: memory.id, nextTo, rank })
  return {
    fused: fuse({ ...found, session: [...session.values()] }),
    neighbours: rows.map(({ memory, conflicts }) => ({ memory, conflicts })),
  }
}

type Meaning = { vector: Float32Array | undefined; reading: QueryReading['semantic'] }

/** The vector of a query without the tenant's common words; none if the embedding provider is not available. */
async function readMeaning(ctx: Context, query: string, profile: TenantProfile): Promise<Meaning> {
  const focus = focusOf(query, profile)
  const vector = await embedQuery(ctx, focus.texts).catch(withoutVector)
  return { vector, reading: vector ? focus : null }
}

function withoutVector(error: unknown): undefined {
  if (!isWithoutVector(error)) throw error
}

type Query = { vector: Float32Array | undefined; words: WordQuery }

/** The candidates of each kind, null for a kind that was not searched, and the memories that were read with them. */
type Candidates = {
  semantic: Ranked[] | null
  keyword: Ranked[] | null
  memories: FoundMemory[]
  truncated: boolean
}

/** Finds the candidates of both kinds in one statement, unless a filter or a query needs several. */
async function findCandidates(
  ctx: Context,
  { vector, words }: Query,
  filter: MemoryFilter,
  { pool, shown }: { pool: number; shown: number },
): Promise<Candidates> {
  if (!vector || words.terms.length === 0 || isSelective(filter))
    return findSeparately(ctx, { vector, words }, filter, pool)
  const reach = {
    count: pool,
    candidates: Math.max(LOCAL_MATCHES, pool),
    looked: pool,
    shown,
    few: LOCAL_MATCHES,
  }
  const both = await candidatesOfBoth(ctx, { vector, words }, filter, reach)
  const { near, lacksNear, worded, exhausted, memories } = both
  if (lacksNear) return findSeparately(ctx, { vector, words }, filter, pool)
  const semantic = ranked(near)
  if (exhausted || worded.length >= pool) {
    const few = exhausted && worded.length <= LOCAL_MATCHES
    const scored = few ? await rescored(worded, candidate => candidate, words.terms) : worded
    return { semantic, keyword: ranked(scored.slice(0, pool)), memories, truncated: false }
  }
  const { hits, truncated } = await findByTerms(ctx, words, filter, pool)
  return { semantic, keyword: rankHits(hits), memories, truncated }
}

async function findSeparately(
  ctx: Context,
  { vector, words }: Query,
  filter: MemoryFilter,
  pool: number,
): Promise<Candidates> {
  const [semantic, keyword] = await Promise.all([
    vector ? findNearest(ctx, vector, filter, pool) : undefined,
    findByTerms(ctx, words, filter, pool),
  ])
  return {
    semantic: semantic ? rankHits(semantic.hits) : null,
    keyword: words.terms.length > 0 ? rankHits(keyword.hits) : null,
    memories: [...(semantic?.hits ?? []), ...keyword.hits],
    truncated: (semantic?.truncated ?? false) || keyword.truncated,
  }
}

/** The memories of the wanted ids; those that were not read with the candidates are read now. */
async function withMissing(
  ctx: Context,
  read: readonly FoundMemory[],
  wanted: readonly { id: string }[],
): Promise<Map<string, FoundMemory>> {
  const known = new Map(read.map(({ memory, conflicts }) => [memory.id, { memory, conflicts }]))
  const missing = wanted.filter(({ id }) => !known.has(id)).map(({ id }) => id)
  if (missing.length === 0) return known
  const [memories, conflicts] = await Promise.all([getMemories(ctx, missing), conflictsOf(ctx, missing)])
  for (const [id, memory] of memories) known.set(id, { memory, conflicts: conflicts.get(id) ?? [] })
  return known
}
