import type { Context } from '../../context.ts'
import type { MaintenanceChange, Summary } from '../../contract/maintenance.ts'
import { readDue, readLifecycles, type Term } from '../../store/lifecycle/due.ts'
import type { PlannedChange } from '../../store/lifecycle/figures.ts'
import type { MemoryFilter } from '../../store/memories/filter.ts'
import type { Page } from '../../store/memories/look-through.ts'
import { toFilter } from '../memories/filters.ts'
import { computeChange } from './compute.ts'
import type { PolicyInForce } from './policies.ts'

/**
 * About how many changes one plan or run holds. It is one transaction, and a change of importance indexes the
 * vector of the memory again: some seconds of work on a busy machine.
 */
export const MOST_PLANNED = 1_000
const SMALLEST_READ = 200
/** So many connections that go with a removed memory are as much work as one change. */
const CONNECTIONS_A_CHANGE = 10

/** The basis of a plan. */
export type Prospect = {
  at: number
  policies: ReadonlyMap<string, PolicyInForce>
  filter?: MemoryFilter | undefined
}

const termOf = (policy: PolicyInForce, at: number): Term => ({
  policy: policy.name,
  ages: policy.health_decay > 0 || policy.importance_decay < 1,
  endsSoonAt: policy.archive_at_health === null ? null : policy.archive_at_health + policy.health_decay,
  removedBefore: policy.remove_after_seconds === null ? null : at - policy.remove_after_seconds * 1000,
})

export type Plan = {
  changes: PlannedChange[]
  /** Behind which memory the next plan begins; null when there is none. */
  next: string | null
}

/** The changes of one plan, for the memories behind one, in the order of their ids. */
export async function planFrom(
  ctx: Context,
  { at, policies, filter }: Prospect,
  after: string,
): Promise<Plan> {
  const due = {
    at,
    filter: filter ?? toFilter(),
    terms: Array.from(policies.values(), policy => termOf(policy, at)),
  }
  const found: PlannedChange[] = []
  let next: string | null = after
  while (next !== null && found.length < MOST_PLANNED) {
    const most = Math.max(SMALLEST_READ, MOST_PLANNED - found.length)
    const page: Page = await readDue(ctx, due, { after: next, most })
    found.push(...(await dueChanges(ctx, page.ids, { at, policies })))
    next = page.next
  }
  const changes = keepWithin(found)
  return { changes, next: changes.length < found.length ? (changes.at(-1)?.memory_id ?? null) : next }
}

/** What is due for these memories, in their order. */
export async function dueChanges(ctx: Context, ids: readonly string[], { at, policies }: Prospect) {
  const rows = await readLifecycles(ctx, ids)
  return rows.flatMap(row => computeChange(row, policies, at) ?? [])
}

/** As many of the first as one transaction can hold; one at least. */
export function keepWithin(changes: readonly PlannedChange[]): PlannedChange[] {
  let work = 0
  const end = changes.findIndex((each, at) => {
    work += workOf(each)
    return work > MOST_PLANNED && at > 0
  })
  return changes.slice(0, end < 0 ? changes.length : end)
}

const workOf = ({ change, connections }: PlannedChange) =>
  change === 'remove' ? 1 + connections / CONNECTIONS_A_CHANGE : 1

export const isEnd = ({ change }: PlannedChange) => change === 'archive' || change === 'remove'

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
    extract: count('extract'),
  }
}
