import type { Context, GroupCommit, Space } from '../../context.ts'
import type { CreatedMemory, NewMemory } from '../../contract/memory.ts'
import { isBuiltIn } from '../../contract/policies.ts'
import { ServiceError } from '../../contract/problems.ts'
import { mapInSlices } from '../../platform/time-slices.ts'
import { charactersOf, lockQuotasOfNew } from '../../store/access/usage.ts'
import { withoutPolicy } from '../../store/lifecycle/policies.ts'
import { findSame, lockSame, notStored, standsFor } from '../../store/memories/duplicates.ts'
import {
  createMissing,
  createNew,
  type MemoryRow,
  type Run,
  rowOf,
  type StoredRow,
  saidOf,
} from '../../store/memories/insert.ts'
import type { Asked } from '../../store/memories/states.ts'
import type { Caller } from '../../store/neo4j/attempts.ts'
import { isRace } from '../../store/neo4j/failures.ts'
import { MOST_BYTES } from '../../store/neo4j/group-commit.ts'
import { keyOf } from '../../store/neo4j/lock.ts'
import { type MemoryColumns, memoryOf } from '../../store/neo4j/projections.ts'
import { type Transaction, transact, write } from '../../store/neo4j/statements.ts'
import { type SupersedeFault, supersede, supersedeFaults } from './supersede.ts'

/** A memory as it is now, and its id if it was there before. */
export type Stored = CreatedMemory

/** The memories that a new one should replace, and which prevent it. */
export type Refused = { readonly faults: readonly SupersedeFault[] }

/**
 * Stores memories with their queued discovery, all or none. Keyed by id: running it again changes nothing.
 * Returns in the order of the rows.
 */
export async function storeMemories(
  ctx: Context,
  memories: readonly MemoryRow[],
): Promise<{ created: Stored[] } | Refused> {
  const rows = await rowsOf(ctx, memories)
  const replaced = memories.flatMap(({ supersedes = [] }) => supersedes)
  if (replaced.length === 0)
    return { created: storedOf(ctx, memories, await storeRows(ctx, ctx.space, rows, allOrNone)) }
  return transact(ctx, async transaction => {
    const olds = memories.flatMap(({ id, supersedes = [] }) =>
      supersedes.map(old => ({ tenant: ctx.tenant, id: old, writeId: id })),
    )
    const { known, locked } = await lockForCreate(transaction, ctx.space, rows, olds)
    const faults = supersedeFaults(replaced, locked)
    if (faults.length > 0) return { faults }
    const created = storedOf(ctx, memories, allOrNone(await storeLocked(transaction, ctx.space, rows, known)))
    const pairs = memories.flatMap(({ id: writeId, supersedes = [] }, at) => {
      const { id, created_at } = created[at] as Stored
      const pair = { id, writeId, reason: `superseded by ${id}`, from: Date.parse(created_at) }
      return supersedes.map(oldId => ({ ...pair, oldId }))
    })
    await supersede(transaction, ctx, pairs, locked)
    return { created }
  })
}

/** Stores one memory like `storeMemories`, in one commit with those that are created at the same time. */
export async function storeMemory(ctx: Context, memory: MemoryRow): Promise<{ created: Stored[] } | Refused> {
  if (memory.supersedes) return storeMemories(ctx, [memory])
  const limit = await ctx.app.quotas.limitOf(ctx)
  const stored = await ctx.app.groupCommits.commit(creates, ctx, rowOf(ctx, memory, limit))
  return { created: storedOf(ctx, [memory], allOrNone([stored])) }
}

/** The memory that stands for a new one, if there is one; a repeat finds what it has created itself. */
export async function findDuplicate(ctx: Context, memory: NewMemory): Promise<Stored | undefined> {
  const said = saidOf(ctx, ctx.mintedIds?.[0] ?? '', memory)
  const columns = (await findSame(ctx, { space: ctx.space, said: [said] })).get(keyOf(said))
  return columns && storedOf(ctx, [memory], [{ columns, isDuplicate: true }])[0]
}

export async function rowsOf(ctx: Context, memories: readonly MemoryRow[]): Promise<StoredRow[]> {
  const limit = await ctx.app.quotas.limitOf(ctx)
  return mapInSlices(memories, memory => rowOf(ctx, memory, limit))
}

/**
 * Locks what rows say, then the memories that stand for them together with further ones. It comes first in a transaction that
 * stores them.
 */
export const lockForCreate = (
  transaction: Transaction,
  space: Space,
  rows: readonly StoredRow[],
  further: readonly Asked[] = [],
) => {
  const said = rows.filter(({ isOnly }) => isOnly).map(each => each.said)
  return lockSame(transaction, { space, said, further })
}

/** The memories that stand for rows, by `keyOf`. */
type Known = ReadonlyMap<string, MemoryColumns>

