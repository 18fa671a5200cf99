import type { Context } from '../../context.ts'
import type { MaintenanceChange, Summary } from '../../contract/maintenance.ts'
import { readDue, readLifecycles, type Term } from '../../store/lifecycle/due.ts'
import type { PlannedChange } from '../../store/lifecycle/figures.ts'
import type { MemoryFilter } from '../../store/memories/filter.ts'
import { computeChange } from './compute.ts'
import type { PolicyInForce } from './policies.ts'

/**
 * About how many changes one plan or run holds. It is one transaction, and a change of importance indexes the
 * vector of the memory again: some seconds of work on a busy machine.
 */
export const WORK_BOUND = 1_000
const SMALLEST_READ = 200
/** So many connections that go with a removed memory are as much work as one change. */
const CONNECTIONS_A_CHANGE = 10

/** The basis of a plan, and the memories that may have something due. */
export type Prospect = {
  at: number
  memories: number
  policies: ReadonlyMap<string, PolicyInForce>
  ids: readonly string[]
}

type Scope = Omit<Prospect, 'ids'> & { filter?: MemoryFilter | undefined }

export const prospectAt = async (ctx: Context, { filter, ...basis }: Scope): Promise<Prospect> => {
  const terms = Array.from(basis.policies.values(), policy => termOf(policy, basis.at))
  return { ...basis, ids: await readDue(ctx, basis.at, terms, filter) }
}

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

/** The changes of one plan, from a position in the prospect on. */
export async function planFrom(ctx: Context, { at, policies, ids }: Prospect, from: number): Promise<Plan> {
  const found: PlannedChange[] = []
  let position = from
  while (position < ids.length && found.length < WORK_BOUND) {
    const batch = ids.slice(position, position + Math.max(SMALLEST_READ, WORK_BOUND - found.length))
    const rows = await readLifecycles(ctx, batch)
    found.push(...rows.flatMap(row => computeChange(row, policies, at) ?? []))
    position += batch.length
  }
  const changes = within(found)
  const cut = found[changes.length]
  if (cut) position = ids.indexOf(cut.memory_id, from)
  return { changes, next: position < ids.length ? position : undefined }
}

/** As many of the first as one transaction can hold; one at least. */
function within(changes: readonly PlannedChange[]): PlannedChange[] {
  let work = 0
  const end = changes.findIndex((each, at) => {
    work += workOf(each)
    return work > WORK_BOUND && at > 0
  })
  return changes.slice(0, end < 0 ? changes.length : end)
}

const workOf = ({ change, connections }: PlannedChange) =>
  change === 'remove' ? 1 + connections / CONNECTIONS_A_CHANGE : 1

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
  let ends: PlannedChange[] = []
  let others: PlannedChange[] = []
  let ending = 0
  for (let plan = first; ; plan = await planFrom(ctx, prospect, plan.next)) {
    const found = plan.changes.filter(isEnd)
    ending += found.length
    ends = within([...ends, ...found])
    others = within([...others, ...plan.changes.filter(change => !isEnd(change))])
    if (plan.next === undefined) break
  }
  return { first, ending, weightiest: within([...ends, ...others]) }
}

const isEnd = ({ change }: PlannedChange) => change === 'archive' || change === 'remove'

/** Counts what happens, by kind. */
export function summarise(changes: readonly PlannedChange[], memories: number): Summary {
  const count = (kind: MaintenanceChange['change']) => changes.filter(({ change }) => change === kind).length
  return {
    memories,
    decay: count('decay'),
    recall: count('recall'),
    promote: count('promote'),
    archive: count('archive'),
    remove: count('remove'),
    merge: count('merge'),
  }
}
