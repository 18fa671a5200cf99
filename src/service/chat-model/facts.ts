import type { Context } from '../../context.ts'
import { type Fact, holdJob, keepRun, type Reading } from '../../store/chat-model/extraction.ts'
import { continueIn } from '../../store/jobs/ending.ts'
import type { LeasedJob } from '../../store/jobs/leases.ts'
import { authorOf } from '../../store/memories/change.ts'
import { keysOf } from '../../store/neo4j/lock.ts'
import { transact } from '../../store/neo4j/statements.ts'
import { changeUnmoved, type Revert } from '../lifecycle/undo.ts'
import { lockForCreate, rowsOf, storeAll } from '../memories/create.ts'
import { archived } from '../memories/rules.ts'

/**
 * Stores facts with their connections, marks the turns as read, and adds to the run of the job, in one transaction that the
 * job's next step follows. A fact of a turn that was changed, archived or removed in the meantime is not stored. Returns what was
 * stored; undefined when the job is no longer ours.
 */
export async function keepFacts(ctx: Context, job: LeasedJob, reading: Reading): Promise<Fact[] | undefined> {
  const { space } = ctx
  const rows = await rowsOf(
    ctx,
    reading.facts.map(({ row }) => row),
  )
  const ends = keysOf(
    ctx,
    reading.turns.map(({ id }) => id),
  )
  return transact(ctx, async transaction => {
    const { known, locked } = await lockForCreate(transaction, space, rows, ends)
    if (!(await holdJob(transaction, job))) return undefined
    const current = new Map(
      locked.flatMap(({ id, state, revision }) => (state === 'active' ? [[id, revision]] : [])),
    )
    const changed = new Set(
      reading.turns.flatMap(({ id, revision }) => (current.get(id) === revision ? [] : [id])),
    )
    const isSound = ({ turns }: Fact) => !turns.some(id => changed.has(id))
    const sound = reading.facts.filter(isSound)
    const outcomes = await storeAll(
      transaction,
      space,
      rows.filter((_, at) => isSound(reading.facts[at] as Fact)),
      known,
    )
    const stored = sound.filter((_, at) => !outcomes[at]?.isDuplicate)
    await keepRun(ctx, transaction, reading, stored)
    await reading.finish(transaction, stored)
    const { progress } = reading
    const next = { ...progress, stored: progress.stored + stored.length }
    await continueIn(transaction, job, { progress: next })
    return stored
  })
}

/** Archives the facts that a run has stored, unless they have changed since. */
export const takeBackFacts: Revert = (ctx, transaction, runId, changes) => {
  const why = { archivedReason: 'undone', author: authorOf(ctx), reason: `undo of the run ${runId}` } as const
  return changeUnmoved(ctx, transaction, changes, {
    isUnmoved: ({ extractedBy, version, state }) =>
      extractedBy === runId && version === 1 && state === 'active',
    change: state => archived(state, why),
  })
}
