import type { z } from 'zod'
import type { Context } from '../../context.ts'
import type { RelationshipType } from '../../contract/connections.ts'
import type { GraphEdge } from '../../contract/graph.ts'
import { type connectionsInput, subgraphInput } from '../../contract/graphql.ts'
import type { Memory } from '../../contract/memory.ts'
import type { EdgeFilter, Step } from '../../store/graph/crossings.ts'
import { stepsFrom, strongestStepsFrom } from '../../store/graph/walk.ts'
import { ownerIn, partOf, partsOf } from '../access/private.ts'
import { check, invoke } from '../index.ts'
import { memoriesAt } from '../memories/as-of.ts'
import { toFilter } from '../memories/filters.ts'
import { type ArchivedShown, isShown } from './shown.ts'

export type Subgraph = {
  nodes: { id: string; depth: number; owner: string | null }[]
  edges: GraphEdge[]
  truncated: boolean
}

/** How many edges one question may read. */
const WORK_BOUND = 20_000
/** How many edges are shown for each memory that may be shown. */
export const EDGES_A_MEMORY = 30

/** The surroundings of some memories: the nearest first, then those connected most strongly. */
export async function subgraph(ctx: Context, raw: unknown, shown: ArchivedShown): Promise<Subgraph> {
  const input = check(subgraphInput, raw)
  const filter = {
    ...filterOf('both', input.relationship_types, input.min_strength, shown),
    memories: toFilter(input),
  }
  const starts = await startingMemories(ctx, input, shown)
  const parts = await Promise.all(starts.map(({ part, from }) => walk(part, from, filter, input)))
  const reached = parts.flatMap(({ depths }, at) => [...depths].map(([id, depth]) => ({ id, depth, at })))
  const nodes = reached.toSorted((a, b) => a.depth - b.depth).slice(0, input.limit)
  const edges = await Promise.all(
    starts.map(({ part }, here) => {
      const ids = nodes.flatMap(({ id, at }) => (at === here ? [id] : []))
      return edgesAmong(part, new Set(ids), filter, input.limit * EDGES_A_MEMORY)
    }),
  )
  return {
    nodes: nodes.map(({ id, depth, at }) => ({ id, depth, owner: ownerIn(starts[at]?.part ?? ctx) })),
    edges: edges
      .flatMap(each => each.shown)
      .sort(strongestFirst)
      .slice(0, input.limit * EDGES_A_MEMORY)
      .map(({ edge }) => edge),
    truncated: nodes.length < reached.length || [...parts, ...edges].some(({ cut }) => cut),
  }
}

/** How far from the startingMemories each memory is, in the order in which they are reached. */
async function walk(
  ctx: Context,
  from: readonly string[],
  filter: EdgeFilter,
  { depth: most, limit: count }: z.output<typeof subgraphInput>,
) {
  let frontier = from.slice(0, count)
  let cut = frontier.length < from.length
  const depths = new Map(frontier.map(each => [each, 0]))
  for (let depth = 1; depth <= most && frontier.length > 0; depth++) {
    const { steps, lost } = await stepsFrom(ctx, frontier, filter, WORK_BOUND + 1)
    const found = [...new Set(steps.toSorted(strongestFirst).map(({ to }) => to))].filter(
      to => !depths.has(to),
    )
    frontier = found.slice(0, count - depths.size)
    cut ||= lost || steps.length > WORK_BOUND || frontier.length < found.length
    for (const each of frontier) depths.set(each, depth)
  }
  return { depths, cut }
}

async function edgesAmong(ctx: Context, ids: ReadonlySet<string>, filter: EdgeFilter, most: number) {
  if (ids.size === 0) return { shown: [], cut: false }
  const { steps, lost } = await stepsFrom(ctx, [...ids], { ...filter, direction: 'out' }, WORK_BOUND + 1)
  const within = steps.filter(({ to }) => ids.has(to)).sort(strongestFirst)
  return {
    shown: within.slice(0, most),
    cut: lost || steps.length > WORK_BOUND || within.length > most,
  }
}

/** The connections of each memory, strongest first, in one read for all. */
export function connectionsOf(
  ctx: Context,
  ids: readonly string[],
  input: z.output<typeof connectionsInput>,
  shown: ArchivedShown,
): Promise<Map<string, Step[]>> {
  const filter = {
    ...filterOf(input.direction, input.types, input.min_strength, shown),
    memories: toFilter({ valid_at: input.valid_at, as_of: input.as_of }),
  }
  return strongestStepsFrom(ctx, [...new Set(ids)], filter, input.limit)
}

/** Where the walk starts, in each tenant that the caller reads. An id stands for the private memory, if there is one. */
async function startingMemories(
  ctx: Context,
  { ids = [], search: asked, as_of }: z.output<typeof subgraphInput>,
  shown: ArchivedShown,
): Promise<{ part: Context; from: string[] }[]> {
  const asOf = as_of === undefined ? undefined : Date.parse(as_of)
  const { results } = asked ? await invoke('searchMemories', ctx, asked) : { results: [] }
  const starts: { part: Context; from: string[] }[] = []
  let left = ids
  for (const [at, part] of [...partsOf(ctx).entries()].reverse()) {
    const named = left.length === 0 ? new Map<string, Memory>() : await memoriesAt(part, left, asOf)
    const living = left.filter(each => {
      const memory = named.get(each)
      return memory && isShown(memory, shown, asOf)
    })
    const hits = results.flatMap(({ memory }) => (partOf(ctx, memory) === at ? [memory.id] : []))
    starts.push({ part, from: [...new Set([...living, ...hits])] })
    left = left.filter(each => !named.has(each))
  }
  return starts
}

const filterOf = (
  direction: EdgeFilter['direction'],
  types: readonly RelationshipType[] | undefined,
  minStrength: number | undefined,
  { includeArchived }: ArchivedShown,
): EdgeFilter => ({
  direction,
  types,
  minStrength,
  includeArchived,
  memories: toFilter(),
})

const strongestFirst = (a: Step, b: Step) =>
  b.weight - a.weight || (orderKey(a) < orderKey(b) ? -1 : orderKey(a) > orderKey(b) ? 1 : 0)

const orderKey = ({ to, edge }: Step) => `${to} ${edge.relationship_type} ${edge.source_id}`
