import TinyQueue from 'tinyqueue'
import type { Context } from '../context.ts'
import type { Output, Parsed } from '../contract/index.ts'
import {
  type EdgeFilter,
  getArrivals,
  type LeanStep,
  leanStepsAround,
  leanStepsFrom,
} from '../store/graph.ts'
import { notFound } from './memories.ts'

/** How many edges one walk may read; beyond it the answer says that it is truncated. */
const WORK_BOUND = 20_000
/** How many memories are expanded in one round trip. */
const BATCH = 128
/** What the first round trip reads of the surroundings, and the edges beyond which it was for nothing. */
const FIRST = { hops: 3, most: 64, edges: 2_000 }

/** A way to a memory: how strong the path to it is, how long, and the step that ends it. */
type Arrival = { id: string; score: number; depth: number; step: LeanStep | undefined }

export async function relatedMemories(
  ctx: Context,
  input: Parsed<'relatedMemories'>,
): Promise<Output<'relatedMemories'>> {
  const filter: EdgeFilter = {
    types: input.relationship_types,
    direction: input.direction,
    minStrength: input.min_strength,
    includeArchived: input.include_archived,
    fromAnywhere: true,
  }
  const { arrivals, truncated } = await walk(ctx, input.id, filter, input)
  const reached = await getArrivals(ctx, arrivals)
  const related = arrivals.flatMap(({ id, score, depth }) => {
    const { memory, edge } = reached.get(id) ?? {}
    return memory && edge ? [{ memory, connection: edge, depth, path_score: score }] : []
  })
  return { memory_id: input.id, related, truncated }
}

/**
 * Best first: a path only gets weaker as it grows, so the first arrival at a memory is by its strongest path, and the
 * first `limit` arrivals are the answer. A later arrival by fewer steps is walked on from, as it may reach further.
 */
async function walk(
  ctx: Context,
  start: string,
  filter: EdgeFilter,
  { depth: deepest, limit }: { depth: number; limit: number },
) {
  const queue = new TinyQueue<Arrival>([{ id: start, score: 1, depth: 0, step: undefined }], strongestFirst)
  const steps = await firstSteps(ctx, start, filter, deepest)
  const nearest = new Map<string, number>()
  const arrivals: { id: string; edge: string; score: number; depth: number }[] = []
  let read = 0
  let truncated = false
  while (arrivals.length < limit) {
    const next = queue.peek()
    if (!next) break
    if (isUnread(next)) {
      if (read >= WORK_BOUND) {
        truncated = true
        steps.set(next.id, [])
      } else read += await readSteps([next.id, ...waiting()])
      continue
    }
    queue.pop()
    const before = nearest.get(next.id)
    if (before !== undefined && before <= next.depth) continue
    nearest.set(next.id, next.depth)
    if (before === undefined && next.step)
      arrivals.push({ id: next.id, edge: next.step.edge, score: next.score, depth: next.depth })
    if (next.depth < deepest) for (const step of steps.get(next.id) ?? []) arrive(next, step)
  }
  return { arrivals, truncated }

  function isUnread({ id, depth }: Arrival) {
    return depth < deepest && !steps.has(id)
  }

  function waiting() {
    return queue.data
      .slice(0, BATCH)
      .filter(isUnread)
      .map(({ id }) => id)
  }

  async function readSteps(ids: readonly string[]) {
    const fresh = [...new Set(ids)]
    const found = await leanStepsFrom(ctx, fresh, filter, WORK_BOUND)
    truncated ||= found.cut
    for (const id of fresh) steps.set(id, found.from.get(id) ?? [])
    return fresh.reduce((sum, id) => sum + (steps.get(id)?.length ?? 0), 0)
  }

  function arrive(from: Arrival, step: LeanStep) {
    if (step.to === start) return
    queue.push({ id: step.to, score: from.score * step.weight, depth: from.depth + 1, step })
  }
}

/** What the surroundings of the start hold. Where they hold too much, the walk reads what it needs. */
async function firstSteps(
  ctx: Context,
  start: string,
  filter: EdgeFilter,
  deepest: number,
): Promise<Map<string, LeanStep[]>> {
  const hops = Math.min(deepest - 1, FIRST.hops)
  const { from, cut } = await (hops === 0
    ? leanStepsFrom(ctx, [start], filter, FIRST.edges)
    : leanStepsAround(ctx, start, { hops, most: FIRST.most }, filter, FIRST.edges))
  if (from.size === 0) return notFound(start)
  return cut ? new Map() : from
}

const strongestFirst = (a: Arrival, b: Arrival) =>
  b.score - a.score || a.depth - b.depth || (a.id < b.id ? -1 : 1)
