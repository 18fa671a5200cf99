import type { Context } from '../../context.ts'
import type { GraphEdge } from '../../contract/graph.ts'
import type { Memory } from '../../contract/memory.ts'
import {
  type EdgeColumns,
  edgeColumns,
  edgeOf,
  type MemoryColumns,
  memoryColumns,
  memoryOf,
  otherEnd,
  readAtOnce,
  spaceParameter,
} from '../neo4j/projections.ts'
import { int, read } from '../neo4j/statements.ts'
import { live } from '../neo4j/tokens.ts'
import {
  arrow,
  crossings,
  type EdgeFilter,
  isHub,
  parametersOf,
  type Step,
  type Steps,
  shown,
} from './crossings.ts'
import { stepsAsOf, strongestAsOf } from './past-steps.ts'

/** All edges that leave the given memories for living ones of the tenant, at most `bound` of them. */
export async function stepsFrom(
  ctx: Context,
  ids: readonly string[],
  filter: EdgeFilter,
  bound: number,
): Promise<Steps> {
  if (filter.memories.asOf !== undefined) return stepsAsOf(ctx, ids, filter, bound)
  const rows = await read<Omit<Step, 'edge'> & { edge: EdgeColumns }>(
    ctx,
    `UNWIND $ids AS id
    MATCH (a:Memory {tenant: $tenant, id: id}) USING INDEX SEEK a:Memory(tenant, id) WHERE size($ends) = 0 OR ${live('a')}
    ${crossings}
    WITH a, r, b LIMIT $bound
    RETURN a.id AS from, b.id AS to, coalesce(r.strength, 1.0) AS weight, ${edgeColumns('r')} AS edge`,
    { ids, ...parametersOf(ctx, filter), bound: int(bound) },
  )
  const steps = rows.map(({ edge, ...step }) => ({ ...step, edge: edgeOf(edge) }))
  return { steps, lost: false, cut: rows.length >= bound }
}

/** As many steps are read at once; a memory with more of them is read alone. */
const STEPS_AT_ONCE = 20_000

/** All steps, however many there are. */
export async function everyStepFrom(
  ctx: Context,
  ids: readonly string[],
  filter: EdgeFilter,
): Promise<readonly Step[]> {
  const bound = ids.length > 1 ? STEPS_AT_ONCE : Number.MAX_SAFE_INTEGER
  const { steps, cut } = await stepsFrom(ctx, ids, filter, bound)
  if (!cut) return steps
  const half = Math.ceil(ids.length / 2)
  const parts = [ids.slice(0, half), ids.slice(half)]
  return (await Promise.all(parts.map(part => everyStepFrom(ctx, part, filter)))).flat()
}

