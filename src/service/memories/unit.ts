import { v7 as mintId } from 'uuid'
import type { Context, GroupCommit } from '../../context.ts'
import type { Memory } from '../../contract/memory.ts'
import { invalid, ServiceError } from '../../contract/problems.ts'
import type { Usage } from '../../contract/tenants.ts'
import { emptySpan } from '../../contract/values.ts'
import { charactersOf, lockQuotas } from '../../store/access/usage.ts'
import { withoutPolicy } from '../../store/lifecycle/policies.ts'
import { changeMemories, type MemoryChange } from '../../store/memories/change.ts'
import { withMemoryLocks } from '../../store/memories/lock.ts'
import { columnsWith, lockStates, type MemoryState } from '../../store/memories/states.ts'
import { toDatabaseUnavailable } from '../../store/neo4j/failures.ts'
import { MOST_BYTES } from '../../store/neo4j/group-commit.ts'
import { keyOf, type MemoryKey } from '../../store/neo4j/lock.ts'
import { type MemoryColumns, memoryOf } from '../../store/neo4j/projections.ts'
import { type Transaction, transact } from '../../store/neo4j/statements.ts'
import { pinnedWithLimit } from '../lifecycle/policies.ts'
import { type Decision, isUnexpected, type MemoryRefusal, UNCHANGED } from './rules.ts'

/** What a caller wants of a memory: `decide` says what becomes of it as it is behind its lock. */
export type Wish = {
  /** The content that it would get. */
  readonly content?: string | undefined
  readonly decide: (state: MemoryState) => Decision
  /** The policy that it would get. */
  readonly policy?: string | undefined
}

/** `writeId` names it: to carry it out again changes nothing. */
type Command = MemoryKey &
  Wish & {
    readonly ctx: Context
    readonly writeId: string
    /** The trace of its request. */
    readonly trace: string | null
    readonly limit: Usage | null
  }

type Outcome = { readonly memory: MemoryColumns } | ServiceError

/**
 * Changes a memory, in one commit with those that other callers of the tenant change at the same time.
 * @throws ServiceError for what prevents it: `memory_not_found`, `memory_archived`, `version_mismatch`, `quota_exceeded`,
 * `validation_failed`
 */
export async function changeMemory(ctx: Context, id: string, wish: Wish): Promise<Memory> {
  const { app, tenant } = ctx
  const limit = wish.content === undefined ? null : await app.quotas.limitOf(ctx)
  const trace = app.neo4j.tracing?.traceparent() ?? null
  const command = { ...wish, ctx, tenant, id, limit, trace, writeId: mintId() }
  const outcome = await withMemoryLocks(ctx, [id], () => app.groupCommits.commit(changing, ctx, command))
  if (outcome instanceof ServiceError) throw outcome
  return memoryOf(ctx, outcome.memory)
}

const changing: GroupCommit<Command, Outcome> = {
  isOfTenant: true,
  rows: 32,
  size: MOST_BYTES,
  sizeOf: ({ content = '' }) => Buffer.byteLength(content),
  commit: (caller, space, commands) =>
    transact(caller, async transaction => {
      const asked = commands.map(command => ({ ...command, isWhole: true }))
      const states = new Map(
        (await lockStates(transaction, space, asked)).map(state => [keyOf(state), state]),
      )
      const decided = commands.map(command => decidedOf(command, states.get(keyOf(command))))
      const allowed = await withinBounds(transaction, decided)
      const changes = allowed.flatMap(each => (each instanceof ServiceError ? [] : [each.change]))
      const [{ ctx }] = commands as [Command]
      await changeWithin(transaction, { ...ctx, space }, changes)
      return allowed.map((each): Outcome => {
        if (each instanceof ServiceError) return each
        return { memory: columnsWith(each.state, space, each.change.set) }
      })
    }),
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

/** What is to be written, and how many characters more the memory has with it. */
type Decided =
  | {
      readonly command: Command
      readonly state: MemoryState
      readonly change: MemoryChange
      readonly grows: number
    }
  | ServiceError

/** A condition on the version counts only where nothing else refuses the change (RFC 9110, 13.2.1). */
function decidedOf(command: Command, state: MemoryState | undefined): Decided {
  const { ctx, tenant, id, trace, writeId } = command
  // Who was told that it did not happen may have asked again.
  if (ctx.signal.aborted && !state?.isWritten) return toDatabaseUnavailable(ctx.signal.reason)
  if (!state) return memoryNotFound(id)
  const decision = state.isWritten ? UNCHANGED : command.decide(state)
  if ('refused' in decision) return refusalOf(decision.refused, id)
  if (!state.isWritten && isUnexpected(state, ctx)) return refusalOf('version_mismatch', id)
  const change = { ...decision, tenant, id, trace, writeId: decision.recorded && writeId }
  const { content } = decision.set as { content?: string }
  return { command, state, change, grows: content === undefined ? 0 : charactersOf(content) - state.size }
}

/** Locks the policies and the quotas that changes need; what lacks its policy or passes its quota is refused alone. */
async function withinBounds(transaction: Transaction, decided: readonly Decided[]): Promise<Decided[]> {
  // A change that an earlier try has made is not refused any more.
  const moving = decided.flatMap(each =>
    each instanceof ServiceError || each.state.isWritten ? [] : [each.command],
  )
  const homeless = await withoutPolicy(
    transaction,
    moving.map(({ tenant, id, policy }) => ({ tenant, id, policy })),
  )
  const housed = decided.map(each =>
    each instanceof ServiceError ? each : (homeless.get(keyOf(each.command)) ?? each),
  )
  const growing = housed.flatMap(each => {
    if (each instanceof ServiceError || each.grows <= 0) return []
    const { tenant, id, limit } = each.command
    return [{ tenant, id, limit, adds: { memories: 0, characters: each.grows } }]
  })
  const beyond = await lockQuotas(transaction, growing)
  return housed.map(each => (each instanceof ServiceError ? each : (beyond.get(keyOf(each.command)) ?? each)))
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
