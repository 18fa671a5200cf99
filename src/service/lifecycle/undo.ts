import type { Context } from '../../context.ts'
import { figureProperties, type PlannedChange } from '../../store/lifecycle/figures.ts'
import { unfoldRecalls } from '../../store/lifecycle/folding.ts'
import { bringBack } from '../../store/lifecycle/removed.ts'
import { copyEnds, giveBack } from '../../store/lifecycle/take-over.ts'
import type { MemoryChange } from '../../store/memories/change.ts'
import { lockMemories } from '../../store/memories/lock.ts'
import { lockStates, type MemoryState } from '../../store/memories/states.ts'
import { authorOf } from '../../store/memories/write.ts'
import { int, type Transaction, transact } from '../../store/neo4j/statements.ts'
import { liveUntilOf } from '../../store/neo4j/tokens.ts'
import { newVersion } from '../memories/rules.ts'
import { changeWithin } from '../memories/unit.ts'
import type { Frame, recordedAs } from './apply.ts'

/** Takes back what a run did to memories, whose locks are held. Returns the ids of those that it left as they are. */
export type Revert = (
  ctx: Context,
  transaction: Transaction,
  runId: string,
  changes: readonly PlannedChange[],
) => Promise<string[]>

/** Undoes a run in one transaction, behind the locks of its memories and of those that they were connected with. */
export function undoChanges(
  ctx: Context,
  { runId, changes, revert }: { runId: string; changes: readonly PlannedChange[]; revert: Revert },
  { begin, finish }: Frame<string[]>,
): Promise<string[]> {
  let skipped: string[] = []
  return transact(ctx, async transaction => {
    const ids = [
      ...changes.map(({ memory_id }) => memory_id),
      ...(await copyEnds(ctx, transaction, runId, changes)),
    ]
    await lockMemories(
      transaction,
      ids.map(id => ({ tenant: ctx.tenant, id })),
    )
    if (!(await begin(transaction))) return skipped
    skipped = await revert(ctx, transaction, runId, changes)
    await finish(transaction, skipped)
    return skipped
  })
}

/**
 * Gives memories back the figures from before a run, unless they have changed since. What callers noticed of the run is
 * undone by a new version. The history does not keep what a memory took over from others: they may be removed for good.
 */
export const revertChanges: Revert = async (ctx, transaction, runId, changes) => {
  const { tenant } = ctx
  const ids = changes.map(({ memory_id }) => memory_id).sort()
  await bringBack(transaction, { tenant, runId }, ids)
  const states = await lockStates(
    transaction,
    ctx.space,
    ids.map(id => ({ tenant, id })),
  )
  const unmoved = new Map(
    states.flatMap(state =>
      state.lastRun === runId && state.lastRunVersion === state.version ? [[state.id, state]] : [],
    ),
  )
  const undone = changes.filter(({ memory_id }) => unmoved.has(memory_id))
  const reverted = undone.map(change =>
    revertOf(ctx, runId, change, unmoved.get(change.memory_id) as MemoryState),
  )
  await changeWithin(transaction, ctx, reverted)
  await unfoldRecalls(transaction, { tenant, runId }, [...unmoved.keys()])
  await giveBack(ctx, transaction, runId, undone)
  return ids.filter(id => !unmoved.has(id))
}

/** One that is active again is discovered again: what was written in the meantime did not find it. */
function revertOf(
  ctx: Context,
  runId: string,
  { change, before, after }: PlannedChange,
  state: MemoryState,
): MemoryChange {
  const recorded = undoneAs[change] ?? null
  const { version: _version, updatedAt: _at, ...figures } = figureProperties(ctx, before)
  const version = newVersion(state, authorOf(ctx), `undo of the run ${runId}`)
  const present = recorded === null ? state.version : state.version + 1
  return {
    ...{ tenant: state.tenant, id: state.id, recorded },
    set: {
      ...(recorded !== null && version),
      ...figures,
      ...(before.lastRunVersion === before.version && { lastRunVersion: int(present) }),
      liveUntil: liveUntilOf({ ...before, expiresAt: state.expiresAt }),
    },
    keepsVersion: recorded !== null && before.given === undefined,
    discovers: before.state === 'active' && after.state !== 'active',
  }
}

/** What the feed records of an undo. */
const undoneAs: typeof recordedAs = {
  promote: 'updated',
  archive: 'restored',
  remove: 'restored',
  merge: 'updated',
}
