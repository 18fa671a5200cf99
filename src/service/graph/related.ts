import TinyQueue from 'tinyqueue'
import type { Context } from '../../context.ts'
import type { GraphEdge } from '../../contract/graph.ts'
import type { Output, Parsed } from '../../contract/index.ts'
import type { EdgeFilter } from '../../store/graph/crossings.ts'
import {
  getArrivals,
  type LeanStep,
  leanStepsFrom,
  type Reached,
  stepsFrom,
  strongestNeighbours,
  strongestReached,
} from '../../store/graph/walk.ts'
import type { Handler } from '../handler.ts'
import { memoriesAt } from '../memories/as-of.ts'
import { toFilter } from '../memories/filters.ts'
import { notFound } from '../memories/memories.ts'

/** How many edges one walk may read; beyond it the answer says that it is truncated. */
const WORK_BOUND = 20_000
/**
 * How strong paths are looked for at once, and the number of paths beyond which the walk goes from memory to memory. Each
 * floor lets through about twice as many paths as the one before: a larger step would often pass the bound at once.
 */
const NEAR = { floors: [0.9, 0.75, 0.6, 0.45, 0.3, 0.1, 0.05, 0.02, 0.005, 0], bound: 1_000 }

/** A way to a memory: how strong the path to it is, how long, and the step that ends it. */
type Way = { id: string; score: number; depth: number; step: LeanStep | undefined }

type Bounds = { readonly depth: number; readonly limit: number }

type Arrival = { id: string; edge: string; score: number; depth: number }

type Walked = { reached: Reached[]; truncated: boolean }

/** What a walk over memories reads: the present, or what stood at a time. */
type Reader = {
  steps: (ids: readonly string[], bound: number) => ReturnType<typeof leanStepsFrom>
  arrivals: (arrivals: readonly Arrival[]) => ReturnType<typeof getArrivals>
}

const readerOf = (ctx: Context, filter: EdgeFilter): Reader => ({
  steps: (ids, bound) => leanStepsFrom(ctx, ids, filter, bound),
  arrivals: arrivals => getArrivals(ctx, arrivals),
})

function pastReaderOf(ctx: Context, filter: EdgeFilter, asOf: number): Reader {
  const edges = new Map<string, GraphEdge>()
  return {
    async steps(ids, bound) {
      const { steps, lost } = await stepsFrom(ctx, ids, filter, bound + 1)
      const lean = steps.map(({ from, to, weight, edge }) => {
        const name = `${edge.source_id} ${edge.relationship_type} ${edge.target_id}`
        edges.set(name, edge)
        return { from, to, weight, edge: name }
      })
      return { from: Map.groupBy(lean, ({ from }) => from), cut: lost || steps.length > bound }
    },
    async arrivals(arrivals) {
      const memories = await memoriesAt(
        ctx,
        arrivals.map(({ id }) => id),
        asOf,
      )
      return new Map(
        arrivals.flatMap(({ id, edge: name }) => {
          const [memory, edge] = [memories.get(id), edges.get(name)]
          return memory && edge ? [[id, { memory, edge }] as const] : []
        }),
      )
    },
  }
}

export const relatedMemories: Handler<'relatedMemories'> = async (ctx, input) => {
  const filter: EdgeFilter = {
    types: input.relationship_types,
    direction: input.direction,
    minStrength: input.min_strength,
    includeArchived: input.include_archived,
    memories: toFilter(input),
  }
  if (filter.memories.asOf !== undefined) return relatedAsOf(ctx, filter, filter.memories.asOf, input)
  const near =
    input.depth === 1
      ? await strongestNeighbours(ctx, input.id, filter, { limit: input.limit, bound: WORK_BOUND })
      : await strongestReached(ctx, input.id, filter, { ...NEAR, ...input })
  if (!near) return notFound(input.id)
  return toAnswer(
    input.id,
    near.cut
      ? await farReached(readerOf(ctx, filter), input.id, input)
      : { reached: near.reached, truncated: false },
  )
}

/** As of a time the walk goes over memories at any depth. */
async function relatedAsOf(
  ctx: Context,
  filter: EdgeFilter,
  asOf: number,
  input: Parsed<'relatedMemories'>,
): Promise<Output<'relatedMemories'>> {
  if (!(await memoriesAt(ctx, [input.id], asOf)).has(input.id)) return notFound(input.id)
  return toAnswer(input.id, await farReached(pastReaderOf(ctx, filter, asOf), input.id, input))
}

function toAnswer(id: string, { reached, truncated }: Walked): Output<'relatedMemories'> {
  const related = reached.map(({ memory, edge, depth, score }) => ({
    memory,
    connection: edge,
    depth,
    path_score: score,
  }))
  return { memory_id: id, related, truncated }
}

/** The same where there are too many paths to look at each: the walk weighs memories. */
async function farReached(reader: Reader, start: string, bounds: Bounds): Promise<Walked> {
  const { arrivals, truncated } = await walk(reader, start, bounds)
  const found = await reader.arrivals(arrivals)
  const reached = arrivals.flatMap(({ id, score, depth }) => {
    const arrival = found.get(id)
    return arrival ? [{ ...arrival, score, depth }] : []
  })
  return { reached, truncated }
}

/**
 * Walks what is known, reads what was missing on the way, all of it in one round trip, and walks again: what is still
 * missing afterwards lies one step farther, so that there are no more round trips than steps.
 */
async function walk(
  reader: Reader,
  start: string,
  bounds: Bounds,
): Promise<{ arrivals: Arrival[]; truncated: boolean }> {
  const steps = new Map<string, LeanStep[]>()
  let left = WORK_BOUND
  let truncated = false
  for (;;) {
    const { arrivals, unread } = strongestArrivals(start, steps, bounds)
    if (unread.length === 0 || left <= 0) return { arrivals, truncated: truncated || unread.length > 0 }
    const { from, cut } = await reader.steps(unread, left)
    truncated ||= cut
    for (const id of unread) steps.set(id, from.get(id) ?? [])
    for (const found of from.values()) left -= found.length
  }
}

/**
 * Best first: a path only gets weaker as it grows, so the first arrival at a memory is by its strongest path, and the
 * first `limit` arrivals are the answer. A later arrival by fewer steps is walked on from, as it may reach further.
 * `unread` are those that were walked over with their own steps not known: they end their paths.
 */
function strongestArrivals(
  start: string,
  steps: ReadonlyMap<string, readonly LeanStep[]>,
  { depth: deepest, limit }: Bounds,
) {
  const queue = new TinyQueue<Way>([{ id: start, score: 1, depth: 0, step: undefined }], strongestFirst)
  const nearest = new Map<string, number>()
  const arrivals: Arrival[] = []
  const unread: string[] = []
  while (arrivals.length < limit) {
    const next = queue.pop()
    if (!next) break
    const { id, score, depth, step } = next
    const before = nearest.get(id)
    if (before !== undefined && before <= depth) continue
    nearest.set(id, depth)
    if (before === undefined && step) arrivals.push({ id, edge: step.edge, score, depth })
    if (depth === deepest) continue
    const onward = steps.get(id)
    if (!onward) unread.push(id)
    for (const way of onward ?? []) if (way.to !== start) queue.push(after(next, way))
  }
  return { arrivals, unread: [...new Set(unread)] }
}

const after = ({ score, depth }: Way, step: LeanStep): Way => ({
  id: step.to,
  score: score * step.weight,
  depth: depth + 1,
  step,
})

const strongestFirst = (a: Way, b: Way) => b.score - a.score || a.depth - b.depth || (a.id < b.id ? -1 : 1)
