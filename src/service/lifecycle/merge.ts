import type { Context } from '../../context.ts'
import type { Parsed } from '../../contract/index.ts'
import { readLifecycles } from '../../store/lifecycle/due.ts'
import type { LifecycleRow, PlannedChange } from '../../store/lifecycle/figures.ts'
import {
  type Mergeable,
  type NearPair,
  readMergeables,
  readNearPairs,
} from '../../store/lifecycle/matching.ts'
import { fromJson } from '../../store/neo4j/projections.ts'
import { changeOf, figuresOf, noticed } from './compute.ts'
import { archiveAs, plannedFilter } from './forget.ts'

const MOST_TAGS = 50
const MOST_KEYS = 32
/** Pairs that are read for one plan. Each memory is in one group at most. */
const PAIRS_A_CHANGE = 20

type Input = Pick<Parsed<'planMaintenance'>, 'filters' | 'threshold'>

/**
 * The changes that merge near duplicates, at most `limit`: each group keeps one memory, which takes over the tags, the metadata
 * and the connections of the others, and the others are archived. Whether there are more.
 */
export async function mergeDuplicates(
  ctx: Context,
  { filters = { tags_match: 'all' }, threshold }: Input,
  { at, limit }: { at: number; limit: number },
): Promise<{ changes: PlannedChange[]; truncated: boolean }> {
  const most = limit * PAIRS_A_CHANGE
  const pairs = await readNearPairs(ctx, plannedFilter(filters), { threshold, limit: most })
  const ids = [...new Set(pairs.flatMap(({ one, other }) => [one, other]))]
  const mergeables = await readMergeables(ctx, ids)
  const groups = groupsOf(mergeables, pairs)
  const rows = new Map((await readLifecycles(ctx, ids)).map(row => [row.id, row]))
  const all = groups.map(group => changesOf(group, rows, at))
  const fitting = all.slice(0, countFitting(all, limit))
  return { changes: fitting.flat(), truncated: fitting.length < all.length || pairs.length === most }
}

/** How many groups fit, one at least. */
function countFitting(groups: readonly (readonly PlannedChange[])[], limit: number): number {
  let sum = 0
  const end = groups.findIndex((group, at) => {
    sum += group.length
    return sum > limit && at > 0
  })
  return end < 0 ? groups.length : end
}

type Group = { kept: Mergeable; others: { memory: Mergeable; cosine: number }[] }

/** Those that are worth most choose first which of their near ones they stand for. */
function groupsOf(memories: readonly Mergeable[], pairs: readonly NearPair[]): Group[] {
  const known = new Map(memories.map(memory => [memory.id, memory]))
  const nearest = new Map<string, { id: string; cosine: number }[]>()
  for (const { one, other, cosine } of pairs)
    for (const [from, to] of [
      [one, other],
      [other, one],
    ] as const)
      nearest
        .set(from, nearest.get(from) ?? [])
        .get(from)
        ?.push({ id: to, cosine })
  const taken = new Set<string>()
  return memories.toSorted(worthMore).flatMap(kept => {
    if (taken.has(kept.id)) return []
    const others = (nearest.get(kept.id) ?? []).flatMap(({ id, cosine }) => {
      const memory = known.get(id)
      return memory && !taken.has(id) && !memory.pinned ? [{ memory, cosine }] : []
    })
    if (others.length === 0) return []
    for (const id of [kept.id, ...others.map(({ memory }) => memory.id)]) taken.add(id)
    return [{ kept, others }]
  })
}

const worthMore = (a: Mergeable, b: Mergeable) =>
  Number(b.pinned) - Number(a.pinned) ||
  b.recallCount - a.recallCount ||
  a.createdAt - b.createdAt ||
  (a.id < b.id ? -1 : 1)

function changesOf(
  { kept, others }: Group,
  rows: ReadonlyMap<string, LifecycleRow>,
  at: number,
): PlannedChange[] {
  const keptRow = rows.get(kept.id)
  const merged = others.flatMap(({ memory, cosine }) => {
    const row = rows.get(memory.id)
    const reason = `near duplicate of ${kept.id}, cosine ${cosine.toFixed(3)}`
    return row ? [archiveAs(row, at, { archivedReason: 'merged', reason, rule: 'merge.threshold' })] : []
  })
  if (!keptRow || merged.length === 0) return []
  const all = [kept, ...others.map(({ memory }) => memory)]
  const before = { ...figuresOf(keptRow), given: { tags: kept.tags, metadata: kept.metadata } }
  const after = { ...noticed(keptRow, at, figuresOf(keptRow)), given: unionOf(all) }
  const why = `kept as the ${whyKept(kept, others)}; takes over from ${merged.length}`
  const change = changeOf(keptRow, 'merge', why, 'merge.threshold', after)
  return [{ ...change, before, mergedIds: merged.map(({ memory_id }) => memory_id) }, ...merged]
}

function whyKept(kept: Mergeable, others: Group['others']): string {
  if (kept.pinned) return 'pinned one'
  return others.some(({ memory }) => memory.recallCount < kept.recallCount)
    ? 'most recalled one'
    : 'oldest one'
}

/** The tags and metadata of all, those of the first before the others, as many as one memory may have. */
function unionOf(memories: readonly Mergeable[]) {
  const tags = [...new Set(memories.flatMap(memory => memory.tags))].slice(0, MOST_TAGS)
  const union = new Map<string, unknown>()
  for (const [key, value] of memories.flatMap(({ metadata }) => Object.entries(fromJson(metadata))))
    if (!union.has(key) && union.size < MOST_KEYS) union.set(key, value)
  return { tags, metadata: JSON.stringify(Object.fromEntries(union)) }
}
