import type { Context } from '../context.ts'
import type { Change, Summary } from '../contract/maintenance.ts'
import { type PlannedChange, readDue, readLifecycles, type Term } from '../store/maintenance.ts'
import { reckon } from './lifecycle.ts'
import type { PolicyInForce } from './policies.ts'

/**
 * About how many changes one plan or run holds. It is one transaction, and a change of importance makes the vector
 * index anew for the memory: some seconds of work on a busy machine.
 */
const WORK_BOUND = 1_000
const SMALLEST_READ = 200

/** For what a plan is reckoned, and which memories may have something due. */
export type Prospect = {
  at: number
  memories: number
  policies: ReadonlyMap<string, PolicyInForce>
  ids: readonly string[]
}

export const prospectAt = async (
  ctx: Context,
  at: number,
  memories: number,
  policies: Prospect['policies'],
): Promise<Prospect> => ({
  at,
  memories,
  policies,
  ids: await readDue(
    ctx,
    at,
    Array.from(policies.values(), policy => termOf(policy, at)),
  ),
})

const termOf = (policy: PolicyInForce, at: number): Term => ({
  policy: policy.name,
  ages: policy.health_decay > 0 || policy.importance_decay < 1,
  endsSoonAt: policy.archive_at_health === null ? null : policy.archive_at_health + policy.health_decay,
  removedBefore: policy.remove_after_seconds === null ? null : at - policy.remove_after_seconds * 1000,
})

export type Plan = {
  changes: PlannedChange[]
  /** Where the next plan begins; undefined when all is in this one. */
  next: number | undefined
}

/** One plan's worth of changes from a place in the prospect on. */
export async function planFrom(ctx: Context, { at, policies, ids }: Prospect, from: number): Promise<Plan> {
  const changes: PlannedChange[] = []
  let place = from
  while (place < ids.length && changes.length < WORK_BOUND) {
    const batch = ids.slice(place, place + Math.max(SMALLEST_READ, WORK_BOUND - changes.length))
    const rows = await readLifecycles(ctx, batch)
    changes.push(...rows.flatMap(row => reckon(row, policies, at) ?? []))
    place += batch.length
  }
  return { changes, next: place < ids.length ? place : undefined }
}

export type Survey = {
  first: Plan
  /** How many memories would be archived or removed by all plans together. */
  ending: number
  /** One plan's worth of changes, those that end memories before all others. */
  weightiest: PlannedChange[]
}

/** Looks over all plans of a prospect. */
export async function survey(ctx: Context, prospect: Prospect): Promise<Survey> {
  const first = await planFrom(ctx, prospect, 0)
  const ends: PlannedChange[] = []
  const others: PlannedChange[] = []
  let ending = 0
  for (let plan = first; ; plan = await planFrom(ctx, prospect, plan.next)) {
    const found = plan.changes.filter(isEnd)
    ending += found.length
    ends.push(...found.slice(0, WORK_BOUND - ends.length))
    others.push(...plan.changes.filter(change => !isEnd(change)).slice(0, WORK_BOUND - others.length))
    if (plan.next === undefined) break
  }
  return { first, ending, weightiest: [...ends, ...others].slice(0, WORK_BOUND) }
}

const isEnd = ({ change }: PlannedChange) => change === 'archive' || change === 'remove'

/** Counts what happens, by kind. */
export function summarise(changes: readonly PlannedChange[], memories: number): Summary {
  const count = (kind: Change['change']) => changes.filter(({ change }) => change === kind).length
  return {
    memories,
    decay: count('decay'),
    recall: count('recall'),
    promote: count('promote'),
    archive: count('archive'),
    remove: count('remove'),
  }
}
