import type { Context } from '../../context.ts'
import { type RelationshipType, relationshipTypes } from '../../contract/connections.ts'
import type { Memory } from '../../contract/memory.ts'
import { filterParameters, isFound, type MemoryFilter, passesValidity } from '../memories/filter.ts'
import {
  type MemoryColumns,
  memoryColumns,
  memoryOf,
  spaceParameter,
  typesInGraph,
} from '../neo4j/projections.ts'
import { int, read } from '../neo4j/statements.ts'

/** A memory that is connected with `from`; `outward` when the connection leaves `from`. */
export type ConnectedMemory = { from: string; memory: Memory; type: RelationshipType; outward: boolean }

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
    UNWIND range(0, size($ids) - 1) AS at
    MATCH (a:Memory {tenant: $tenant, id: $ids[at]}) USING INDEX SEEK a:Memory(tenant, id)
    CALL (a) {
      MATCH (a)-[r:${typesInGraph(types)}]-(b:Memory)
      WHERE b.tenant = $tenant AND ${isFound('b', filter)} AND ${passesValidity('r', filter.validAt)}
      WITH b, r ORDER BY coalesce(r.strength, 1.0) DESC, type(r), startNode(r).id, b.id
      WITH b, collect(r)[0] AS r
      RETURN b, r ORDER BY coalesce(r.strength, 1.0) DESC, b.id LIMIT $count
    }
    WITH a, b, r, at ORDER BY at, coalesce(r.strength, 1.0) DESC, b.id
    RETURN a.id AS from, ${memoryColumns('b')} AS memory, toLower(type(r)) AS type, startNode(r) = a AS outward`,
    { ids, tenant: ctx.tenant, count: int(count), space: spaceParameter(ctx), ...filterParameters(filter) },
  )
  return rows.map(row => ({ ...row, memory: memoryOf(ctx, row.memory) }))
}
