import type { Context } from '../../context.ts'
import type { Memory } from '../../contract/memory.ts'
import {
  type MemoryColumns,
  memoryColumns,
  memoryOf,
  readAtOnce,
  spaceParameter,
} from '../neo4j/projections.ts'
import { int, read } from '../neo4j/statements.ts'
import { liveOrArchived } from '../neo4j/tokens.ts'
import { filterParameters, isFiltered, passes } from './filter.ts'
import { byPosition, type ListQuery, type Position, seek, seeksOf, sortKey, within } from './ordering.ts'

/** How many memories a filtered page may look at; beyond it the page ends early and says so. */
export const WORK_BOUND = 10_000

/**
 * The first `count` memories behind the position that pass the filters, among the first WORK_BOUND looked at. Without
 * filters there is no bound, as only expired memories are passed over.
 */
export async function scanMemories(ctx: Context, query: ListQuery, count: number): Promise<Memory[]> {
  const rows = await read<{ found: MemoryColumns[] }>(
    ctx,
    `CYPHER 25
    UNWIND $parts AS part
    CALL (part) {
      ${seek(query)} LIMIT $bound
      WITH m WHERE ${isListed}
      RETURN m LIMIT $count
    }
    ${page(ctx, query)}`,
    {
      ...parameters(ctx, query),
      count: int(count),
      bound: int(isFiltered(query.filter) ? WORK_BOUND : Number.MAX_SAFE_INTEGER),
    },
  )
  return listed(ctx, rows)
}

const listed = (ctx: Context, rows: readonly { found: MemoryColumns[] }[]): Memory[] =>
  (rows[0]?.found ?? []).map(columns => memoryOf(ctx, columns))

/**
 * Like `scanMemories`, with the last memory that was looked at when the bound stopped it: there the next page begins.
 * One statement returns both, so that nothing can move between them.
 */
export async function scanToBound(
  ctx: Context,
  query: ListQuery,
  count: number,
): Promise<{ found: Memory[]; end: Position | undefined }> {
  const { value } = sortKey[query.orderBy]
  const rows = await read<{ found: MemoryColumns[]; ends: Position[] }>(
    ctx,
    `CYPHER 25
    UNWIND $parts AS part
    CALL (part) {
      ${seek(query)} LIMIT $bound
      WITH collect(m) AS looked
      RETURN [m IN looked WHERE ${isListed}][..$count] AS passing,
        CASE WHEN size(looked) < $bound THEN [] ELSE [m IN looked[-1..] | {key: ${value}, id: m.id}] END AS ends
    }
    WITH collect({passing: passing, part: part}) AS all, reduce(all = [], each IN collect(ends) | all + each) AS ends
    CALL (all) {
      UNWIND all AS one
      UNWIND one.passing AS m
      WITH m, one.part AS part
      ${page(ctx, query)}
    }
    RETURN found, ends`,
    { ...parameters(ctx, query), count: int(count), bound: int(WORK_BOUND) },
  )
  return { found: listed(ctx, rows), end: rows[0]?.ends.sort(byPosition(query))[0] }
}

/** The first `count` of a given set of memories behind the position that pass the filters. */
export async function sortMemories(
  ctx: Context,
  query: ListQuery,
  ids: readonly string[],
  count: number,
): Promise<Memory[]> {
  const rows = await read<{ found: MemoryColumns[] }>(
    ctx,
    `CYPHER 25
    UNWIND $parts AS part
    UNWIND $ids AS id
    MATCH (m:Memory {tenant: $tenant, id: id}) USING INDEX SEEK m:Memory(tenant, id)
    WITH m, part, m[$property] AS key WHERE ${within(query, 'key')} AND ${isListed}
    ${page(ctx, query, 'm[$property]')}`,
    { ...parameters(ctx, query), property: sortKey[query.orderBy].property, ids, count: int(count) },
  )
  return listed(ctx, rows)
}

/** Whether one index seek reads the whole order: then a page that is full lacks nothing. */
export const isOneSeek = (query: ListQuery) => seeksOf(query).length === 1

const isListed = `${liveOrArchived('m')} AND ${passes('m')}`

/** The first in order. One that is archived while both states are read is read twice, and counts once. */
function page(ctx: Context, { orderBy, order }: ListQuery, key = `m.${sortKey[orderBy].property}`): string {
  const direction = order === 'desc' ? ' DESC' : ''
  return `WITH DISTINCT m, part.missing AS missing ORDER BY missing, ${key}${direction}, m.id${direction} LIMIT $count
    RETURN collect(${readAtOnce(ctx, 'm', memoryColumns)}) AS found`
}

const parameters = (ctx: Context, query: ListQuery) => ({
  tenant: ctx.tenant,
  space: spaceParameter(ctx),
  parts: seeksOf(query),
  ...filterParameters(query.filter),
})
