import { v7 as mintId } from 'uuid'
import type { Context } from '../../context.ts'
import type { Memory } from '../../contract/memory.ts'
import { invalid, ServiceError } from '../../contract/problems.ts'
import type { Usage } from '../../contract/tenants.ts'
import { emptySpan } from '../../contract/values.ts'
import { charactersOf, lockQuotas } from '../../store/access/usage.ts'
import { withoutPolicy } from '../../store/lifecycle/policies.ts'
import { changeMemories, type MemoryChange } from '../../store/memories/change.ts'
import { withMemoryLocks } from '../../store/memories/lock.ts'
import { columnsWith, lockStates, type MemoryState } from '../../store/memories/states.ts'
import { memoryOf } from '../../store/neo4j/projections.ts'
import { type Transaction, transact } from '../../store/neo4j/statements.ts'
import { pinnedWithLimit } from '../lifecycle/policies.ts'
import { type Decision, isUnexpected, type KeylessChange, type MemoryRefusal } from './rules.ts'

/** What a caller wants of a memory: `decide` says what becomes of it as it is behind its lock. */
export type Wish = {
  /** The content that it would get. */
  readonly content?: string | undefined
  readonly decide: (state: MemoryState) => Decision
  /** The policy that it would get. */
  readonly policy?: string | undefined
}

/**
 * Changes a memory in one transaction.
 * @throws ServiceError for what prevents it: `memory_not_found`, `memory_archived`, `version_mismatch`, `quota_exceeded`,
 * `validation_failed`
 */
export async function changeMemory(ctx: Context, id: string, wish: Wish): Promise<Memory> {
  const limit = wish.content === undefined ? null : await ctx.app.quotas.limitOf(ctx)
  // Names the write: to carry it out again changes nothing.
  const writeId = mintId()
  const columns = await withMemoryLocks(ctx, [id], () =>
    transact(ctx, async transaction => {
      const asked = { tenant: ctx.tenant, id, writeId, isWhole: true }
      const [state] = await lockStates(transaction, ctx.space, [asked])
      if (!state) throw memoryNotFound(id)
      if (state.isWritten) return state.columns
      const change = { ...decided(ctx, state, wish), tenant: ctx.tenant, id, writeId }
      await lockBounds(transaction, state, { wish, limit, change })
      await changeWithin(transaction, ctx, [change])
      return columnsWith(state, ctx.space, change.set)
    }),
  )
  return memoryOf(ctx, columns)
}

/** A condition on the version counts only where nothing else refuses the change (RFC 9110, 13.2.1). */
function decided(ctx: Context, state: MemoryState, { decide }: Wish): KeylessChange {
  const decision = decide(state)
  if ('refused' in decision) throw refusalOf(decision.refused, state.id)
  if (isUnexpected(state, ctx)) throw refusalOf('version_mismatch', state.id)
  return decision
}

/** Locks the policy and the quota that a change needs. @throws ServiceError where the policy is gone or the quota is passed */
async function lockBounds(
  transaction: Transaction,
  { tenant, id, size }: MemoryState,
  { wish: { policy }, limit, change }: { wish: Wish; limit: Usage | null; change: KeylessChange },
) {
  const { content } = change.set as { content?: string }
  const characters = content === undefined ? 0 : charactersOf(content) - size
  const homeless = await withoutPolicy(transaction, [{ tenant, id, policy }])
  const row = { tenant, id, limit, adds: { memories: 0, characters } }
  const beyond = homeless.size > 0 || characters <= 0 ? homeless : await lockQuotas(transaction, [row])
  for (const fault of beyond.values()) throw fault
}

/** Writes to memories whose locks are held, in a transaction of the caller. What stays as it is is left out. */
export async function changeWithin(
  transaction: Transaction,
  { app: { config }, space }: Pick<Context, 'app' | 'space'>,
  changes: readonly MemoryChange[],
): Promise<void> {
  const made = changes.filter(({ set }) => Object.keys(set).length > 0)
  if (made.length > 0)
    await changeMemories(transaction, { space, keptVersions: config.historyVersions }, made)
}

export const memoryNotFound = (id: string) =>
  new ServiceError('memory_not_found', `There is no memory ${id}.`)

export function refusalOf(refused: MemoryRefusal, id: string): ServiceError {
  switch (refused) {
    case 'archived':
      return new ServiceError('memory_archived', `The memory ${id} is archived; restore it first.`)
    case 'version_mismatch':
      return new ServiceError(
        'version_mismatch',
        `The memory ${id} is not at the version that the request names. In \`If-Match\` it has the quotes of the \`ETag\`: "3".`,
      )
    case 'pinned_with_limit':
      return pinnedWithLimit('')
    case 'empty_span':
      return invalid('/valid_until', 'custom', emptySpan.error)
  }
}