/** Of the edges that leave each of the given memories for living ones the `count` strongest. */
export async function strongestStepsFrom(
  ctx: Context,
  ids: readonly string[],
  filter: EdgeFilter,
  count: number,
): Promise<Map<string, Step[]>> {
  if (filter.memories.asOf !== undefined) return strongestAsOf(ctx, ids, filter, count)
  const rows = await read<{ from: string; steps: [to: string, weight: number, edge: EdgeColumns][] }>(
    ctx,
    `UNWIND $ids AS id
    MATCH (a:Memory {tenant: $tenant, id: id}) USING INDEX SEEK a:Memory(tenant, id)
    CALL (a) {
      ${crossings}
      WITH r, b, coalesce(r.strength, 1.0) AS weight
      ORDER BY weight DESC, b.id, toLower(type(r)), startNode(r).id LIMIT $count
      RETURN collect([b.id, weight, ${edgeColumns('r')}]) AS steps
    }
    RETURN a.id AS from, steps`,
    { ids, ...parametersOf(ctx, filter), count: int(count) },
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

/** The steps from each of the given memories that has any; `cut` when there are more edges than asked for. */
type LeanSteps = { from: Map<string, LeanStep[]>; cut: boolean }

/** The edges that leave each of the given memories, at most `bound` of them. */
export async function leanStepsFrom(
  ctx: Context,
  ids: readonly string[],
  filter: EdgeFilter,
  bound: number,
): Promise<LeanSteps> {
  const rows = await read<StepsRow>(
    ctx,
    `UNWIND $ids AS id
    MATCH (a:Memory {tenant: $tenant, id: id}) USING INDEX SEEK a:Memory(tenant, id)
    ${crossings}
    WITH a, r, b LIMIT $bound
    RETURN a.id AS from, collect([b.id, coalesce(r.strength, 1.0), elementId(r)]) AS steps`,
    { ids, ...parametersOf(ctx, filter), bound: int(bound + 1) },
  )
  return {
    from: new Map(
      rows.map(({ from, steps }) => [from, steps.map(([to, weight, edge]) => ({ to, weight, edge }))]),
    ),
    cut: rows.reduce((sum, { steps }) => sum + steps.length, 0) > bound,
  }
}

/** A memory as a walk answers it: by the strongest path to it, whose last connection is `edge`. */
export type Reached = { memory: Memory; edge: GraphEdge; score: number; depth: number }

/**
 * The memories at the end of the strongest paths, strongest first, in one round trip; `undefined` when no memory has
 * this id. The database looks for paths at least as strong as the first floor, then as the next one, and stops when
 * they lead to `limit` memories: it leaves a path where it gets weaker than the floor, so no path that it has not seen
 * can be better. `cut` when there are more than `bound` of them, or when a memory on the way has more connections
 * than that: the statement answers nothing then.
 */
export async function strongestReached(
  ctx: Context,
  start: string,
  filter: EdgeFilter,
  { depth, limit, bound, floors }: { depth: number; limit: number; bound: number; floors: readonly number[] },
): Promise<{ reached: Reached[]; cut: boolean } | undefined> {
  const [row] = await read<ReachedRow>(
    ctx,
    `MATCH (s:Memory {tenant: $tenant, id: $start}) USING INDEX SEEK s:Memory(tenant, id)
    UNWIND $floors AS floor
    CALL (s, floor) {
      CALL (s, floor) {
        MATCH (s) ((a WHERE NOT ${isHub('a')})${arrow(filter)}${otherEnd('b', `b.tenant = $tenant AND ${shown('b')}`)}){1,${depth}} (m)
        WHERE allReduce(score = 1.0, x IN r | score * coalesce(x.strength, 1.0), score >= floor)
        RETURN m, r AS path LIMIT $most
      }
      WITH m, path, size(path) AS depth, reduce(score = 1.0, x IN path | score * coalesce(x.strength, 1.0)) AS score
      WITH m, max([score, -depth, last(path)]) AS best, count(*) AS paths, min(depth) < ${depth} AND ${isHub('m')} AS left
      RETURN collect(CASE WHEN m <> s THEN [m, best] END) AS found, sum(paths) > $bound OR coalesce(max(left), false) AS more
    }
    WITH floor, found, more OR ${isHub('s')} AS cut
    WHERE cut OR size(found) >= $limit OR floor = 0.0
    LIMIT 1
    RETURN cut, COLLECT {
      UNWIND CASE WHEN cut THEN [] ELSE found END AS one
      WITH one[0] AS m, one[1][0] AS score, -one[1][1] AS depth, one[1][2] AS r
      ORDER BY score DESC, depth, m.id LIMIT $limit
      RETURN [${readAtOnce(ctx, 'm')}, ${edgeColumns('r')}, score, 1.0 * depth]
    } AS reached`,
    {
      ...parametersOf(ctx, filter),
      start,
      floors,
      limit: int(limit),
      bound: int(bound),
      most: int(bound + 1),
      space: spaceParameter(ctx),
    },
  )
  return row && reachedOf(ctx, row)
}

/**
 * The same for paths of one connection, which Neo4j plans and runs in a third of the time: there is no path to weigh.
 * `cut` when the memory has more than `bound` connections.
 */
export async function strongestNeighbours(
  ctx: Context,
  start: string,
  filter: EdgeFilter,
  { limit, bound }: { limit: number; bound: number },
): Promise<{ reached: Reached[]; cut: boolean } | undefined> {
  const [row] = await read<ReachedRow>(
    ctx,
    `MATCH (a:Memory {tenant: $tenant, id: $start}) USING INDEX SEEK a:Memory(tenant, id)
    WITH a, ${isHub('a')} AS cut
    RETURN cut, COLLECT {
      WITH a WHERE NOT cut
      ${crossings}
      WITH b AS m, max([coalesce(r.strength, 1.0), r]) AS best WHERE b <> a
      WITH m, best[0] AS score, best[1] AS r ORDER BY score DESC, m.id LIMIT $limit
      RETURN [${readAtOnce(ctx, 'm')}, ${edgeColumns('r')}, score, 1.0]
    } AS reached`,
    {
      ...parametersOf(ctx, filter),
      start,
      limit: int(limit),
      bound: int(bound),
      space: spaceParameter(ctx),
    },
  )
  return row && reachedOf(ctx, row)
}

type ReachedRow = {
  cut: boolean
  reached: [memory: MemoryColumns, edge: EdgeColumns, score: number, depth: number][]
}

const reachedOf = (ctx: Context, { cut, reached }: ReachedRow) => ({
  cut,
  reached: reached.map(([memory, edge, score, depth]) => ({
    memory: memoryOf(ctx, memory),
    edge: edgeOf(edge),
    score,
    depth,
  })),
})

/** Memories with the connections by which a walk reached them, in no order. What was removed since is left out. */
export async function getArrivals(
  ctx: Context,
  arrivals: readonly { id: string; edge: string }[],
): Promise<Map<string, { memory: Memory; edge: GraphEdge }>> {
  const rows = await read<{ memory: MemoryColumns; edge: EdgeColumns }>(
    ctx,
    `UNWIND $arrivals AS arrival
    MATCH (m:Memory {tenant: $tenant, id: arrival.id}) USING INDEX SEEK m:Memory(tenant, id)
    MATCH (source)-[r]->(target) WHERE elementId(r) = arrival.edge AND r.tenant = $tenant AND m IN [source, target]
    RETURN ${memoryColumns('m')} AS memory, ${edgeColumns('r')} AS edge`,
    { arrivals, tenant: ctx.tenant, space: spaceParameter(ctx) },
  )
  return new Map(
    rows.map(({ memory, edge }) => [memory[0], { memory: memoryOf(ctx, memory), edge: edgeOf(edge) }]),
  )
}
