import type { Context } from '../../context.ts'
import type { RelationshipType } from '../../contract/connections.ts'
import type { GraphEdge } from '../../contract/graph.ts'
import type { Memory } from '../../contract/memories.ts'
import {
  type EdgeColumns,
  edgeColumns,
  edgeOf,
  type MemoryColumns,
  memoryColumns,
  memoryOf,
  spaceParameter,
  typesInGraph,
} from '../neo4j/projections.ts'
import { int, read } from '../neo4j/statements.ts'
import { live, liveOrArchived, passesValidity, type Validity, validityParameter } from '../neo4j/tokens.ts'

export type EdgeFilter = {
  types: readonly RelationshipType[] | undefined
  direction: 'out' | 'in' | 'both'
  minStrength: number | undefined
  includeArchived: boolean
  validAt: Validity
  /** Whether a walk may begin at a memory that is archived or has expired. */
  fromAnywhere: boolean
}

/** An edge as a walk crosses it: from `from` to `to`, whichever way it points. `weight` is its strength, 1 when absent. */
export type Step = { from: string; to: string; weight: number; edge: GraphEdge }

/** All edges that leave the given memories for living ones of the tenant, at most `bound` of them. */
export async function stepsFrom(
  ctx: Context,
  ids: readonly string[],
  filter: EdgeFilter,
  bound: number,
): Promise<Step[]> {
  const rows = await read<Omit<Step, 'edge'> & { edge: EdgeColumns }>(
    ctx,
    `CYPHER 25
    UNWIND $ids AS id
    MATCH (a:Memory {tenant: $tenant, id: id}) USING INDEX SEEK a:Memory(tenant, id) ${filter.fromAnywhere ? '' : `WHERE ${shown('a', filter)}`}
    CALL (a) { ${crossings(filter)} }
    WITH a, r, b LIMIT $bound
    RETURN a.id AS from, b.id AS to, coalesce(r.strength, 1.0) AS weight, ${edgeColumns('r')} AS edge`,
    { ids, ...filterParameters(ctx, filter), bound: int(bound) },
  )
  return rows.map(({ edge, ...step }) => ({ ...step, edge: edgeOf(edge) }))
}

/** Of the edges that leave each of the given memories for living ones the `count` strongest. */
export async function strongestStepsFrom(
  ctx: Context,
  ids: readonly string[],
  filter: EdgeFilter,
  count: number,
): Promise<Map<string, Step[]>> {
  const rows = await read<{ from: string; steps: [to: string, weight: number, edge: EdgeColumns][] }>(
    ctx,
    `CYPHER 25
    UNWIND $ids AS id
    MATCH (a:Memory {tenant: $tenant, id: id}) USING INDEX SEEK a:Memory(tenant, id)
    CALL (a) {
      CALL (a) { ${crossings(filter)} }
      WITH r, b, coalesce(r.strength, 1.0) AS weight
      ORDER BY weight DESC, b.id, toLower(type(r)), startNode(r).id LIMIT $count
      RETURN collect([b.id, weight, ${edgeColumns('r')}]) AS steps
    }
    RETURN a.id AS from, steps`,
    { ids, ...filterParameters(ctx, filter), count: int(count) },
  )
  return new Map(
    rows.map(({ from, steps }) => [
      from,
      steps.map(([to, weight, edge]) => ({ from, to, weight, edge: edgeOf(edge) })),
    ]),
  )
}

/** A step as a walk weighs it; `edge` finds the connection again. */
export type LeanStep = { to: string; weight: number; edge: string }

type StepsRow = { from: string; steps: [to: string, weight: number, edge: string][] }

/** The steps from each memory that was asked for and is there; `cut` when there are more edges than asked for. */
export type LeanSteps = { from: Map<string, LeanStep[]>; cut: boolean }

/** The edges that leave each of the given memories, at most `bound` of them. */
export const leanStepsFrom = (
  ctx: Context,
  ids: readonly string[],
  filter: EdgeFilter,
  bound: number,
): Promise<LeanSteps> =>
  leanSteps(
    ctx,
    `UNWIND $ids AS id
    MATCH (a:Memory {tenant: $tenant, id: id}) USING INDEX SEEK a:Memory(tenant, id)`,
    { ids },
    filter,
    bound,
  )

/**
 * The same for a memory and the nearest ones within so many hops of it: what a walk reads first, in one round trip.
 * Empty when there is no such memory.
 */
