import TinyQueue from 'tinyqueue'
import type { Context } from '../context.ts'
import type { Output, Parsed } from '../contract/index.ts'
import type { Memory } from '../contract/memories.ts'
import { type EdgeFilter, type Step, stepsFrom } from '../store/graph.ts'
import { getMemories } from '../store/memories.ts'
import { notFound } from './memories.ts'

/** How many edges one walk may read; beyond it the answer says that it is truncated. */
const WORK_BOUND = 20_000
/** How many memories are expanded in one round trip. */
const BATCH = 64

/** A way to a memory: how strong the path to it is, how long, and the step that ends it. */
type Arrival = { id: string; score: number; depth: number; step: Step | undefined }

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
  const memories = await getMemories(ctx, [input.id, ...arrivals.map(({ id }) => id)])
  if (!memories.has(input.id)) return notFound(input.id)
  const related = arrivals.flatMap(arrival => relatedItem(arrival, memories))
  return { memory_id: input.id, related, truncated }
}

/** A memory that was removed since the walk passed it is left out. */
function relatedItem({ id, score, depth, step }: Arrival, memories: ReadonlyMap<string, Memory>) {
  const memory = memories.get(id)
  return memory && step ? [{ memory, connection: step.edge, depth, path_score: score }] : []
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
  const steps = new Map<string, Step[]>()
  const nearest = new Map<string, number>()
  const arrivals: Arrival[] = []
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
    if (before === undefined && next.step) arrivals.push(next)
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
    const found = await stepsFrom(ctx, fresh, filter, WORK_BOUND + 1)
    truncated ||= found.length > WORK_BOUND
    for (const id of fresh) steps.set(id, [])
    for (const step of found) steps.get(step.from)?.push(step)
    return found.length
  }

  function arrive(from: Arrival, step: Step) {
    if (step.to === start) return
    queue.push({ id: step.to, score: from.score * step.weight, depth: from.depth + 1, step })
  }
}

const strongestFirst = (a: Arrival, b: Arrival) =>
  b.score - a.score || a.depth - b.depth || (a.id < b.id ? -1 : 1)
