import type { Context } from '../context.ts'
import type { Memory } from '../contract/memories.ts'
import { filterClause, type Range } from './lists.ts'
import { int, read, time, vector } from './neo4j.ts'
import { memoryProjection, spaceParameter } from './projections.ts'

export type SearchFilter = {
  tags: readonly string[] | undefined
  tagsMatch: 'all' | 'any'
  policy: string | undefined
  importance: Range
  createdAt: Range
}

/** `score` is the raw cosine, -1 to 1. */
export type SemanticHit = { memory: Memory; score: number }
/** `score` is what Lucene gave; it means something within one answer only. */
export type KeywordHit = { memory: Memory; score: number }

/**
 * The nearest memories by cosine among the `candidates` nearest that pass the filters which the vector index holds;
 * tags are tested afterwards. `complete` says that more candidates would change nothing: the index has no further ones,
 * or they are all farther than the last hit. Of equally near ones the index gives any.
 */
export async function nearestMemories(
  ctx: Context,
  query: Float32Array,
  filter: SearchFilter,
  { candidates, count }: { candidates: number; count: number },
): Promise<{ hits: SemanticHit[]; complete: boolean }> {
  const { space } = ctx
  const [row] = await read<{ hits: SemanticHit[]; seen: number; farthest: number }>(
    ctx,
    `CYPHER 25
    CALL () {
      MATCH (m:Memory)
      SEARCH m IN (VECTOR INDEX ${space.index} FOR $query WHERE ${insideIndex(filter)} LIMIT $candidates) SCORE AS similarity
      RETURN collect({m: m, cosine: 2 * similarity - 1}) AS found, min(2 * similarity - 1) AS farthest
    }
    CALL (found) {
      UNWIND found AS hit
      WITH hit.m AS m, hit.cosine AS cosine WHERE ${tagsPass(filter)}
      WITH m, cosine ORDER BY cosine DESC, m.id LIMIT $count
      RETURN collect({memory: ${memoryProjection('m')}, score: cosine}) AS hits
    }
    RETURN hits, size(found) AS seen, farthest`,
    {
      ...filterParameters(ctx, filter),
      query: vector(query),
      candidates: int(candidates),
      count: int(count),
    },
  )
  const { hits, seen, farthest } = row ?? { hits: [], seen: 0, farthest: 0 }
  const last = hits.length === count ? hits.at(-1) : undefined
  return { hits, complete: seen < candidates || (last !== undefined && last.score > farthest) }
}

/** The nearest of a given set of memories, measured one by one. */
export async function nearestOf(
  ctx: Context,
  query: Float32Array,
  ids: readonly string[],
  filter: SearchFilter,
  count: number,
): Promise<SemanticHit[]> {
  return read<SemanticHit>(
    ctx,
    `CYPHER 25
    UNWIND $ids AS id
    MATCH (m:Memory {id: id}) WHERE ${insideIndex(filter)} AND ${tagsPass(filter)}
      AND m[$space.property] IS NOT NULL
    WITH m, 2 * vector.similarity.cosine(m[$space.property], $query) - 1 AS cosine
    ORDER BY cosine DESC, m.id LIMIT $count
    RETURN ${memoryProjection('m')} AS memory, cosine AS score`,
    { ...filterParameters(ctx, filter), ids, query: Array.from(query), count: int(count) },
  )
}

/**
 * Memories that hold at least one of the terms, best first by Lucene's BM25, among the `candidates` best that the index
 * finds for the tenant with its tags and policy. The terms hold letters, marks and digits only, so no text reaches
 * Lucene's parser as syntax. When the index had fewer, all that match are answered (`exhausted`), else `count`.
 */
export async function memoriesWithTerms(
  ctx: Context,
  terms: readonly string[],
  filter: SearchFilter,
  { candidates, count }: { candidates: number; count: number },
): Promise<{ hits: KeywordHit[]; exhausted: boolean }> {
  const words = terms.map(term => `"${term}"`).join(' ')
  const [row] = await read<{ hits: KeywordHit[]; seen: number }>(
    ctx,
    `CYPHER 25
    CALL () {
      CALL db.index.fulltext.queryNodes('memory_text', $lucene, {limit: $candidates}) YIELD node, score
      RETURN collect({m: node, score: score}) AS found
    }
    WITH size(found) AS seen, [hit IN found WHERE hit.score > 0 AND COLLECT {
      WITH hit.m AS m WHERE ${insideIndex(filter)} RETURN true } <> []] AS passing
    CALL (seen, passing) {
      UNWIND passing[0..CASE WHEN seen < $candidates THEN $candidates ELSE $count END] AS hit
      WITH hit.m AS m, hit.score AS score ORDER BY score DESC, m.id
      RETURN collect({memory: ${memoryProjection('m')}, score: score}) AS hits
    }
    RETURN hits, seen`,
    {
      ...filterParameters(ctx, filter),
      lucene: `${filterClause(ctx.tenant, { ...filter, states: ['active'] })} +content:(${words})`,
      candidates: int(candidates),
      count: int(count),
    },
  )
  return { hits: row?.hits ?? [], exhausted: (row?.seen ?? 0) < candidates }
}

/** What the vector index tests by itself. */
const insideIndex = ({ policy, importance, createdAt }: SearchFilter) =>
  [
    `m.tenant = $tenant AND m.state = 'active' AND m.liveUntil > timestamp()`,
    ...(policy === undefined ? [] : ['m.policy = $policy']),
    ...(importance.from === undefined ? [] : ['m.importance >= $minImportance']),
    ...(importance.to === undefined ? [] : ['m.importance <= $maxImportance']),
    ...(createdAt.from === undefined ? [] : ['m.createdAt >= $createdFrom']),
    ...(createdAt.to === undefined ? [] : ['m.createdAt < $createdTo']),
  ].join(' AND ')

const tagsPass = ({ tags, tagsMatch }: SearchFilter) =>
  tags?.length ? `${tagsMatch}(tag IN $tags WHERE tag IN m.tags)` : 'true'

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