export const leanStepsAround = (
  ctx: Context,
  start: string,
  { hops, most }: { hops: number; most: number },
  filter: EdgeFilter,
  bound: number,
): Promise<LeanSteps> =>
  leanSteps(
    ctx,
    `MATCH (s:Memory {tenant: $tenant, id: $start}) USING INDEX SEEK s:Memory(tenant, id)
    CALL (s) {
      RETURN s AS a
      UNION
      MATCH ANY SHORTEST (s) ((x)${arrow(filter)}(b:Memory WHERE b.tenant = $tenant AND ${shown('b', filter)})){1,${hops}} (a)
      RETURN a LIMIT $most
    }
    WITH DISTINCT a`,
    { start, most: int(most) },
    filter,
    bound,
  )

async function leanSteps(
  ctx: Context,
  sources: string,
  parameters: Record<string, unknown>,
  filter: EdgeFilter,
  bound: number,
): Promise<LeanSteps> {
  const rows = await read<StepsRow>(
    ctx,
    `CYPHER 25
    ${sources}
    OPTIONAL CALL (a) { ${crossings(filter)} }
    WITH a, r, b LIMIT $bound
    RETURN a.id AS from,
      collect(CASE WHEN r IS NOT NULL THEN [b.id, coalesce(r.strength, 1.0), elementId(r)] END) AS steps`,
    {
      ...parameters,
      ...filterParameters(ctx, filter),
      bound: int(bound + 1),
    },
  )
  return {
    from: new Map(
      rows.map(({ from, steps }) => [from, steps.map(([to, weight, edge]) => ({ to, weight, edge }))]),
    ),
    cut: rows.reduce((sum, { steps }) => sum + Math.max(1, steps.length), 0) > bound,
  }
}

/** Memories with the connections by which a walk reached them, in no order. What was removed since is left out. */
export async function getArrivals(
  ctx: Context,
  arrivals: readonly { id: string; edge: string }[],
): Promise<Map<string, { memory: Memory; edge: GraphEdge }>> {
  const rows = await read<{ memory: MemoryColumns; edge: EdgeColumns }>(
    ctx,
    `CYPHER 25
    UNWIND $arrivals AS arrival
    MATCH (m:Memory {tenant: $tenant, id: arrival.id}) USING INDEX SEEK m:Memory(tenant, id)
    MATCH (source)-[r]->(target) WHERE elementId(r) = arrival.edge AND r.tenant = $tenant AND m IN [source, target]
    RETURN ${memoryColumns('m')} AS memory, ${edgeColumns('r')} AS edge`,
    { arrivals, tenant: ctx.tenant, space: spaceParameter(ctx) },
  )
  return new Map(
    rows.map(({ memory, edge }) => [memory[0], { memory: memoryOf(ctx, memory), edge: edgeOf(edge) }]),
  )
}

const directions = ({ direction }: EdgeFilter) =>
  direction === 'both' ? (['out', 'in'] as const) : [direction]

const crossings = (filter: EdgeFilter) =>
  directions(filter)
    .map(way => crossing(way, filter))
    .join(' UNION ALL ')

const filterParameters = ({ tenant }: Context, { minStrength, validAt }: EdgeFilter) => ({
  tenant,
  minStrength: minStrength ?? null,
  ...validityParameter(validAt),
})

const shown = (m: string, { includeArchived, validAt }: EdgeFilter) =>
  `${(includeArchived ? liveOrArchived : live)(m)} AND ${passesValidity(m, validAt)}`

function arrow({ types, direction, minStrength }: EdgeFilter): string {
  const within = minStrength === undefined ? '' : ' WHERE coalesce(r.strength, 1.0) >= $minStrength'
  const edge = `[r:${typesInGraph(types)}${within}]`
  return { out: `-${edge}->`, in: `<-${edge}-`, both: `-${edge}-` }[direction]
}

function crossing(way: 'out' | 'in', filter: EdgeFilter): string {
  const { types, minStrength } = filter
  const edge = `[r:${typesInGraph(types)}]`
  return `MATCH ${way === 'out' ? `(a)-${edge}->(b:Memory)` : `(a)<-${edge}-(b:Memory)`}
    WHERE b.tenant = $tenant AND ${shown('b', filter)} ${minStrength === undefined ? '' : 'AND coalesce(r.strength, 1.0) >= $minStrength'}
    RETURN r, b`
}
