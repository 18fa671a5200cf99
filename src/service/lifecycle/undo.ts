import type { Context } from '../../context.ts'
import { figureProperties, type PlannedChange } from '../../store/lifecycle/figures.ts'
import { unfoldRecalls } from '../../store/lifecycle/folding.ts'
import { bringBack } from '../../store/lifecycle/removed.ts'
import { copyEnds, giveBack } from '../../store/lifecycle/take-over.ts'
import { authorOf } from '../../store/memories/change.ts'
import { lockMemories } from '../../store/memories/lock.ts'
import { lockStates, type MemoryState } from '../../store/memories/states.ts'
import { keysOf } from '../../store/neo4j/lock.ts'
import { int, type Transaction, transact } from '../../store/neo4j/statements.ts'
import { liveUntilOf } from '../../store/neo4j/tokens.ts'
import { type KeylessChange, newVersion } from '../memories/rules.ts'
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
    await lockMemories(transaction, keysOf(ctx, ids))
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
  const of = { tenant: ctx.tenant, runId }
  const planned = new Map(changes.map(change => [change.memory_id, change]))
  await bringBack(transaction, of, [...planned.keys()].sort())
  const skipped = new Set(
    await changeUnmoved(ctx, transaction, changes, {
      isUnmoved: ({ lastRun, lastRunVersion, version }) => lastRun === runId && lastRunVersion === version,
      change: state => revertOf(ctx, runId, planned.get(state.id) as PlannedChange, state),
    }),
  )
  const undone = changes.filter(({ memory_id }) => !skipped.has(memory_id))
  await unfoldRecalls(
    transaction,
    of,
    undone.map(({ memory_id }) => memory_id),
  )
  await giveBack(ctx, transaction, runId, undone)
  return [...skipped]
}

/** Changes the memories of a run that are as it left them. Returns the ids of the others. */
export async function changeUnmoved(
  ctx: Context,
  transaction: Transaction,
  changes: readonly PlannedChange[],
  {
    isUnmoved,
    change,
  }: { isUnmoved: (state: MemoryState) => boolean; change: (state: MemoryState) => KeylessChange },
): Promise<string[]> {
  const ids = changes.map(({ memory_id }) => memory_id).sort()
  const unmoved = (await lockStates(transaction, ctx.space, keysOf(ctx, ids))).filter(isUnmoved)
  const done = new Set(unmoved.map(({ id }) => id))
  await changeWithin(
    transaction,
    ctx,
    unmoved.map(state => ({ ...change(state), tenant: state.tenant, id: state.id })),
  )
  return ids.filter(id => !done.has(id))
}

/** One that is active again is discovered again: what was written in the meantime did not find it. */
function revertOf(
  ctx: Context,
  runId: string,
  { change, before, after }: PlannedChange,
  state: MemoryState,
): KeylessChange {
  const recorded = undoneAs[change] ?? null
  const { version: _version, updatedAt: _at, ...figures } = figureProperties(ctx, before)
  const version = newVersion(state, authorOf(ctx), `undo of the run ${runId}`)
  const present = recorded === null ? state.version : state.version + 1
  return {
    recorded,
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
