import type { Context } from '../../context.ts'
import { COSINE_TOLERANCE } from '../connections/neighbours.ts'
import { filterParameters, insideVectorIndex, type MemoryFilter, passes } from '../memories/filter.ts'
import { type Keepable, keepableColumns } from '../memories/keeper.ts'
import { lookThrough, type Page, type Window } from '../memories/look-through.ts'
import { isOfTexts, otherEnd, spaceParameter } from '../neo4j/projections.ts'
import { int, read, readValues } from '../neo4j/statements.ts'
import { holdsNow, live } from '../neo4j/tokens.ts'

/** The ids of active memories behind one that pass a filter, in order, the first of so many. */
export const readMatching = (
  ctx: Context,
  filter: MemoryFilter,
  { after, limit }: { after: string; limit: number },
): Promise<string[]> =>
  readValues(
    ctx,
    `MATCH (m:Memory) WHERE m.tenant = $tenant AND m.id > $after AND ${live('m')} AND ${passes('m')}
    RETURN m.id AS id ORDER BY id LIMIT $limit`,
    { tenant: ctx.tenant, after, ...filterParameters(filter), limit: int(limit) },
  )

export type NearPair = { readonly one: string; readonly other: string; readonly cosine: number }

/** So many of the nearest are looked at for each memory; those of a larger group find each other too. */
const NEAREST = 20

/** The ids of active memories with a vector that pass filters, in order: a page of those behind one. */
export const readWithVectors = (ctx: Context, filter: MemoryFilter, window: Window): Promise<Page> =>
  lookThrough(ctx, `WITH m WHERE ${included('m')} AND m[$space.property] IS NOT NULL`, window, {
    space: spaceParameter(ctx),
    ...filterParameters(filter),
  })

/** For each of these memories the active ones that lie so near, found by their vectors; none for one without a vector. */
export async function nearOf(
  ctx: Context,
  ids: readonly string[],
  filter: MemoryFilter,
  threshold: number,
): Promise<Map<string, Near[]>> {
  const rows = await read<{ id: string; near: Near[] }>(
    ctx,
    `UNWIND $ids AS id
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
      WHERE m.id <> one.id AND cosine >= $threshold - $tolerance AND ${included('m')}
      RETURN collect({id: m.id, cosine: cosine}) AS near
    }`

const nearestParameters = ({ tenant }: Context, filter: MemoryFilter, threshold: number) => ({
  tenant,
  ...filterParameters(filter),
  threshold,
  tolerance: COSINE_TOLERANCE,
  nearest: int(NEAREST),
})

const included = (m: string) => `${m}.tenant = $tenant AND ${live(m)} AND ${passes(m)}`

/** Pairs of these memories of which one contradicts the other, or is suspected to. */
export const readOpposed = (
  ctx: Context,
  ids: readonly string[],
): Promise<Pick<NearPair, 'one' | 'other'>[]> =>
  read(
    ctx,
    `UNWIND $ids AS id
    MATCH (m:Memory {tenant: $tenant, id: id}) USING INDEX SEEK m:Memory(tenant, id)
    MATCH (m)-[r:CONTRADICTS|MAY_CONTRADICT]->${otherEnd('n')} WHERE n.tenant = $tenant AND n.id IN $ids AND ${holdsNow('r')}
      AND (type(r) = 'CONTRADICTS' OR (r.status = 'suggested' AND ${isOfTexts('r', 'm', 'n')}))
    RETURN DISTINCT m.id AS one, n.id AS other`,
    { tenant: ctx.tenant, ids },
  )

/** What decides which memory a merge keeps, and what it takes over from the others. */
export type Mergeable = Keepable & { readonly tags: string[]; readonly metadata: string | null }

export const readMergeables = (ctx: Context, ids: readonly string[]): Promise<Mergeable[]> =>
  read<Mergeable>(
    ctx,
    `UNWIND $ids AS id
    MATCH (m:Memory {tenant: $tenant, id: id}) USING INDEX SEEK m:Memory(tenant, id)
    RETURN ${keepableColumns('m')}, m.tags AS tags, m.metadata AS metadata`,
    { tenant: ctx.tenant, ids },
  )
