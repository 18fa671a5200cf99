import type { Context } from '../context.ts'
import type { RelationshipType } from '../contract/connections.ts'
import type { Edge } from '../contract/graph.ts'
import { int, read } from './neo4j.ts'
import { connectionProjection, typesInGraph } from './projections.ts'

export type EdgeFilter = {
  types: readonly RelationshipType[] | undefined
  direction: 'out' | 'in' | 'both'
  minStrength: number | undefined
  includeArchived: boolean
  /** Whether a walk may begin at a memory that is archived or has expired. */
  fromAnywhere: boolean
}

/** An edge as a walk crosses it: from `from` to `to`, whichever way it points. `weight` is its strength, 1 when absent. */
export type Step = { from: string; to: string; weight: number; edge: Edge }

/** All edges that leave the given memories for living ones of the tenant, at most `bound` of them. */
export const stepsFrom = (
  ctx: Context,
  ids: readonly string[],
  filter: EdgeFilter,
  bound: number,
): Promise<Step[]> =>
  read<Step>(
    ctx,
    `CYPHER 25
    UNWIND $ids AS id
    MATCH (a:Memory {id: id}) WHERE a.tenant = $tenant ${filter.fromAnywhere ? '' : `AND ${living('a', filter)}`}
    CALL (a) { ${directions(filter)
      .map(way => crossing(way, filter))
      .join(' UNION ALL ')} }
    WITH a, r, b, startNode(r) AS source, endNode(r) AS target LIMIT $bound
    WITH a, b, r, source, ${connectionProjection('r', 'target')} AS connection
    RETURN a.id AS from, b.id AS to, coalesce(r.strength, 1.0) AS weight,
      {source_id: source.id, target_id: connection.target_id, relationship_type: connection.relationship_type,
        strength: connection.strength, created_at: connection.created_at, origin: connection.origin,
        model: connection.model, threshold: connection.threshold} AS edge`,
    {
      ids,
      tenant: ctx.tenant,
      minStrength: filter.minStrength ?? null,
      bound: int(bound),
    },
  )

const directions = ({ direction }: EdgeFilter) =>
  direction === 'both' ? (['out', 'in'] as const) : [direction]

const living = (m: string, { includeArchived }: EdgeFilter) =>
  includeArchived
    ? `(${m}.state = 'archived' OR ${m}.liveUntil > timestamp())`
    : `${m}.state = 'active' AND ${m}.liveUntil > timestamp()`

function crossing(way: 'out' | 'in', filter: EdgeFilter): string {
  const { types, minStrength } = filter
  const edge = `[r:${typesInGraph(types)}]`
  return `MATCH ${way === 'out' ? `(a)-${edge}->(b:Memory)` : `(a)<-${edge}-(b:Memory)`}
    WHERE b.tenant = $tenant AND ${living('b', filter)} ${minStrength === undefined ? '' : 'AND coalesce(r.strength, 1.0) >= $minStrength'}
    RETURN r, b`
}
