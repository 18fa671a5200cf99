import { v7 as mintId } from 'uuid'
import type { Context } from '../../context.ts'
import { completeJob, continueJob, progressOf } from '../../store/jobs/ending.ts'
import type { LeasedJob } from '../../store/jobs/leases.ts'
import { readTenant } from '../../store/lifecycle/due.ts'
import type { PlannedChange } from '../../store/lifecycle/figures.ts'
import { hasRun, saveRun, takenBySchedule } from '../../store/lifecycle/runs.ts'
import { START } from '../../store/memories/look-through.ts'
import { applyChanges } from './apply.ts'
import {
  dueChanges,
  isEnd,
  keepWithin,
  MOST_PLANNED,
  type Plan,
  type Prospect,
  planFrom,
  summarise,
} from './plan.ts'
import { policiesOf } from './policies.ts'
import { retainOrWarn } from './retention.ts'

/**
 * In so many days together, scheduled runs may archive or remove this part of a tenant's memories, or this many, before
 * they stop and wait: a slow fade stops too.
 */
const BRAKE = { days: 7, part: 0.2, count: 5 }

/** How far the maintenance of a tenant has come. It counts what would end before it applies anything. */
type Round = {
  phase: 'counting' | 'applying'
  /** The time for which all of it is computed. */
  at: number
  memories: number
  /** The last memory that this phase has looked at. */
  after: string
  /** How many memories would end, of those that were counted; then how many may still end. */
  ending: number
  /** Memories for a plan that waits: those that would end, and others. */
  ends: string[]
  others: string[]
}

/**
 * Maintains a tenant for about `runsMs`, then releases the job so that other jobs can run. The next run continues where
 * this one ended.
 */
export async function maintainInSteps(ctx: Context, job: LeasedJob, runsMs: number): Promise<void> {
  const round = (await progressOf<Round>(ctx, job)) ?? (await startRound(ctx))
  const next = await advance(ctx, round, performance.now() + runsMs)
  await (next ? continueJob(ctx, job, { progress: next }) : completeJob(ctx, job))
  if (next) ctx.app.wake()
}

/**
 * Scheduled maintenance of one tenant, at the database's time or at the given one. Does nothing if nothing is due. If
 * too many memories would end, as with a wrong clock, it saves a plan that waits.
 */
export async function runScheduledMaintenance(ctx: Context, at?: number): Promise<void> {
  let round: Round | undefined = await startRound(ctx, at)
  while (round) round = await advance(ctx, round, Number.POSITIVE_INFINITY)
}

async function startRound(ctx: Context, at?: number): Promise<Round> {
  await retainOrWarn(ctx)
  const { now, memories } = await readTenant(ctx)
  return countAll({ at: at ?? now, memories })
}

const countAll = ({ at, memories }: Pick<Round, 'at' | 'memories'>): Round => ({
  phase: 'counting',
  at,
  memories,
  after: START,
  ending: 0,
  ends: [],
  others: [],
})

/** Makes one plan at least, and no other after `until`. Where to continue; undefined if everything is done. */
async function advance(ctx: Context, round: Round, until: number): Promise<Round | undefined> {
  const prospect = { at: round.at, policies: await policiesOf(ctx) }
  return round.phase === 'counting'
    ? count(ctx, prospect, round, until)
    : apply(ctx, prospect, round, { until })
}

async function count(ctx: Context, prospect: Prospect, round: Round, until: number) {
  let counted = round
  let first: Plan | undefined
  for (;;) {
    const plan = await planFrom(ctx, prospect, counted.after)
    if (counted.after === START) first = plan
    counted = withPlan(counted, plan)
    if (plan.next === null) break
    counted.after = plan.next
    if (performance.now() >= until) return counted
  }
  if (await isTooMuch(ctx, counted)) return wait(ctx, prospect, counted)
  const applying: Round = { ...counted, phase: 'applying', after: START, ends: [], others: [] }
  return apply(ctx, prospect, applying, { until, first })
}

function withPlan(round: Round, { changes }: Plan): Round {
  const ends = changes.filter(isEnd)
  const others = changes.filter(change => !isEnd(change))
  const ids = (some: PlannedChange[]) => some.map(({ memory_id }) => memory_id)
  return {
    ...round,
    ending: round.ending + ends.length,
    ends: [...round.ends, ...ids(ends)].slice(0, MOST_PLANNED),
    others: [...round.others, ...ids(others)].slice(0, MOST_PLANNED),
  }
}

async function isTooMuch(ctx: Context, { at, memories, ending }: Round): Promise<boolean> {
  if (ending === 0) return false
  const { archived, removed } = await takenBySchedule(ctx, BRAKE.days, at)
  const taken = archived + removed + ending
  return taken > BRAKE.count && taken > BRAKE.part * (memories + removed)
}

/** Saves one plan's worth of changes, those that end memories before all others, for somebody to apply. */
async function wait(ctx: Context, prospect: Prospect, { at, memories, ending, ends, others }: Round) {
  const id = mintId()
  const changes = keepWithin(await dueChanges(ctx, [...ends, ...others].slice(0, MOST_PLANNED), prospect))
  const summary = summarise(changes, memories)
  await saveRun(ctx, { id, state: 'waiting', origin: 'scheduled', kind: 'lifecycle', at, summary, changes })
  ctx.log.warn({ run: id, ending, memories }, 'maintenance waits for an explicit apply')
  return undefined
}

/** Runs one plan after the other. Counts again if more would end than was counted: the policies have changed. */
async function apply(
  ctx: Context,
  prospect: Prospect,
  round: Round,
  { until, first }: { until: number; first?: Plan | undefined },
): Promise<Round | undefined> {
  let { after, ending } = round
  for (let ready = first; ; ready = undefined) {
    const { changes, next } = ready ?? (await planFrom(ctx, prospect, after))
    ending -= changes.filter(isEnd).length
    if (ending < 0) return countAll(round)
    if (changes.length > 0) await run(ctx, changes, round)
    if (next === null) return undefined
    after = next
    if (performance.now() >= until) return { ...round, after, ending }
  }
}

/** Applies the changes that still hold and records exactly those, in one transaction. */
async function run(ctx: Context, changes: readonly PlannedChange[], { at, memories }: Round) {
  const id = mintId()
  const { done } = await applyChanges(ctx, id, changes, {
    begin: async transaction => !(transaction.uncertain && (await hasRun(ctx, transaction, id))),
    async finish(transaction, { done: made }) {
      const summary = summarise(made, memories)
      const record = {
        id,
        state: 'applied',
        origin: 'scheduled',
        kind: 'lifecycle',
        at,
        summary,
        changes: made,
      } as const
      if (made.length > 0) await saveRun(ctx, record, transaction)
    },
  })
  ctx.log.info({ run: id, ...summarise(done, memories) }, 'maintenance')
}
