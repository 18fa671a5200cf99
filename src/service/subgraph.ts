import { z } from 'zod'
import type { Context } from '../context.ts'
import { type RelationshipType, relationshipType } from '../contract/connections.ts'
import type { Edge } from '../contract/graph.ts'
import { fraction, id, limit, query } from '../contract/values.ts'
import { type EdgeFilter, type Step, stepsFrom, strongestStepsFrom } from '../store/graph.ts'
import { getMemories } from '../store/memories.ts'
import { check, invoke } from './index.ts'

const search = z.strictObject({
  query,
  search_type: z.enum(['semantic', 'keyword', 'hybrid']),
  limit: limit(10, 50),
})

export const subgraphInput = z.strictObject({
  ids: z.array(id).min(1).max(50).optional(),
  search: search.optional(),
  depth: z.int().min(1).max(5).default(1),
  limit: limit(100, 500),
  relationship_types: z.array(relationshipType).min(1).optional(),
  min_strength: fraction.optional(),
})

export const connectionsInput = z.strictObject({
  direction: z.enum(['out', 'in', 'both']).default('both'),
  types: z.array(relationshipType).min(1).optional(),
  min_strength: fraction.optional(),
  limit: limit(20, 100),
})

export type Subgraph = { nodes: { id: string; depth: number }[]; edges: Edge[]; truncated: boolean }

/** How many edges one question may read. */
const WORK_BOUND = 20_000

type Shown = { includeArchived: boolean }

/** The surroundings of some memories: the nearest first, then those connected most strongly. */
export async function subgraph(ctx: Context, raw: unknown, shown: Shown): Promise<Subgraph> {
  const input = check(subgraphInput, raw)
  const filter = filterOf('both', input.relationship_types, input.min_strength, shown)
  const depths = new Map<string, number>()
  let frontier = (await beginnings(ctx, input, shown)).slice(0, input.limit)
  let truncated = false
  for (const each of frontier) depths.set(each, 0)
  for (let depth = 1; depth <= input.depth && frontier.length > 0; depth++) {
    const steps = await stepsFrom(ctx, frontier, filter, WORK_BOUND + 1)
    const found = [...new Set(steps.toSorted(strongestFirst).map(({ to }) => to))].filter(
      to => !depths.has(to),
    )
    frontier = found.slice(0, input.limit - depths.size)
    truncated ||= steps.length > WORK_BOUND || frontier.length < found.length
    for (const each of frontier) depths.set(each, depth)
  }
  const within = await stepsFrom(ctx, [...depths.keys()], { ...filter, direction: 'out' }, WORK_BOUND + 1)
  return {
    nodes: [...depths].map(([each, depth]) => ({ id: each, depth })),
    edges: within
      .filter(({ to }) => depths.has(to))
      .sort(strongestFirst)
      .map(({ edge }) => edge),
    truncated: truncated || within.length > WORK_BOUND,
  }
}

/** The connections of each memory, strongest first, in one read for all. */
export function connectionsOf(
  ctx: Context,
  ids: readonly string[],
  input: z.output<typeof connectionsInput>,
  shown: Shown,
): Promise<Map<string, Step[]>> {
  const filter = filterOf(input.direction, input.types, input.min_strength, shown)
  return strongestStepsFrom(ctx, [...new Set(ids)], filter, input.limit)
}

async function beginnings(
  ctx: Context,
  { ids, search: asked }: z.output<typeof subgraphInput>,
  { includeArchived }: Shown,
): Promise<string[]> {
  const named = ids ? await getMemories(ctx, ids) : new Map()
  const living = (ids ?? []).filter(each => {
    const memory = named.get(each)
    if (memory?.state === 'archived') return includeArchived
    return memory && (memory.expires_at === null || Date.parse(memory.expires_at) > Date.now())
  })
  const { results } = asked ? await invoke('searchMemories', ctx, asked) : { results: [] }
  return [...new Set([...living, ...results.map(({ memory }) => memory.id)])]
}

const filterOf = (
  direction: EdgeFilter['direction'],
  types: readonly RelationshipType[] | undefined,
  minStrength: number | undefined,
  { includeArchived }: Shown,
): EdgeFilter => ({ direction, types, minStrength, includeArchived, fromAnywhere: true })

const strongestFirst = (a: Step, b: Step) =>
  b.weight - a.weight || (orderKey(a) < orderKey(b) ? -1 : orderKey(a) > orderKey(b) ? 1 : 0)

const orderKey = ({ to, edge }: Step) => `${to} ${edge.relationship_type} ${edge.source_id}`
