import type { Context } from '../../context.ts'
import type { Parsed } from '../../contract/index.ts'
import type { LeftOut } from '../../contract/maintenance.ts'
import { type Metadata, MOST_KEYS, MOST_TAGS } from '../../contract/values.ts'
import { readLifecycles } from '../../store/lifecycle/due.ts'
import type { LifecycleRow, PlannedChange } from '../../store/lifecycle/figures.ts'
import {
  type Mergeable,
  type NearPair,
  readMergeables,
  readNearPairs,
  readOpposed,
  searchNearPairs,
} from '../../store/lifecycle/matching.ts'
import type { MemoryFilter } from '../../store/memories/filter.ts'
import { fromJson } from '../../store/neo4j/projections.ts'
import { toFilter } from '../memories/filters.ts'
import { changeOf, figuresOf, noticed } from './compute.ts'
import { archiveAs } from './forget.ts'

/** Pairs that are read for one plan. Each memory is in one group at most. */
const PAIRS_A_CHANGE = 20
/** Memories whose near ones are searched for in one statement. */
const SEARCHED_AT_ONCE = 200

type Input = Pick<Parsed<'planMaintenance'>, 'filters' | 'threshold'>

/** `left_out` are near duplicates that stay as they are, and why. */
export type Merge = { changes: PlannedChange[]; left_out: LeftOut[]; truncated: boolean }

/**
 * The changes that merge near duplicates, at most `limit`: each group keeps one memory, which takes over the tags, the metadata
 * and the connections of the others, and the others are archived. Whether there may be more.
 */
export async function mergeDuplicates(
  ctx: Context,
  { filters, threshold }: Input,
  { at, limit }: { at: number; limit: number },
): Promise<Merge> {
  const found = await nearPairs(ctx, toFilter(filters), threshold, limit * PAIRS_A_CHANGE)
  const ids = [...new Set(found.pairs.flatMap(({ one, other }) => [one, other]))]
  const mergeables = await readMergeables(ctx, ids)
  const opposed = new Set((await readOpposed(ctx, ids)).map(({ one, other }) => pairOf(one, other)))
  const groups = groupsOf(mergeables, found.pairs, opposed)
  const rows = new Map((await readLifecycles(ctx, ids)).map(row => [row.id, row]))
  const all = groups.map(group => changesOf(group, rows, at))
  const fitting = all.slice(0, countFitting(all, limit))
  const merged = new Set(fitting.flat().map(({ memory_id }) => memory_id))
  return {
    changes: fitting.flat(),
    left_out: groups.flatMap(({ leftOut }) => leftOut).filter(({ memory_id }) => !merged.has(memory_id)),
    truncated: fitting.length < all.length || !found.complete,
  }
}

/**
 * Pairs of near duplicates: those that discovery connected, and those that a search of the vectors finds for each memory, for
 * half of the time for the request.
 */
async function nearPairs(ctx: Context, filter: MemoryFilter, threshold: number, limit: number) {
  const until = performance.now() + ctx.app.config.requestTimeoutMs / 2
  const pairs = new Map<string, NearPair>()
  const add = (found: readonly NearPair[]) => {
    for (const pair of found) pairs.set(pairOf(pair.one, pair.other), pair)
  }
  add(await readNearPairs(ctx, filter, { threshold, limit }))
  for (let after = ''; pairs.size < limit; ) {
    const { near, last } = await searchNearPairs(ctx, filter, { threshold, after, most: SEARCHED_AT_ONCE })
    add(near)
    if (last === null) return { pairs: [...pairs.values()].sort(byNearness), complete: true }
    if (performance.now() > until) break
    after = last
  }
  return { pairs: [...pairs.values()].sort(byNearness), complete: false }
}

const pairOf = (one: string, other: string) => [one, other].sort().join()

/** Two cosines that differ by a rounding error only are the same: the index sums the products in no fixed order. */
const byNearness = (a: NearPair, b: NearPair) =>
  millionths(b.cosine) - millionths(a.cosine) || (pairOf(a.one, a.other) < pairOf(b.one, b.other) ? -1 : 1)

const millionths = (part: number) => Math.round(part * 1e6)

/** How many groups fit, one at least. */
function countFitting(groups: readonly (readonly PlannedChange[])[], limit: number): number {
  let sum = 0
  const end = groups.findIndex((group, at) => {
    sum += group.length
    return sum > limit && at > 0
  })
  return end < 0 ? groups.length : end
}

type Group = {
  kept: Mergeable
  others: { memory: Mergeable; cosine: number }[]
  given: TagsAndMetadata
  leftOut: LeftOut[]
}

/** Those that are worth most choose first which of their near ones they stand for. */
function groupsOf(
  memories: readonly Mergeable[],
  pairs: readonly NearPair[],
  opposed: ReadonlySet<string>,
): Group[] {
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
    const near = (nearest.get(kept.id) ?? []).flatMap(({ id, cosine }) => {
      const memory = known.get(id)
      return memory && !taken.has(id) && !memory.pinned ? [{ memory, cosine }] : []
    })
    if (near.length === 0) return []
    const group = groupOf(kept, near, opposed)
    if (group.others.length > 0)
      for (const id of [kept.id, ...group.others.map(({ memory }) => memory.id)]) taken.add(id)
    return [group]
  })
}

/**
 * One that would give the kept memory more tags or keys than a memory may have is left out: nothing is cut. So is one that
 * contradicts another of the group, or may.
 */
function groupOf(kept: Mergeable, near: Group['others'], opposed: ReadonlySet<string>): Group {
  const group: Group = { kept, others: [], given: unionOf([kept]), leftOut: [] }
  for (const other of near) {
    const members = [kept, ...group.others.map(({ memory }) => memory)]
    const given = unionOf([...members, other.memory])
    const against = members.find(({ id }) => opposed.has(pairOf(id, other.memory.id)))
    const excess = excessOf(given)
    const fault = against
      ? `but contradicts ${against.id}, or may: review the conflict first`
      : excess && `which would have ${excess}`
    if (fault)
      group.leftOut.push({
        memory_id: other.memory.id,
        reason: `near duplicate of ${kept.id}, ${fault}`,
      })
    else {
      group.others.push(other)
      group.given = given
    }
  }
  return group
}

function excessOf({ tags, metadata }: TagsAndMetadata): string | undefined {
  if (tags.length > MOST_TAGS) return `more than ${MOST_TAGS} tags`
  return Object.keys(metadata).length > MOST_KEYS ? `more than ${MOST_KEYS} metadata keys` : undefined
}

const worthMore = (a: Mergeable, b: Mergeable) =>
  Number(b.pinned) - Number(a.pinned) ||
  b.recallCount - a.recallCount ||
  a.createdAt - b.createdAt ||
  (a.id < b.id ? -1 : 1)

function changesOf(
  { kept, others, given }: Group,
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
  const before = { ...figuresOf(keptRow), given: { tags: kept.tags, metadata: kept.metadata } }
  const after = {
    ...noticed(keptRow, at, figuresOf(keptRow)),
    given: { ...given, metadata: JSON.stringify(given.metadata) },
  }
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

type TagsAndMetadata = { tags: string[]; metadata: Metadata }

/** The tags and metadata of all; of two values of a key, that of the first. */
const unionOf = (memories: readonly Mergeable[]): TagsAndMetadata => ({
  tags: [...new Set(memories.flatMap(({ tags }) => tags))],
  metadata: Object.assign({}, ...memories.toReversed().map(({ metadata }) => fromJson(metadata))),
})
