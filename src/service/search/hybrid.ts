import type { Context, QueryVector } from '../../context.ts'
import type { QueryReading } from '../../contract/explanation.ts'
import { cutWords } from '../../platform/text/words.ts'
import { timeSlices } from '../../platform/time-slices.ts'
import type { MemoryFilter } from '../../store/memories/filter.ts'
import { READ_CHARACTERS } from '../../store/neo4j/words.ts'
import type { Candidate } from '../../store/search/hits.ts'
import { sessionNeighbours } from '../../store/search/session.ts'
import { nearestInSpan } from '../../store/search/window.ts'
import { embedQuery, isWithoutVector } from '../embeddings/vectors.ts'
import { toFilter } from '../memories/filters.ts'
import type { Coverage } from './coverage.ts'
import { fuse, type SessionNeighbour, type Worded } from './fusion.ts'
import { type Asked, ranked, type Search, type SearchOutcome, SPARE } from './hits.ts'
import { findByTerms, type WordedHit } from './keyword.ts'
import { readResults } from './results.ts'
import { findNearest } from './semantic.ts'
import { focusOf } from './tenant-profile.ts'
import { toKeywordReading } from './words.ts'

/** The minimum number of candidates of each kind that are fused. */
const LEAST_POOL = 20
/** The number of hits whose neighbours in the session count. */
const STRONG = 10
/** How far a neighbour that counts is away at most. */
const REACH = 2

/**
 * Fuses the candidates by meaning and by words, which are looked for at the same time. Without an embedding provider it uses
 * the words alone.
 */
export async function hybridSearch(
  ctx: Context,
  input: Search,
  count: number,
  asked: Asked,
): Promise<SearchOutcome> {
  const pool = Math.max(LEAST_POOL, 2 * (count - 1))
  const filter = toFilter(input)
  const [near, worded] = await Promise.all([
    findByMeaning(ctx, input.query, asked, filter, pool),
    findByTerms(ctx, asked, filter, pool),
  ])
  const lists = {
    semantic: near.semantic && ranked(near.semantic.hits),
    keyword: asked.reading.words.length > 0 ? await withShares(worded.hits, asked.coverage) : null,
    time: ranked(near.time),
  }
  const met = [...(near.semantic?.hits ?? []), ...worded.hits, ...near.time]
  const { fused, neighbours } = await withSessions(ctx, lists, met, filter)
  return {
    results: await readResults(ctx, fused.slice(0, count + SPARE), {
      ...asked,
      met: [...met, ...neighbours],
      filter,
      vector: near.vector,
    }),
    reading: { semantic: near.reading, keyword: toKeywordReading(asked.reading) },
    truncated: (near.semantic?.truncated ?? false) || worded.truncated || asked.reading.cut,
    degraded: near.vector === undefined,
    plain: near.vector?.plain ?? null,
    worded: worded.hits.length > 0,
  }
}

/** Fuses the candidates, and again with the neighbours of the strong hits that have a session, if there are such hits. */
async function withSessions(
  ctx: Context,
  lists: Parameters<typeof fuse>[0],
  met: readonly Candidate[],
  filter: MemoryFilter,
) {
  const fused = fuse(lists)
  const strong = new Map(fused.slice(0, STRONG).map(({ id, score }, at) => [id, { rank: at + 1, score }]))
  const inSession = [
    ...new Set(met.flatMap(({ id, inSession }) => (inSession && strong.has(id) ? [id] : []))),
  ]
  if (inSession.length === 0) return { fused, neighbours: [] }
  const neighbours = await sessionNeighbours(ctx, inSession, filter, REACH)
  const session = neighbours.flatMap(({ id, nextTo, offset }): SessionNeighbour[] => {
    const hit = strong.get(nextTo)
    return hit ? [{ id, nextTo, distance: Math.abs(offset), ...hit }] : []
  })
  return { fused: fuse({ ...lists, session }), neighbours }
}

/** The candidates by meaning, and those of the time that the query names; null if the embedding provider is not available. */
async function findByMeaning(ctx: Context, query: string, asked: Asked, filter: MemoryFilter, count: number) {
  const { vector, reading } = await readMeaning(query, asked)
  if (!vector) return { vector, reading, semantic: null, time: [] }
  const { named } = asked.time
  const [semantic, time] = await Promise.all([
    findNearest(ctx, vector, filter, count, { exact: false }),
    named ? nearestInSpan(ctx, vector.mean, named, filter, count) : [],
  ])
  return { vector, reading, semantic, time }
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
