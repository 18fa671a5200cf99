import type { Context } from '../../context.ts'
import type { ChangeKind } from '../../contract/changes.ts'
import { timeSlices } from '../../platform/time-slices.ts'
import type { Glimpse, NumberedChange, SelectedChange } from '../../store/feed/types.ts'
import type { Follower } from './follower.ts'
import { inActiveSpace, prepareAll } from './selection.ts'

/** What a process knows of the feed of a tenant that somebody follows: who does, and how far they have been given it. */
export class Channel {
  readonly followers = new Set<Follower>()
  last: number

  constructor(last: number) {
    this.last = last
  }

  /** Those who have what came before; others read on their own. */
  inStep(): Follower[] {
    return [...this.followers].filter(({ seen }) => seen >= this.last)
  }

  /**
   * The feed goes further, with these changes, which were read for those in step. Each is compared once for all of
   * them. What nobody wants wakes nobody.
   */
  async advance(
    inStep: readonly Follower[],
    { changes, end, signal }: { changes: readonly NumberedChange[]; end: number; signal: AbortSignal },
  ) {
    const ctx = inStep[0] && inActiveSpace({ ...inStep[0].ctx, signal })
    const wanted = ctx ? await wantedBy(ctx, inStep, changes) : new Map<Follower, SelectedChange[]>()
    for (const follower of inStep) follower.offer(wanted.get(follower) ?? [], end)
    this.last = end
  }

  callAll() {
    for (const { call } of this.followers) call()
  }
}

/** The kinds of changes that any of them reads; undefined for all. */
export function kindsFor(followers: readonly Follower[]): ChangeKind[] | undefined {
  const kinds = followers.map(({ selection }) => selection.kinds)
  return kinds.includes(undefined) ? undefined : [...new Set(kinds.flatMap(each => each ?? []))]
}

/** What each follower wants of some changes. Other requests run in between. */
async function wantedBy(
  ctx: Context,
  followers: readonly Follower[],
  changes: readonly NumberedChange[],
): Promise<Map<Follower, SelectedChange[]>> {
  const bySelection = new Map(followers.map(each => [each.selection, each]))
  await prepareAll(ctx, [...bySelection.keys()], (selection, error) =>
    bySelection.get(selection)?.fail(error),
  )
  const memories = await lookFor(ctx, followers, changes)
  const nextSlice = timeSlices()
  const wanted = new Map<Follower, SelectedChange[]>()
  for (const change of changes) {
    await nextSlice()
    const known = memories(change)
    for (const follower of followers) {
      const picked = pick(follower, change, known)
      if (!picked) continue
      const others = wanted.get(follower)
      if (others) others.push(picked)
      else wanted.set(follower, [picked])
    }
  }
  return wanted
}

const pick = ({ seen, selection }: Follower, change: NumberedChange, memories: readonly Glimpse[]) =>
  change.number > seen && selection.isPossible(change) ? selection.pick(change, memories) : undefined

/** The memories of those changes alone that somebody has to know them for. */
async function lookFor(ctx: Context, followers: readonly Follower[], changes: readonly NumberedChange[]) {
  const asking = followers.map(({ selection }) => selection).filter(({ reads }) => reads !== 'nothing')
  const needed = changes.filter(change => asking.some(({ isPossible }) => isPossible(change)))
  if (needed.length === 0) return () => []
  const withVectors = asking.some(({ reads }) => reads === 'vectors')
  return ctx.app.glimpses.look(ctx, needed, withVectors)
}
