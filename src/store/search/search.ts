import type { Context } from '../../context.ts'
import type { Memory } from '../../contract/memories.ts'
import { MARGIN } from '../embeddings/spaces.ts'
import type { Range } from '../memories/list.ts'
import { type MemoryColumns, memoryColumns, memoryOf, spaceParameter } from '../neo4j/projections.ts'
import { int, read, time, vector } from '../neo4j/statements.ts'
import { filterClause, hasTags, type IndexedFilter, live } from '../neo4j/tokens.ts'

export type SearchFilter = Omit<IndexedFilter, 'states'> & {
  importance: Range
  createdAt: Range
}

/** So much of a content is read to see which words are common. */
const SAMPLED_CHARACTERS = 2_000

/** `score` is the cosine, -1 to 1 in steps of 1e-5, or what Lucene gave, which means something within one answer only. */
export type Hit = { memory: Memory; score: number }

type HitColumns = [memory: MemoryColumns, score: number]

/** All hits are one row's: rows of their own would cost the driver more. */
const hitsOf = (ctx: Context, row: { hits: HitColumns[] } | undefined): Hit[] =>
  (row?.hits ?? []).map(([memory, score]) => ({ memory: memoryOf(ctx, memory), score }))

/** To so few digits that the bits which keep vectors apart hardly ever count: what is equally near stands in the order of the ids. */
const cosineOf = (similarity: string) => `round(2 * ${similarity} - 1, 5)`

const nearest = ({ space }: Context, filter: SearchFilter, limit: string) =>
  `SEARCH m IN (VECTOR INDEX ${space.index} FOR $query WHERE ${insideIndex(filter)} LIMIT ${limit}) SCORE AS similarity`

/** The vector index counts towards its limit what is archived or removed in that moment: only if so many fewer are seen are there no others. */
const SURE = 0.9

/**
 * The nearest memories by cosine that pass the filters, among the `candidates` nearest: the vector index holds all filters
 * but tags. `complete` says that more candidates would change nothing: the index has no further ones, or they are all
 * farther than the last hit by `MARGIN`.
 */
export async function nearestMemories(
  ctx: Context,
  query: Float32Array,
  filter: SearchFilter,
  { candidates, count }: { candidates: number; count: number },
): Promise<{ hits: Hit[]; complete: boolean }> {
  const [row] = await read<{ hits: HitColumns[]; seen: number; farthest: number }>(
    ctx,
    `CYPHER 25
    CALL () {
      MATCH (m:Memory)
      ${nearest(ctx, filter, '$candidates')}
      RETURN collect({m: m, cosine: ${cosineOf('similarity')}}) AS found, min(2 * similarity - 1) AS farthest
    }
    CALL (found) {
      UNWIND found AS hit
      WITH hit.m AS m, hit.cosine AS cosine WHERE ${tagsPass(filter)}
      WITH m, cosine ORDER BY cosine DESC, m.id LIMIT $count
      RETURN collect([${memoryColumns('m')}, cosine]) AS hits
    }
    RETURN hits, size(found) AS seen, farthest`,
    {
      ...filterParameters(ctx, filter),
      query: vector(query),
      candidates: int(candidates),
      count: int(count),
    },
  )
  const { seen, farthest } = row ?? { seen: 0, farthest: 0 }
  const hits = hitsOf(ctx, row)
  const last = hits.length === count ? hits.at(-1) : undefined
  return {
    hits,
    complete: seen < SURE * candidates || (last !== undefined && last.score > farthest + MARGIN),
  }
}

/** The nearest of a given set of memories, measured one by one. */
export async function nearestOf(
  ctx: Context,
  query: Float32Array,
  ids: readonly string[],
  filter: SearchFilter,
  count: number,
): Promise<Hit[]> {
  const [row] = await read<{ hits: HitColumns[] }>(
    ctx,
    `CYPHER 25
    UNWIND $ids AS id
    MATCH (m:Memory {id: id}) USING INDEX SEEK m:Memory(id) WHERE ${insideIndex(filter)} AND ${tagsPass(filter)}
      AND m[$property] IS NOT NULL
    WITH m, ${cosineOf('vector.similarity.cosine(m[$property], $query)')} AS cosine
    ORDER BY cosine DESC, m.id LIMIT $count
    RETURN collect([${memoryColumns('m')}, cosine]) AS hits`,
    {
      ...filterParameters(ctx, filter),
      ids,
      property: ctx.space.property,
      query: vector(query),
      count: int(count),
    },
  )
  return hitsOf(ctx, row)
}

