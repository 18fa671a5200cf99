import type { Space } from '../../context.ts'
import { inLockOrder, lockMemory, type MemoryKey, unlock } from '../neo4j/lock.ts'
import {
  columnNames,
  inMillis,
  type MemoryColumns,
  NOW,
  plainValue,
  spaceParameter,
  stateColumns,
} from '../neo4j/projections.ts'
import type { Running, Transaction } from '../neo4j/statements.ts'
import { isWritten } from './written.ts'

/** What rules read of a memory, once no other transaction can change it; times in milliseconds, null where there is none. */
export type MemoryState = MemoryKey & {
  /** The present by the database's clock, behind the lock. */
  readonly now: number
  /** As an answer shows it, with its content where that was asked for. */
  readonly columns: MemoryColumns
  readonly state: 'active' | 'archived'
  readonly policy: string
  readonly version: number
  readonly ttlSeconds: number
  readonly expiresAt: number | null
  readonly archivedAt: number | null
  readonly archivedReason: string | null
  readonly validFrom: number | null
  readonly validUntil: number | null
  readonly updatedAt: number
  readonly sensitive: readonly string[] | null
  /** Of its content. */
  readonly revision: number
  /** Characters of its content. */
  readonly size: number
  readonly supersededBy: string | null
  readonly extractedBy: string | null
  readonly lastRun: string | null
  readonly lastRunVersion: number | null
  /** The names of the properties that hold its vectors and belong to them. */
  readonly vectors: readonly string[]
  /** Whether the write that was asked about has changed it. */
  readonly isWritten: boolean
}

/** A memory, and what is asked about it besides: whether a write has changed it, and its content. */
export type Asked = MemoryKey & { readonly writeId?: string; readonly isWhole?: boolean }

/** Locks memories until the transaction ends, and reads those that are there. */
export const lockStates = ({ run }: Running, space: Space, memories: readonly Asked[]) =>
  statesOf(run, lockAndRead, space, memories)

/** The same as they are at the moment, which may change. */
export const readStates = (run: Transaction['run'], space: Space, memories: readonly Asked[]) =>
  statesOf(run, readOnly, space, memories)

async function statesOf(
  run: Transaction['run'],
  text: string,
  space: Space,
  memories: readonly Asked[],
): Promise<MemoryState[]> {
  const rows = inLockOrder(memories).map(({ tenant, id, writeId = null, isWhole = false }) => ({
    ...{ tenant, id, writeId, isWhole },
  }))
  const found = await run<MemoryState>(text, { rows, space: spaceParameter({ space }) })
  return found.map(row => ({
    ...Object.fromEntries(columnNames.map((name, at) => [name, row.columns[at]])),
    ...row,
  }))
}

/** Whether a memory has this value of a property already. Its content counts where it was asked for. */
export const has = (state: MemoryState, property: string, value: unknown): boolean =>
  JSON.stringify(plainValue(value)) === JSON.stringify((state as Record<string, unknown>)[property] ?? null)

const match = `UNWIND $rows AS row
  MATCH (m:Memory {tenant: row.tenant, id: row.id}) USING INDEX SEEK m:Memory(tenant, id)`

const state = `RETURN m.tenant AS tenant, ${stateColumns('m', 'row.isWhole')} AS columns, ${inMillis(NOW)} AS now,
    1.0 * m.revision AS revision, 1.0 * size(m.content) AS size, m.supersededBy AS supersededBy,
    m.extractedBy AS extractedBy, m.author AS author, m.reason AS reason, ${inMillis('m.maintainedAt')} AS maintainedAt,
    ${inMillis('m.importanceSince')} AS importanceSince, m.lastRun AS lastRun, 1.0 * m.lastRunVersion AS lastRunVersion,
    [name IN keys(m) WHERE name STARTS WITH 'embedding'] AS vectors,
    ${isWritten('m', 'row.writeId')} AS isWritten`

const lockAndRead = `${match}
  ${lockMemory}
  ${unlock('m')}
  ${state}`

const readOnly = `${match}
  ${state}`

/** The columns of a memory once these properties are set. */
export const columnsWith = (
  { columns }: MemoryState,
  space: Space,
  set: Readonly<Record<string, unknown>>,
): MemoryColumns =>
  columns.map((column, at) => {
    const name = columnNames[at] ?? space.truncated
    return name in set ? plainValue(set[name]) : column
  }) as unknown as MemoryColumns
