import type { Context } from '../../context.ts'
import type { Parsed } from '../../contract/index.ts'
import type { LeftOut } from '../../contract/maintenance.ts'
import { type Metadata, MOST_KEYS, MOST_TAGS } from '../../contract/values.ts'
import { readLifecycles } from '../../store/lifecycle/due.ts'
import type { LifecycleRow, PlannedChange } from '../../store/lifecycle/figures.ts'
import {
  type Mergeable,
  type NearPair,
  nearOf,
  readMergeables,
  readOpposed,
  readWithVectors,
} from '../../store/lifecycle/matching.ts'
import type { MemoryFilter } from '../../store/memories/filter.ts'
import { byKeeping, holdsAlike, type Keeping, whyKept } from '../../store/memories/keeper.ts'
import { fromJson } from '../../store/neo4j/projections.ts'
import { toFilter } from '../memories/filters.ts'
import { changeOf, figuresOf, noticed } from './compute.ts'
import { archiveAs } from './forget.ts'
import { type PolicyInForce, policyFor } from './policies.ts'

/** Memories whose near ones are searched for in one statement. */
const SEARCHED_AT_ONCE = 200

type Input = Pick<Parsed<'planMaintenance'>, 'filters' | 'threshold'>

/**
 * `left_out` are near duplicates that stay as they are, and why. `next` is behind which memory the search continues; null if
 * it has looked at all.
 */
export type Merge = { changes: PlannedChange[]; left_out: LeftOut[]; next: string | null }

type Bounds = { at: number; limit: number; after: string; policies: ReadonlyMap<string, PolicyInForce> }

/**
 * The changes that merge near duplicates, at most `limit`: each group keeps one memory, which takes over the tags, the metadata
 * and the connections of the others, and the others are archived.
 */
export async function mergeDuplicates(
  ctx: Context,
  { filters, threshold }: Input,
  { at, limit, after, policies }: Bounds,
): Promise<Merge> {
  const found = await nearPairs(ctx, toFilter(filters), threshold, { after, limit })
  const ids = idsOf(found.pairs)
  const mergeables = await readMergeables(ctx, ids)
  const opposed = new Set((await readOpposed(ctx, ids)).map(({ one, other }) => pairOf(one, other)))
  const nearest = nearestOf(found.pairs)
  const keeping = keepingOf(mergeables, nearest, { at, policies })
  const groups = groupsOf(mergeables, nearest, { opposed, keeping })
  const fitting = groups.slice(0, countFitting(groups, limit))
  const members = fitting.flatMap(({ kept, others }) => [kept.id, ...others.map(({ memory }) => memory.id)])
  const rows = new Map((await readLifecycles(ctx, members)).map(row => [row.id, row]))
  const changes = fitting.flatMap(group => changesOf(group, rows, keeping))
  const merged = new Set(changes.map(({ memory_id }) => memory_id))
  return {
    changes,
    left_out: groups.flatMap(({ leftOut }) => leftOut).filter(({ memory_id }) => !merged.has(memory_id)),
    // Groups that do not fit are found again once these are applied.
    next: fitting.length < groups.length ? after : found.next,
  }
}

const idsOf = (pairs: readonly NearPair[]) => [...new Set(pairs.flatMap(({ one, other }) => [one, other]))]

/**
 * Pairs of near duplicates that a search of the vectors finds for each memory behind `after`, in the order of their ids: until
 * they are of more memories than one plan holds, or half of the time for the request is over.
 */
async function nearPairs(
  ctx: Context,
  filter: MemoryFilter,
  threshold: number,
  { after, limit }: Pick<Bounds, 'after' | 'limit'>,
) {
  const until = performance.now() + ctx.app.config.requestTimeoutMs / 2
  const pairs = new Map<string, NearPair>()
  let next: string | null = after
  do {
    const page = await readWithVectors(ctx, filter, { after: next, most: SEARCHED_AT_ONCE })
    for (const [one, near] of await nearOf(ctx, page.ids, filter, threshold))
      for (const { id: other, cosine } of near) pairs.set(pairOf(one, other), { one, other, cosine })
    next = page.next
  } while (next !== null && performance.now() < until && idsOf([...pairs.values()]).length < limit)
  return { pairs: [...pairs.values()].sort(byNearness), next }
}

const pairOf = (one: string, other: string) => [one, other].sort().join()

/** Two cosines that differ by a rounding error only are the same: the index sums the products in no fixed order. */
const byNearness = (a: NearPair, b: NearPair) =>
  millionths(b.cosine) - millionths(a.cosine) || (pairOf(a.one, a.other) < pairOf(b.one, b.other) ? -1 : 1)

