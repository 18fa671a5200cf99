import type { Context } from '../../context.ts'
import type { Memory } from '../../contract/memory.ts'
import { type MemoryColumns, memoryOf, readAtOnce, spaceParameter } from '../neo4j/projections.ts'
import { int, read, readValues } from '../neo4j/statements.ts'
import { liveOrArchived } from '../neo4j/tokens.ts'
import { filterParameters, passes } from './filter.ts'
import {
  byPosition,
  type ListQuery,
  type Position,
  positionOf,
  seek,
  seeksOf,
  sortKey,
  within,
} from './ordering.ts'

/**
 * The first `count` memories behind the position that pass the filters, among the first `bound` in each part of the order, and
 * the last of these that were looked at where there may be more: behind it the next scan begins. One statement returns both,
 * so that nothing can move between them.
 */
export async function scanMemories(
  ctx: Context,
  query: ListQuery,
  { count, bound }: { count: number; bound: number },
): Promise<{ found: Memory[]; end: Position | undefined }> {
  const rows = await read<{ found: MemoryColumns[]; end: Position | null }>(
    ctx,
    `UNWIND $parts AS part
    CALL (part) {
      ${seek(query)} LIMIT $bound
      WITH collect(m) AS looked
      RETURN [m IN looked WHERE ${isListed}][..$count] AS passing, looked[$bound - 1] AS m
    }
    RETURN [m IN passing | ${readAtOnce(ctx, 'm')}] AS found,
      CASE WHEN m IS NOT NULL THEN {key: ${sortKey[query.orderBy].value}, id: m.id} END AS end`,
    { ...parameters(ctx, query), count: int(count), bound: int(bound) },
  )
  const compare = byPosition(query)
  const [end] = rows.flatMap(({ end }) => (end ? [end] : [])).sort(compare)
  // One that is archived while both states are read is read twice, and counts once.
  const memories = new Map(rows.flatMap(({ found }) => found.map(each => [each[0], memoryOf(ctx, each)])))
  const placed = [...memories.values()].map(memory => ({ memory, place: positionOf(query, memory) }))
  const found = placed
    .filter(({ place }) => !end || compare(place, end) <= 0)
    .sort((a, b) => compare(a.place, b.place))
    .slice(0, count)
    .map(({ memory }) => memory)
  return { found, end }
}

/** The first `count` of a given set of memories behind the position that pass the filters. */
export async function sortMemories(
  ctx: Context,
  query: ListQuery,
  ids: readonly string[],
  count: number,
): Promise<Memory[]> {
  const direction = query.order === 'desc' ? ' DESC' : ''
  const sorted = await readValues<MemoryColumns>(
    ctx,
    `UNWIND $parts AS part
    UNWIND $ids AS id
    MATCH (m:Memory {tenant: $tenant, id: id}) USING INDEX SEEK m:Memory(tenant, id)
    WITH m, part, m[$property] AS key WHERE ${within(query, 'key')} AND ${isListed}
    WITH DISTINCT m, key, part.missing AS missing ORDER BY missing, key${direction}, m.id${direction} LIMIT $count
    RETURN ${readAtOnce(ctx, 'm')} AS memory`,
    { ...parameters(ctx, query), property: sortKey[query.orderBy].property, ids, count: int(count) },
  )
  return sorted.map(columns => memoryOf(ctx, columns))
}

const isListed = `${liveOrArchived('m')} AND ${passes('m')}`

const parameters = (ctx: Context, query: ListQuery) => ({
  tenant: ctx.tenant,
  space: spaceParameter(ctx),
  parts: seeksOf(query),
  ...filterParameters(query.filter),
})
