import TinyQueue from 'tinyqueue'
import type { Context } from '../../context.ts'
import type { Output, Parsed } from '../../contract/index.ts'
import type { Memory } from '../../contract/memory.ts'
import { invalid } from '../../contract/problems.ts'
import type { EdgeFilter, Step } from '../../store/graph/crossings.ts'
import { stepsFrom } from '../../store/graph/walk.ts'
import type { MemoryFilter } from '../../store/memories/filter.ts'
import { memoriesAt } from '../memories/as-of.ts'
import { toFilter } from '../memories/filters.ts'
import { notFound } from '../memories/memories.ts'
import { isShown } from './shown.ts'

const NOTHING = { steps: [], truncated: false }

/** How many edges are read from each side. */
const WORK_BOUND = 20_000
/** How many partial paths are extended: the process does nothing else in the meantime. */
const GROWTH_BOUND = 50_000

/** `bound` and `length` are the best score and the fewest steps with which it can arrive; `key` orders equals. */
type Path = { steps: Step[]; end: string; key: string; score: number; bound: number; length: number }
type Query = Parsed<'findPath'>

export async function findPath(ctx: Context, input: Query): Promise<Output<'findPath'>> {
  const { source_id: source, target_id: target } = input
  if (source === target)
    throw invalid('/target_id', 'connects_to_itself', 'must be another memory than `source_id`')
  const filter = toFilter(input)
  const ends = await memoriesAt(ctx, [source, target], filter.asOf)
  const start = ends.get(source) ?? notFound(source)
  if (!ends.has(target)) return notFound(target)
  // A walk of today tests its start itself.
  const starts = filter.asOf === undefined || isShown(start, { includeArchived: false }, filter.asOf)
  const { steps, truncated: cut } = starts ? await readBetween(ctx, input, filter) : NOTHING
  const { paths, truncated } = bestPaths(steps, input)
  const memories = await memoriesAt(
    ctx,
    [...new Set(paths.flatMap(path => memoriesOn(source, path)))],
    filter.asOf,
  )
  return {
    source_id: source,
    target_id: target,
    paths: paths.flatMap(path => toPath(source, path, memories)),
    truncated: cut || truncated,
  }
}

/** Omits a path if one of its memories has been removed since the path was read. */
function toPath(source: string, path: Path, memories: ReadonlyMap<string, Memory>) {
  const onTheWay = memoriesOn(source, path).flatMap(id => memories.get(id) ?? [])
  if (onTheWay.length !== path.steps.length + 1) return []
  const connections = path.steps.map(({ edge }) => edge)
  return [{ score: path.score, length: connections.length, memories: onTheWay, connections }]
}

const memoriesOn = (source: string, { steps }: Path) => [source, ...steps.map(({ to }) => to)]

/**
 * Every edge that can lie on a path of at most `max_depth`: half of the way is read from the source forward, the
 * other half from the target backward.
 */
async function readBetween(ctx: Context, input: Query, memories: MemoryFilter) {
  const filter: EdgeFilter = {
    types: input.relationship_types,
    direction: input.direction,
    minStrength: undefined,
    includeArchived: false,
    memories,
    ends: [input.source_id, input.target_id],
  }
  const opposite = { out: 'in', in: 'out', both: 'both' } as const
  const [forward, backward] = await Promise.all([
    spread(ctx, input.source_id, filter, Math.ceil(input.max_depth / 2)),
    spread(
      ctx,
      input.target_id,
      { ...filter, direction: opposite[input.direction] },
      Math.floor(input.max_depth / 2),
    ),
  ])
  const turned = backward.steps.map(step => ({ ...step, from: step.to, to: step.from }))
  const unique = new Map(
    [...forward.steps, ...turned].map(step => [
      `${step.from} ${step.to} ${step.edge.relationship_type} ${step.edge.source_id}`,
      step,
    ]),
  )
  return { steps: [...unique.values()], truncated: forward.truncated || backward.truncated }
}