const millionths = (part: number) => Math.round(part * 1e6)

/** How many groups fit, one at least. */
function countFitting(groups: readonly Group[], limit: number): number {
  let sum = 0
  const end = groups.findIndex(({ others }, at) => {
    sum += others.length === 0 ? 0 : 1 + others.length
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

type Near = ReadonlyMap<string, readonly { id: string; cosine: number }[]>

function nearestOf(pairs: readonly NearPair[]): Near {
  const both = pairs.flatMap(({ one, other, cosine }) => [
    { of: one, id: other, cosine },
    { of: other, id: one, cosine },
  ])
  return Map.groupBy(both, ({ of }) => of)
}

function keepingOf(
  memories: readonly Mergeable[],
  nearest: Near,
  { at, policies }: Pick<Bounds, 'at' | 'policies'>,
): Keeping {
  const known = new Map(memories.map(memory => [memory.id, memory]))
  const common = (id: string) => {
    const near = (nearest.get(id) ?? []).map(other => known.get(other.id)?.policy)
    return near.length > 1 && new Set(near).size === 1 ? near[0] : undefined
  }
  return { now: at, lasts: policy => daysOf(policyFor(policies, policy)), common: ({ id }) => common(id) }
}

/** For how many days a memory lasts that is in full health. */
const daysOf = ({ health_decay, archive_at_health }: PolicyInForce) =>
  archive_at_health === null || health_decay === 0
    ? Number.POSITIVE_INFINITY
    : (100 - archive_at_health) / health_decay

type Judging = { opposed: ReadonlySet<string>; keeping: Keeping }

/** Those that are kept first choose first which of their near ones they stand for. */
function groupsOf(memories: readonly Mergeable[], nearest: Near, { opposed, keeping }: Judging): Group[] {
  const known = new Map(memories.map(memory => [memory.id, memory]))
  const taken = new Set<string>()
  return memories.toSorted(byKeeping(keeping)).flatMap(kept => {
    if (taken.has(kept.id)) return []
    const near = (nearest.get(kept.id) ?? []).flatMap(({ id, cosine }) => {
      const memory = known.get(id)
      return memory && !taken.has(id) && memory.policy !== 'pinned' ? [{ memory, cosine }] : []
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
 * contradicts another of the group, or may, and one that holds at another time.
 */
function groupOf(kept: Mergeable, near: Group['others'], opposed: ReadonlySet<string>): Group {
  const group: Group = { kept, others: [], given: unionOf([kept]), leftOut: [] }
  for (const other of near) {
    const members = [kept, ...group.others.map(({ memory }) => memory)]
    const given = unionOf([...members, other.memory])
    const against = members.find(({ id }) => opposed.has(pairOf(id, other.memory.id)))
    const fault = faultOf(kept, other.memory, { against, given })
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

/** Why a near duplicate stays as it is, if it does. */
function faultOf(
  kept: Mergeable,
  other: Mergeable,
  { against, given }: { against: Mergeable | undefined; given: TagsAndMetadata },
): string | undefined {
  if (!holdsAlike(kept, other)) return 'but holds at another time: review which is right'
  if (against) return `but contradicts ${against.id}, or may: review the conflict first`
  if (given.tags.length > MOST_TAGS) return `which would have more than ${MOST_TAGS} tags`
  const isLong = Object.keys(given.metadata).length > MOST_KEYS
  return isLong ? `which would have more than ${MOST_KEYS} metadata keys` : undefined
}

function changesOf(
  { kept, others, given }: Group,
  rows: ReadonlyMap<string, LifecycleRow>,
  keeping: Keeping,
): PlannedChange[] {
  const { now: at } = keeping
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
  const because = whyKept(
    kept,
    others.map(({ memory }) => memory),
    keeping,
  )
  const why = `kept as the ${because}; takes over from ${merged.length}`
  const change = changeOf(keptRow, 'merge', why, 'merge.threshold', after)
  return [{ ...change, before, mergedIds: merged.map(({ memory_id }) => memory_id) }, ...merged]
}

type TagsAndMetadata = { tags: string[]; metadata: Metadata }

/** The tags and metadata of all; of two values of a key, that of the first. */
const unionOf = (memories: readonly Mergeable[]): TagsAndMetadata => ({
  tags: [...new Set(memories.flatMap(({ tags }) => tags))],
  metadata: Object.assign({}, ...memories.toReversed().map(({ metadata }) => fromJson(metadata))),
})
