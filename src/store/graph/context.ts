import type { Context } from '../../context.ts'
import { type RelationshipType, relationshipTypes } from '../../contract/connections.ts'
import type { Memory } from '../../contract/memory.ts'
import { filterParameters, isFound, type MemoryFilter, passesValidity } from '../memories/filter.ts'
import {
  type MemoryColumns,
  memoryColumns,
  memoryOf,
  otherEnd,
  spaceParameter,
  typesInGraph,
} from '../neo4j/projections.ts'
import { int, read } from '../neo4j/statements.ts'

/** A memory that is connected with `from`; `outward` when the connection leaves `from`. */
export type ConnectedMemory = { from: string; memory: Memory; type: RelationshipType; outward: boolean }

/** A memory that is connected with `to` as well. */
export type BridgingMemory = ConnectedMemory & { to: string }

export const contradiction: RelationshipType[] = ['contradicts']
export const agreement = relationshipTypes.filter(type => type !== 'contradicts')

/** For each memory the `count` living ones that pass a filter and that connections of these types tie to it most strongly, either way round. */
export async function strongestConnected(
  ctx: Context,
  ids: readonly string[],
  types: readonly RelationshipType[],
  { count, filter }: { count: number; filter: MemoryFilter },
): Promise<ConnectedMemory[]> {
  const rows = await read<Omit<ConnectedMemory, 'memory'> & { memory: MemoryColumns }>(
    ctx,
    `CYPHER 25
    ${strongest(types, filter)}
    WITH a, b, r, at ORDER BY at, coalesce(r.strength, 1.0) DESC, b.id
    RETURN a.id AS from, ${memoryColumns('b')} AS memory, toLower(type(r)) AS type, startNode(r) = a AS outward`,
    { ids, tenant: ctx.tenant, count: int(count), space: spaceParameter(ctx), ...filterParameters(filter) },
  )
  return rows.map(row => ({ ...row, memory: memoryOf(ctx, row.memory) }))
}

/** The beginning of a statement that finds for each memory `a`, the one `at` this place of the ids, its neighbours `b`, each by its strongest connection `r`. */
const strongest = (
  types: readonly RelationshipType[],
  filter: MemoryFilter,
) => `UNWIND range(0, size($ids) - 1) AS at
    MATCH (a:Memory {tenant: $tenant, id: $ids[at]}) USING INDEX SEEK a:Memory(tenant, id)
    CALL (a) {
      MATCH (a)-[r:${typesInGraph(types)}]-${otherEnd('b')}
      WHERE b.tenant = $tenant AND ${isFound('b', filter)} AND ${passesValidity('r', filter.validAt)}
      WITH b, r ORDER BY coalesce(r.strength, 1.0) DESC, type(r), startNode(r).id, b.id
      WITH b, collect(r)[0] AS r
      RETURN b, r ORDER BY coalesce(r.strength, 1.0) DESC, b.id LIMIT $count
    }`

/**
 * The memories that join two of the given ones which no connection joins, by the strongest paths first: of the `count`
 * neighbours to which each of them is tied most strongly, at most `most`, each with the pairs that it joins.
 */
export async function strongestBridges(
  ctx: Context,
  ids: readonly string[],
  types: readonly RelationshipType[],
  { count, most, filter }: { count: number; most: number; filter: MemoryFilter },
): Promise<BridgingMemory[]> {
  const rows = await read<Omit<BridgingMemory, 'memory'> & { memory: MemoryColumns }>(
    ctx,
    `CYPHER 25
    ${strongest(types, filter)}
    WITH b, {at: at, m: a, r: r} AS tie WHERE NOT b.id IN $ids
    WITH b, collect(tie) AS ends WHERE size(ends) > 1
    UNWIND ends AS one
    UNWIND ends AS other
    WITH b, one, other, one.m AS a, other.m AS c WHERE one.at < other.at AND NOT EXISTS { (a)-[:${typesInGraph()}]-(c) }
    WITH b, a, c, one.r AS r, coalesce(one.r.strength, 1.0) * coalesce(other.r.strength, 1.0) AS score, one.at AS first, other.at AS last
    ORDER BY score DESC, first, last, b.id LIMIT $most
    RETURN a.id AS from, c.id AS to, ${memoryColumns('b')} AS memory, toLower(type(r)) AS type, startNode(r) = a AS outward
    ORDER BY score DESC, first, last, b.id`,
    {
      ids,
      tenant: ctx.tenant,
      count: int(count),
      most: int(most),
      space: spaceParameter(ctx),
      ...filterParameters(filter),
    },
  )
  return rows.map(row => ({ ...row, memory: memoryOf(ctx, row.memory) }))
}