/** How far a search for words looks: among the `candidates` best of the index, of which `looked` are read at first. */
type Reach = { candidates: number; looked: number }

/**
 * Memories that hold at least one of the terms, best first by Lucene's BM25, among the `candidates` best that the index
 * finds for the tenant with its tags and policy. The terms hold letters, marks and digits only, so no text reaches
 * Lucene's parser as syntax. When the index had fewer, of all that match (`exhausted`), else of the `looked` best, those
 * that pass the other filters, at most `most`.
 */
export async function memoriesWithTerms(
  ctx: Context,
  terms: readonly string[],
  filter: SearchFilter,
  { most, ...reach }: Reach & { most: number },
): Promise<{ hits: Hit[]; exhausted: boolean }> {
  const [row] = await read<{ hits: HitColumns[]; seen: number }>(
    ctx,
    `CYPHER 25
    ${withTerms(filter)}
    WITH seen, m, score ORDER BY score DESC, m.id LIMIT $most
    RETURN seen, collect(CASE WHEN m IS NOT NULL THEN [${memoryColumns('m')}, score] END) AS hits`,
    { ...filterParameters(ctx, filter), ...termParameters(ctx, terms, filter, reach), most: int(most) },
  )
  return { hits: hitsOf(ctx, row), exhausted: (row?.seen ?? 0) < reach.candidates }
}

/**
 * Rows of `seen`, `m` and `score`; one with nulls when nothing passes. Of a term in which Lucene finds no word only the
 * filters are left: what matches by them alone has no score.
 */
const withTerms = (filter: SearchFilter) => `CALL () {
      CALL db.index.fulltext.queryNodes('memory_text', $lucene, {limit: $candidates}) YIELD node, score
      WHERE score > 0
      RETURN collect({m: node, score: score}) AS found
    }
    WITH found, size(found) AS seen
    OPTIONAL CALL (found, seen) {
      UNWIND found[0..CASE WHEN seen < $candidates THEN seen ELSE $looked END] AS hit
      WITH hit.m AS m, hit.score AS score WHERE ${insideIndex(filter)}
      RETURN m, score
    }`

const termParameters = (
  { tenant }: Context,
  terms: readonly string[],
  filter: SearchFilter,
  { candidates, looked }: Reach,
) => ({
  lucene: luceneQuery(tenant, terms, filter),
  candidates: int(candidates),
  looked: int(looked),
})

/**
 * Both ways of writing it find the same with the same scores. A filter that may let most of the index pass stands beside
 * each word: there Lucene takes half the time for three words in 89,000 memories. Tags keep few, and stand there once.
 */
function luceneQuery(tenant: string, terms: readonly string[], filter: SearchFilter): string {
  const filters = filterClause(tenant, { ...filter, states: ['active'] })
  const words = terms.map(term => `content:"${term}"`)
  return hasTags(filter)
    ? `${filters} +(${words.join(' ')})`
    : words.map(word => `(${filters} +${word})`).join(' ')
}

/** A candidate of one kind of search by its id; with its content where all that hold a word are at hand, and few. */
type Candidate = { id: string; score: number; content: string | null }

/** `memories` are the `shown` best candidates of either kind: most answers need no others. */
type Candidates = {
  near: Candidate[]
  worded: Candidate[]
  exhausted: boolean
  memories: Memory[]
}

/**
 * The candidates of both kinds of search, in one statement: `count` nearest ones, and what `memoriesWithTerms` finds,
 * with their contents where they are all, and `few` at the most.
 */