/** Stores memories like `storeMemories` behind their locks, and says of each whether another one stands for it. */
export const storeAll = async (
  transaction: Transaction,
  space: Space,
  rows: readonly StoredRow[],
  known: Known,
): Promise<Pick<StoredColumns, 'isDuplicate'>[]> =>
  rows.length === 0 ? [] : allOrNone(await storeLocked(transaction, space, rows, known))

type StoredColumns = { readonly columns: MemoryColumns; readonly isDuplicate: boolean }

/** What became of a row: a quota refuses one without the others. */
type Outcome = StoredColumns | ServiceError

/** @throws ServiceError `quota_exceeded` */
function allOrNone(outcomes: readonly Outcome[]): StoredColumns[] {
  return outcomes.map(outcome => {
    if (outcome instanceof ServiceError) throw outcome
    return outcome
  })
}

const storedOf = (ctx: Context, given: readonly NewMemory[], stored: readonly StoredColumns[]): Stored[] =>
  stored.map(({ columns, isDuplicate }, at) => {
    const memory = memoryOf(ctx, columns)
    if (!isDuplicate) return memory
    return { ...memory, duplicate_of: memory.id, not_stored: notStored(memory, given[at] as NewMemory) }
  })

const creates: GroupCommit<StoredRow, Outcome> = {
  rows: 128,
  size: MOST_BYTES,
  sizeOf: ({ properties }) => Buffer.byteLength(properties.content),
  commit: storeRows,
}

/** The rows can be of several tenants: each names its own. What `check` throws undoes all. */
async function storeRows<Result = Outcome>(
  caller: Caller,
  space: Space,
  rows: readonly StoredRow[],
  check: (outcomes: Outcome[]) => Result[] = outcomes => outcomes as Result[],
): Promise<Result[]> {
  if (rows.some(({ isOnly, limit, properties }) => isOnly || limit || !isBuiltIn(properties.policy)))
    return transact(caller, async transaction => {
      const { known } = await lockForCreate(transaction, space, rows)
      return check(await storeLocked(transaction, space, rows, known))
    })
  const inserted = await createOnce(caller, space, rows)
  return check(rows.map(row => ({ columns: inserted.get(keyOf(row)) as MemoryColumns, isDuplicate: false })))
}

/** An id may be taken: by an earlier try whose commit went unanswered, or by a request that is repeated. */
async function createOnce(caller: Caller, space: Space, rows: readonly StoredRow[]) {
  const run: Run = (text, parameters) => write({ ...caller, raceTries: 1 }, text, parameters)
  for (let tries = 1; ; tries++)
    try {
      return await (tries === 1 ? createNew(run, space, rows) : createMissing(run, space, rows))
    } catch (error) {
      if (tries > MOST_TRIES || !(error instanceof ServiceError && isRace(error.cause))) throw error
    }
}

/** Tries after the first read which memories are there: only another create in the meantime is in the way. */
const MOST_TRIES = 4

/** Stores those that no memory stands for, or that are to be stored in any case. */
async function storeLocked(
  transaction: Transaction,
  space: Space,
  rows: readonly StoredRow[],
  known: Known,
): Promise<Outcome[]> {
  const { run, isRepeat } = transaction
  const kept: StoredRow[] = []
  const others = new Map<string, string>()
  for (const row of rows) {
    // A repeat of the transaction that has stored it finds the memory itself.
    const other =
      known.get(keyOf(row))?.[0] ??
      (row.isOnly ? kept.find(each => standsFor(each.said, row.said))?.id : row.id)
    if (other === undefined || other === row.id) kept.push(row)
    else others.set(keyOf(row), keyOf({ tenant: row.tenant, id: other }))
  }
  // A text takes a while to embed: its policy may be gone.
  const homeless = await withoutPolicy(
    transaction,
    kept.map(({ tenant, id, properties: { policy } }) => ({ tenant, id, policy })),
  )
  const refused = new Map([
    ...homeless,
    ...(await lockQuotasOfNew(transaction, kept.filter(row => !homeless.has(keyOf(row))).map(quotaOf))),
  ])
  const allowed = kept.filter(row => !refused.has(keyOf(row)))
  const create = isRepeat ? createMissing : createNew
  const inserted = await create(run, space, allowed)
  return rows.map(row => {
    const key = keyOf(row)
    const other = others.get(key) ?? key
    const columns = inserted.get(other) ?? known.get(key)
    return refused.get(other) ?? { columns: columns as MemoryColumns, isDuplicate: others.has(key) }
  })
}

const quotaOf = ({ tenant, id, limit, properties: { content } }: StoredRow) => ({
  ...{ tenant, id, limit },
  adds: { memories: 1, characters: limit ? charactersOf(content) : 0 },
})
