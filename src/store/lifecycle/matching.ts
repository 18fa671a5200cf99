import type { Context } from '../../context.ts'
import { COSINE_TOLERANCE } from '../connections/neighbours.ts'
import { filterParameters, insideVectorIndex, type MemoryFilter, passes } from '../memories/filter.ts'
import { isOfTexts, otherEnd, spaceParameter } from '../neo4j/projections.ts'
import { int, read } from '../neo4j/statements.ts'
import { holdsNow, live } from '../neo4j/tokens.ts'

export type NearPair = { readonly one: string; readonly other: string; readonly cosine: number }

/** Pairs of active memories that pass filters and lie so near, among those that discovery connected; the nearest first. */
export const readNearPairs = (
  ctx: Context,
  filter: MemoryFilter,
  { threshold, limit }: { threshold: number; limit: number },
): Promise<NearPair[]> =>
  read<NearPair>(
    ctx,
    `CYPHER 25
    MATCH (m:Memory)-[r:RELATED_TO]->(n:Memory)
    WHERE r.tenant = $tenant AND ${included('m', filter)} AND ${included('n', filter)}
      AND (r.origin <> 'discovered' OR r.strength >= $threshold - 0.001)
    WITH m, n, 2 * vector.similarity.cosine(m[$space.property], n[$space.property]) - 1 AS cosine
    WHERE cosine >= $threshold
    RETURN m.id AS one, n.id AS other, cosine ORDER BY cosine DESC, one, other LIMIT $limit`,
    {
      tenant: ctx.tenant,
      space: spaceParameter(ctx),
      ...filterParameters(filter),
      threshold,
      limit: int(limit),
    },
  )

/** So many of the nearest are looked at for each memory; those of a larger group find each other too. */
const NEAREST = 20

/**
 * Pairs of active memories that pass filters and lie so near, found by their vectors: for the `most` memories behind `after` by
 * their ids. `last` is where the next begin; null if there are none.
 */
export async function searchNearPairs(
  ctx: Context,
  filter: MemoryFilter,
  { threshold, after, most }: { threshold: number; after: string; most: number },
): Promise<{ near: NearPair[]; last: string | null }> {
  const rows = await read<{ id: string; near: Near[] }>(
    ctx,
    `CYPHER 25
    CALL () {
      MATCH (m:Memory) WHERE m.id > $after AND ${included('m', filter)} AND m.${ctx.space.property} IS NOT NULL
      RETURN m AS one ORDER BY m.id LIMIT $most
    }
    ${nearest(ctx, filter)}
    RETURN one.id AS id, near`,
    { ...nearestParameters(ctx, filter, threshold), after, most: int(most) },
  )
  return {
    near: rows.flatMap(({ id: one, near }) => near.map(({ id: other, cosine }) => ({ one, other, cosine }))),
    last: rows.length < most ? null : (rows.at(-1)?.id ?? null),
  }
}

/** For each of these memories the active ones that lie so near, found by their vectors; none for one without a vector. */
export async function nearOf(
  ctx: Context,
  ids: readonly string[],
  filter: MemoryFilter,
  threshold: number,
): Promise<Map<string, Near[]>> {
  const rows = await read<{ id: string; near: Near[] }>(
    ctx,
    `CYPHER 25
    UNWIND $ids AS id
    MATCH (one:Memory {tenant: $tenant, id: id}) USING INDEX SEEK one:Memory(tenant, id)
      WHERE one.${ctx.space.property} IS NOT NULL
    ${nearest(ctx, filter)}
    RETURN one.id AS id, near`,
    { ...nearestParameters(ctx, filter, threshold), ids },
  )
  return new Map(rows.map(({ id, near }) => [id, near]))
}

type Near = { id: string; cosine: number }

const nearest = ({ space }: Context, filter: MemoryFilter) => `CALL (one) {
      MATCH (m:Memory)
      SEARCH m IN (VECTOR INDEX ${space.index} FOR one.${space.property} WHERE ${insideVectorIndex('m', filter)} LIMIT $nearest) SCORE AS similarity
      WITH m, 2 * similarity - 1 AS cosine
      WHERE m.id <> one.id AND cosine >= $threshold - $tolerance AND ${included('m', filter)}
      RETURN collect({id: m.id, cosine: cosine}) AS near
    }`

const nearestParameters = ({ tenant }: Context, filter: MemoryFilter, threshold: number) => ({
  tenant,
  ...filterParameters(filter),
  threshold,
  tolerance: COSINE_TOLERANCE,
  nearest: int(NEAREST),
})

const included = (m: string, filter: MemoryFilter) =>
  `${m}.tenant = $tenant AND ${live(m)} AND ${passes(m, filter)}`

/** Pairs of these memories of which one contradicts the other, or is suspected to. */
export const readOpposed = (
  ctx: Context,
  ids: readonly string[],
): Promise<Pick<NearPair, 'one' | 'other'>[]> =>
  read(
    ctx,
    `CYPHER 25
    UNWIND $ids AS id
    MATCH (m:Memory {tenant: $tenant, id: id}) USING INDEX SEEK m:Memory(tenant, id)
    MATCH (m)-[r:CONTRADICTS|MAY_CONTRADICT]->${otherEnd('n')} WHERE n.tenant = $tenant AND n.id IN $ids AND ${holdsNow('r')}
      AND (type(r) = 'CONTRADICTS' OR (r.status = 'suggested' AND ${isOfTexts('r', 'm', 'n')}))
    RETURN DISTINCT m.id AS one, n.id AS other`,
    { tenant: ctx.tenant, ids },
  )

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
