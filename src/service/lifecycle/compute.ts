import type { MaintenanceChange } from '../../contract/maintenance.ts'
import type { Figures, LifecycleRow, PlannedChange } from '../../store/lifecycle/figures.ts'
import type { ArchivedReason } from '../memories/rules.ts'
import { type PolicyInForce, policyFor } from './policies.ts'

const DAY_MS = 86_400_000

type Policies = ReadonlyMap<string, PolicyInForce>

/**
 * What policies make of a memory until a time. Health falls evenly and importance by its factor, up to each recall
 * exactly and from there on in whole days; a recall lifts health and may promote; at the moment when health meets the
 * bound, or the time limit runs out, all of that stops. None of it depends on when maintenance runs: several runs come
 * to the same as one run at the end. Archiving and removal are never in one run. Undefined when there is nothing to
 * do.
 */
export function computeChange(
  row: LifecycleRow,
  policies: Policies,
  until: number,
): PlannedChange | undefined {
  const life = startOf(row, policyFor(policies, row.policy))
  if (until < life.at) return undefined
  for (const recall of [...row.recalls].sort((a, b) => a - b)) {
    grow(life, row, Math.min(recall, until))
    lift(life, row, policies)
  }
  grow(life, row, endOf(life, row).at <= until ? until : lastWholeDay(life, until))
  return row.state === 'archived' ? restChange(row, life, until) : activeChange(row, life, until)
}

/** When an active memory ends if nobody recalls it; undefined if it does not end. */
export function archivedAtLatest(row: LifecycleRow, policies: Policies): number | undefined {
  if (row.state !== 'active') return undefined
  const life = startOf(row, policyFor(policies, row.policy))
  for (const recall of [...row.recalls].sort((a, b) => a - b)) {
    grow(life, row, recall)
    lift(life, row, policies)
  }
  const { at } = life.end ?? endOf(life, row)
  return Number.isFinite(at) && at < LATEST ? at : undefined
}

/** The last time that a date can have. */
const LATEST = 8_640_000_000_000_000

/** `end` is why the memory stopped ageing; one that was archived before has ended. */
type Life = {
  at: number
  health: number
  importance: number
  policy: PolicyInForce
  promotedTo: string | undefined
  recalls: number
  end: Ending | undefined
}
type Ending = { at: number; reason: string; rule: string }

const never: Ending = { at: Number.POSITIVE_INFINITY, reason: '', rule: '' }

/** The rules of a policy count from the moment at which they were made. */
const startOf = (row: LifecycleRow, policy: PolicyInForce): Life => ({
  at: Math.max(row.maintainedAt ?? row.createdAt, policy.since),
  health: row.health,
  importance: row.importance,
  policy,
  promotedTo: undefined,
  recalls: row.recallCount - row.recalls.length,
  end: row.state === 'archived' ? never : undefined,
})

const lastWholeDay = ({ at }: Life, until: number) =>
  at + Math.max(0, Math.floor((until - at) / DAY_MS)) * DAY_MS

/** Lets time pass until then, or until the memory ends on the way. */
function grow(life: Life, row: LifecycleRow, until: number) {
  if (life.end) return
  const { policy, health } = life
  const ending = endOf(life, row)
  const ends = ending.at <= until
  const stop = Math.max(life.at, ends ? ending.at : until)
  const importanceFrom = Math.min(stop, Math.max(life.at, row.importanceSince ?? 0))
  life.health = Math.max(0, health - (policy.health_decay * (stop - life.at)) / DAY_MS)
  life.importance *= policy.importance_decay ** ((stop - importanceFrom) / DAY_MS)
  life.at = stop
  if (!ends) return
  life.end = ending
  if (ending.rule.endsWith(BOUND)) life.health = Math.min(health, policy.archive_at_health ?? 0)
}

const BOUND = '.archive_at_health'
const LIMIT = 'ttl_seconds'

/** When and why the memory would end if nobody recalled it any more. */
function endOf(life: Life, { expiresAt }: LifecycleRow): Ending {
  if (life.end) return never
  const bound = life.at + Math.round(daysToBound(life) * DAY_MS)
  if (expiresAt !== null && expiresAt <= bound)
    return { at: expiresAt, reason: 'its time limit has run out', rule: LIMIT }
  const { archive_at_health, name } = life.policy
  return { at: bound, reason: `health fell to ${archive_at_health}`, rule: name + BOUND }
}