export async function candidatesOfBoth(
  ctx: Context,
  { query, terms }: { query: Float32Array; terms: readonly string[] },
  filter: SearchFilter,
  { count, shown, few, ...reach }: Reach & { count: number; shown: number; few: number },
): Promise<Candidates> {
  const [row] = await read<CandidatesRow>(
    ctx,
    `CYPHER 25
    CALL () {
      MATCH (m:Memory)
      ${nearest(ctx, filter, '$nearest')}
      WITH m, ${cosineOf('similarity')} AS score ORDER BY score DESC, m.id LIMIT $count
      WITH collect({m: m, score: score}) AS hits
      RETURN [hit IN hits | [hit.m.id, hit.score, null]] AS near, [hit IN hits[0..$shown] | hit.m] AS nearest
    }
    CALL () {
      ${withTerms(filter)}
      WITH seen, m, score ORDER BY score DESC, m.id
      WITH seen, collect(CASE WHEN m IS NOT NULL THEN {m: m, score: score} END) AS hits
      RETURN seen, [hit IN hits[0..$shown] | hit.m] AS likeliest,
        [hit IN hits | [hit.m.id, hit.score,
          CASE WHEN seen < $candidates AND size(hits) <= $few THEN hit.m.content END]] AS worded
    }
    RETURN near, worded, seen,
      [m IN nearest + [m IN likeliest WHERE NOT m IN nearest] | ${memoryColumns('m')}] AS memories`,
    {
      ...filterParameters(ctx, filter),
      ...termParameters(ctx, terms, filter, reach),
      query: vector(query),
      nearest: int(Math.max(ctx.breadth, count)),
      count: int(count),
      shown: int(shown),
      few: int(few),
    },
  )
  const { near, worded, seen, memories } = row ?? { near: [], worded: [], seen: 0, memories: [] }
  return {
    near: near.map(candidateOf),
    worded: worded.map(candidateOf),
    exhausted: seen < reach.candidates,
    memories: memories.map(columns => memoryOf(ctx, columns)),
  }
}

type CandidateRow = [id: string, score: number, content: string | null]
type CandidatesRow = {
  near: CandidateRow[]
  worded: CandidateRow[]
  seen: number
  memories: MemoryColumns[]
}

const candidateOf = ([id, score, content]: CandidateRow): Candidate => ({ id, score, content })

type Sampled = { content: string; vector: number[] | null }

/** Of at least so many the vectors are read, and of less than twice as many: they are much to read. */
const SAMPLED_VECTORS = 100

/**
 * The beginnings of contents of the tenant's active memories: half of them its oldest ones, half its newest. Where there
 * are `least`, with some of them their vectors, if they have one.
 */
export const sampleMemories = (ctx: Context, count: number, least: number): Promise<Sampled[]> => {
  const end = (direction: 'ASC' | 'DESC') => `MATCH (m:Memory) WHERE m.tenant = $tenant AND m.state = 'active'
        AND m.createdAt IS NOT NULL AND m.id IS NOT NULL
      WITH m ORDER BY m.tenant ${direction}, m.state ${direction}, m.createdAt ${direction}, m.id ${direction} LIMIT $half`
  return read<Sampled>(
    ctx,
    `CYPHER 25
    CALL () {
      ${end('ASC')}
      RETURN m
      UNION
      ${end('DESC')}
      RETURN m
    }
    WITH collect(m) AS sample
    WITH sample, CASE WHEN size(sample) < 2 * $vectors THEN 1 ELSE size(sample) / $vectors END AS every
    UNWIND range(0, size(sample) - 1) AS at
    WITH sample[at] AS m, size(sample) >= $least AND at % every = 0 AS whole
    RETURN left(m.content, $characters) AS content, CASE WHEN whole THEN m.${ctx.space.property} END AS vector`,
    {
      tenant: ctx.tenant,
      half: int(count / 2),
      vectors: int(SAMPLED_VECTORS),
      least: int(least),
      characters: int(SAMPLED_CHARACTERS),
    },
  )
}

/** What the vector index tests by itself. */
const insideIndex = ({ policy, importance, createdAt }: SearchFilter) =>
  [
    `m.tenant = $tenant AND ${live('m')}`,
    ...(policy === undefined ? [] : ['m.policy = $policy']),
    ...(importance.from === undefined ? [] : ['m.importance >= $minImportance']),
    ...(importance.to === undefined ? [] : ['m.importance <= $maxImportance']),
    ...(createdAt.from === undefined ? [] : ['m.createdAt >= $createdFrom']),
    ...(createdAt.to === undefined ? [] : ['m.createdAt < $createdTo']),
  ].join(' AND ')

const tagsPass = (filter: SearchFilter) =>
  hasTags(filter) ? `${filter.tagsMatch}(tag IN $tags WHERE tag IN m.tags)` : 'true'

const filterParameters = (ctx: Context, { tags, policy, importance, createdAt }: SearchFilter) => ({
  tenant: ctx.tenant,
  space: spaceParameter(ctx),
  tags: tags ?? null,
  policy: policy ?? null,
  minImportance: importance.from ?? null,
  maxImportance: importance.to ?? null,
  createdFrom: createdAt.from === undefined ? null : time(createdAt.from),
  createdTo: createdAt.to === undefined ? null : time(createdAt.to),
})
