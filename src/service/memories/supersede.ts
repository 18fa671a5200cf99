import type { Context } from '../../context.ts'
import { connectLocked } from '../../store/connections/create.ts'
import { authorOf } from '../../store/memories/change.ts'
import type { MemoryState } from '../../store/memories/states.ts'
import type { Transaction } from '../../store/neo4j/statements.ts'
import { superseded } from './rules.ts'
import { changeWithin } from './unit.ts'

export type SupersedeFault = { readonly id: string; readonly fault: 'missing' | 'archived' }

/** What prevents that memories, whose locks are held, are superseded. A repeat finds those archived that it has archived itself. */
export function supersedeFaults(ids: readonly string[], locked: readonly MemoryState[]): SupersedeFault[] {
  const found = new Map(locked.map(each => [each.id, each]))
  return [...new Set(ids)].flatMap((id): SupersedeFault[] => {
    const old = found.get(id)
    if (!old) return [{ id, fault: 'missing' }]
    return old.state === 'active' || old.isWritten ? [] : [{ id, fault: 'archived' }]
  })
}

/** A memory that replaces an old one; `writeId` names what does so. */
export type Superseding = {
  readonly id: string
  readonly oldId: string
  readonly writeId: string
  readonly reason: string
  /** When the new one holds from on, in milliseconds, where it was made in the same transaction. */
  readonly from?: number
}

/** Lets each memory contradict the old one that it replaces, and archives that. The locks of all are held. */
export async function supersede(
  transaction: Transaction,
  ctx: Context,
  pairs: readonly Superseding[],
  locked: readonly MemoryState[],
): Promise<void> {
  const contradictions = pairs.map(({ id, oldId }) => ({
    source_id: id,
    target_id: oldId,
    relationship_type: 'contradicts' as const,
  }))
  await connectLocked(transaction, ctx.tenant, contradictions)
  await archiveSuperseded(transaction, ctx, pairs, locked)
}

/** Archives the old memories alone. One that is archived already, or that this write has archived before, stays as it is. */
export async function archiveSuperseded(
  transaction: Transaction,
  ctx: Context,
  pairs: readonly Superseding[],
  locked: readonly MemoryState[],
): Promise<void> {
  const byOld = new Map(pairs.map(pair => [pair.oldId, pair]))
  const author = authorOf(ctx)
  const changes = locked.flatMap(state => {
    const pair = byOld.get(state.id)
    if (!pair || state.isWritten) return []
    const { id, writeId, reason, from = state.now } = pair
    const change = superseded({ ...state, now: Math.max(state.now, from) }, { id, author, reason })
    return [{ ...change, tenant: state.tenant, id: state.id, writeId }]
  })
  await changeWithin(transaction, ctx, changes)
}