function daysToBound({ health, policy }: Life): number {
  if (policy.archive_at_health === null) return Number.POSITIVE_INFINITY
  if (health <= policy.archive_at_health) return 0
  return policy.health_decay === 0
    ? Number.POSITIVE_INFINITY
    : (health - policy.archive_at_health) / policy.health_decay
}

/** A recall counts wherever the memory stands, but lifts only what still lives. */
function lift(life: Life, row: LifecycleRow, policies: Policies) {
  const { promote_to, promote_at_recalls, recall_boost } = life.policy
  life.recalls += 1
  if (!life.end) life.health = Math.min(100, life.health + recall_boost)
  const next = promote_to === null ? undefined : policies.get(promote_to)
  const forbidden = next?.name === 'pinned' && row.expiresAt !== null
  if (!next || forbidden || promote_at_recalls === null || life.recalls < promote_at_recalls) return
  life.policy = next
  life.promotedTo = next.name
}

function activeChange(row: LifecycleRow, life: Life, until: number): PlannedChange | undefined {
  const after = figuresAfter(row, life)
  if (life.end)
    return changeOf(
      row,
      'archive',
      life.end.reason,
      life.end.rule,
      noticed(row, until, {
        ...after,
        state: 'archived',
        archivedAt: until,
        archivedReason: (life.end.rule === LIMIT ? 'expired' : 'faded') satisfies ArchivedReason,
      }),
    )
  const recalled = recallChange(row, after, until)
  if (recalled) return recalled
  if (after.health === row.health && after.importance === row.importance) return undefined
  const rule = after.health === row.health ? 'importance_decay' : 'health_decay'
  return changeOf(row, 'decay', 'time has passed', `${row.policy}.${rule}`, after)
}

/** One that is archived is removed when its time has come; until then recalls count and may promote it. */
function restChange(row: LifecycleRow, life: Life, until: number): PlannedChange | undefined {
  const { name, remove_after_seconds: seconds } = life.policy
  if (seconds !== null && row.archivedAt !== null && row.archivedAt + seconds * 1000 <= until) {
    const reason = `archived for ${seconds} seconds or longer`
    return changeOf(row, 'remove', reason, `${name}.remove_after_seconds`, {
      ...figuresOf(row),
      state: 'removed',
    })
  }
  const { policy, foldedRecalls } = figuresAfter(row, life)
  return recallChange(row, { ...figuresOf(row), policy, foldedRecalls }, until)
}

function recallChange(row: LifecycleRow, after: Figures, until: number): PlannedChange | undefined {
  if (after.policy !== row.policy)
    return changeOf(
      row,
      'promote',
      `recalled ${times(row.recallCount)}`,
      `${row.policy}.promote_at_recalls`,
      noticed(row, until, after),
    )
  if (row.recalls.length > 0)
    return changeOf(
      row,
      'recall',
      `recalled ${times(row.recalls.length)}`,
      `${row.policy}.recall_boost`,
      after,
    )
  return undefined
}

const figuresAfter = (row: LifecycleRow, life: Life): Figures => ({
  ...figuresOf(row),
  policy: life.promotedTo ?? row.policy,
  health: life.health,
  importance: life.importance,
  maintainedAt: life.at,
  foldedRecalls: row.recallCount,
})

/** Moves that callers should notice are a new version; ageing and recalls are not. */
export const noticed = (row: LifecycleRow, until: number, figures: Figures): Figures => ({
  ...figures,
  version: row.version + 1,
  // A round may be slower than a caller.
  updatedAt: Math.max(row.updatedAt, until),
})

export function changeOf(
  row: LifecycleRow,
  change: MaintenanceChange['change'],
  reason: string,
  rule: string,
  after: Figures,
): PlannedChange {
  const { id, recallCount, recalls, connections } = row
  return {
    memory_id: id,
    change,
    reason,
    rule,
    recallCount,
    unfolded: recalls.length,
    connections,
    before: figuresOf(row),
    after,
  }
}

export const figuresOf = ({
  id: _id,
  createdAt: _created,
  expiresAt: _expiry,
  importanceSince: _since,
  recallCount: _count,
  recalls: _recalls,
  ...figures
}: LifecycleRow): Figures => figures

const times = (count: number) => (count === 1 ? 'once' : `${count} times`)
