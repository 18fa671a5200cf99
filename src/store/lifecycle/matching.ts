import type { Context } from '../../context.ts'
import { COSINE_TOLERANCE } from '../connections/neighbours.ts'
import { int, read } from '../neo4j/statements.ts'
import { filterParameters, insideIndex, restPasses, type SearchFilter } from '../search/filter.ts'

const passes = (filter: SearchFilter) => `${insideIndex(filter)} AND ${restPasses(filter)}`

/** The ids of active memories that pass filters, in order, the first of so many. */
export async function readMatching(ctx: Context, filter: SearchFilter, limit: number): Promise<string[]> {
  const rows = await read<{ id: string }>(
    ctx,
    `CYPHER 25
    MATCH (m:Memory) WHERE ${passes(filter)}
    RETURN m.id AS id ORDER BY id LIMIT $limit`,
    { ...filterParameters(ctx, filter), limit: int(limit) },
  )
  return rows.map(({ id }) => id)
}

export type NearPair = { readonly one: string; readonly other: string; readonly cosine: number }

/** Pairs of active memories that pass filters and lie so near, among those that discovery connected; the nearest first. */
export const readNearPairs = (
  ctx: Context,
  filter: SearchFilter,
  { threshold, limit }: { threshold: number; limit: number },
): Promise<NearPair[]> =>
  read<NearPair>(
    ctx,
    `CYPHER 25
    MATCH (m:Memory)-[r:RELATED_TO]->(n:Memory)
    WHERE r.tenant = $tenant AND n.tenant = $tenant AND ${passes(filter)}
      AND (r.origin <> 'discovered' OR r.strength >= $threshold - 0.001)
    WITH m AS first, n AS m WHERE ${passes(filter)}
    WITH first, m, 2 * vector.similarity.cosine(first[$space.property], m[$space.property]) - 1 AS cosine
    WHERE cosine >= $threshold
    RETURN first.id AS one, m.id AS other, cosine ORDER BY cosine DESC, one, other LIMIT $limit`,
    { ...filterParameters(ctx, filter), threshold, limit: int(limit) },
  )

/** So many of the nearest are looked at for each memory; those of a larger group find each other too. */
const NEAREST = 20

/**
 * Pairs of active memories that pass filters and lie so near, found by their vectors: for the `most` memories behind `after` by
 * their ids. `last` is where the next begin; null if there are none.
 */
export async function searchNearPairs(
  ctx: Context,
  filter: SearchFilter,
  { threshold, after, most }: { threshold: number; after: string; most: number },
): Promise<{ near: NearPair[]; last: string | null }> {
  const rows = await read<{ id: string; near: { id: string; cosine: number }[] }>(
    ctx,
    `CYPHER 25
    CALL () {
      MATCH (m:Memory) WHERE m.id > $after AND ${passes(filter)} AND m.${ctx.space.property} IS NOT NULL
      RETURN m AS one ORDER BY m.id LIMIT $most
    }
    CALL (one) {
      MATCH (m:Memory)
      SEARCH m IN (VECTOR INDEX ${ctx.space.index} FOR one.${ctx.space.property} WHERE ${insideIndex(filter)} LIMIT $nearest) SCORE AS similarity
      WITH m, 2 * similarity - 1 AS cosine
      WHERE m.id <> one.id AND cosine >= $threshold - $tolerance AND ${restPasses(filter)}
      RETURN collect({id: m.id, cosine: cosine}) AS near
    }
    RETURN one.id AS id, near`,
    {
      ...filterParameters(ctx, filter),
      threshold,
      tolerance: COSINE_TOLERANCE,
      after,
      most: int(most),
      nearest: int(NEAREST),
    },
  )
  return {
    near: rows.flatMap(({ id: one, near }) => near.map(({ id: other, cosine }) => ({ one, other, cosine }))),
    last: rows.length < most ? null : (rows.at(-1)?.id ?? null),
  }
}

/** What a merge takes over from memories. */
export type Mergeable = {
  readonly id: string
  readonly pinned: boolean
  readonly recallCount: number
  readonly createdAt: number
  readonly tags: string[]
  readonly metadata: string | null
}

export const readMergeables = (ctx: Context, ids: readonly string[]): Promise<Mergeable[]> =>
  read<Mergeable>(
    ctx,
    `CYPHER 25
    UNWIND $ids AS id
    MATCH (m:Memory {tenant: $tenant, id: id}) USING INDEX SEEK m:Memory(tenant, id)
    RETURN m.id AS id, m.policy = 'pinned' AS pinned, m.recallCount AS recallCount,
      m.createdAt.epochMillis AS createdAt, m.tags AS tags, m.metadata AS metadata`,
    { tenant: ctx.tenant, ids },
  )