/** The edges within `levels` of a memory, level by level. */
async function spread(ctx: Context, start: string, filter: EdgeFilter, levels: number) {
  const seen = new Set([start])
  const steps: Step[] = []
  let truncated = false
  let frontier = [start]
  for (let level = 0; level < levels && frontier.length > 0; level++) {
    const { steps: found, lost } = await stepsFrom(ctx, frontier, filter, WORK_BOUND - steps.length + 1)
    steps.push(...found)
    truncated ||= lost
    if (steps.length > WORK_BOUND) return { steps, truncated: true }
    frontier = [...new Set(found.map(({ to }) => to))].filter(id => !seen.has(id))
    for (const id of frontier) seen.add(id)
  }
  return { steps, truncated }
}

/**
 * The strongest simple paths, best first (A*: a partial path hopes for the strongest and for the shortest way on from
 * its end, which no path from there can beat, so that the first ones to arrive are the best). Of the steps that leave a
 * memory those that arrive soonest stand first, so that only few are looked at and not taken.
 */
function bestPaths(steps: readonly Step[], { source_id, target_id, max_depth, limit }: Query) {
  const arriving = Map.groupBy(steps, ({ to }) => to)
  const bounds = strongestWays(arriving, target_id)
  const fewest = fewestSteps(arriving, target_id)
  const left = ({ to }: Step) => fewest.get(to) ?? max_depth
  const leaving = Map.groupBy(
    steps.toSorted((a, b) => left(a) - left(b)),
    ({ from }) => from,
  )
  const start = { steps: [], end: source_id, key: '', score: 1, bound: 1, length: 0 }
  const queue = new TinyQueue<Path>([start], highestBound)
  const paths: Path[] = []
  for (let grown = 0; paths.length < limit; ) {
    const path = queue.pop()
    if (!path) break
    if (grown > GROWTH_BOUND) return { paths, truncated: true }
    if (path.end === target_id) paths.push(path)
    else grown += grow(path)
  }
  return { paths, truncated: false }

  /** Returns how many paths it made: one for each step that does not return and can arrive in time. */
  function grow(path: Path): number {
    let made = 0
    for (const step of leaving.get(path.end) ?? []) {
      const length = path.steps.length + 1 + left(step)
      if (length > max_depth) break
      if (step.to === source_id || path.steps.some(({ to }) => to === step.to)) continue
      const score = path.score * step.weight
      const bound = score * (bounds.get(step.to) ?? 0)
      const key = `${path.key},${step.to}`
      queue.push({ steps: [...path.steps, step], end: step.to, key, score, bound, length })
      made++
    }
    return made
  }
}

type Arriving = ReadonlyMap<string, readonly Step[]>

/** From each memory the product of strengths along its strongest way to the target (Dijkstra, backward). */
function strongestWays(arriving: Arriving, target: string): Map<string, number> {
  const best = new Map<string, number>()
  const queue = new TinyQueue([{ id: target, score: 1 }], (a, b) => b.score - a.score)
  for (let next = queue.pop(); next; next = queue.pop()) {
    if (best.has(next.id)) continue
    best.set(next.id, next.score)
    for (const { from, weight } of arriving.get(next.id) ?? [])
      if (!best.has(from)) queue.push({ id: from, score: next.score * weight })
  }
  return best
}

/** From each memory the steps of its shortest way to the target. The loop goes on over what it adds. */
function fewestSteps(arriving: Arriving, target: string): Map<string, number> {
  const fewest = new Map([[target, 0]])
  for (const [id, count] of fewest)
    for (const { from } of arriving.get(id) ?? []) if (!fewest.has(from)) fewest.set(from, count + 1)
  return fewest
}

const highestBound = (a: Path, b: Path) =>
  b.bound - a.bound || a.length - b.length || (a.key < b.key ? -1 : 1)
