import type { Space } from '../../context.ts'
import { inLockOrder, lockPresent, type MemoryKey, unlock } from '../neo4j/lock.ts'
import {
  columnNames,
  inMillis,
  type MemoryColumns,
  NOW,
  plain,
  spaceParameter,
  stateColumns,
} from '../neo4j/projections.ts'
import type { Transaction } from '../neo4j/statements.ts'
import { isWritten } from './written.ts'

/** What rules read of a memory, once no other transaction can change it; times in milliseconds, null where there is none. */
export type MemoryState = MemoryKey & {
  /** The present by the database's clock, behind the lock. */
  readonly now: number
  /** What it has, as an answer shows it, with its content where that was asked for. */
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
  /** Whether it has the content that was asked about; null where none was. */
  readonly hasContent: boolean | null
  /** Whether the write that was asked about has changed it. */
  readonly isWritten: boolean
}

/** A memory, and what is asked about it besides: whether it has a content, and whether a write has changed it. */
export type Asked = MemoryKey & {
  readonly writeId?: string
  readonly content?: string | undefined
  /** Whether its content is read. */
  readonly isWhole?: boolean
}

/** Locks memories until the transaction ends, and reads those that are there. */
export async function lockStates(
  { run }: Pick<Transaction, 'run'>,
  space: Space,
  memories: readonly Asked[],
): Promise<MemoryState[]> {
  const rows = inLockOrder(memories).map(
    ({ tenant, id, writeId = null, content = null, isWhole = false }) => ({
      ...{ tenant, id, writeId, content, isWhole },
    }),
  )
  const locked = await run<MemoryState>(lockAndRead, { rows, space: spaceParameter({ space }) })
  return locked.map(row => ({
    ...Object.fromEntries(columnNames.map((name, at) => [name, row.columns[at]])),
    ...row,
  }))
}

const lockAndRead = `CYPHER 25
  UNWIND $rows AS row
  MATCH (m:Memory {tenant: row.tenant, id: row.id}) USING INDEX SEEK m:Memory(tenant, id)
  ${lockPresent('m')} AND m.removedBy IS NULL
  ${unlock('m')}
  RETURN m.tenant AS tenant, ${stateColumns('m', 'row.isWhole')} AS columns,
    ${inMillis(NOW)} AS now, 1.0 * m.revision AS revision, 1.0 * size(m.content) AS size, m.supersededBy AS supersededBy,
    m.extractedBy AS extractedBy, m.lastRun AS lastRun, 1.0 * m.lastRunVersion AS lastRunVersion,
    [name IN keys(m) WHERE name STARTS WITH 'embedding'] AS vectors, m.content = row.content AS hasContent,
    ${isWritten('m', 'row.writeId')} AS isWritten`

/** The columns of a memory once these properties are set. */
export const columnsWith = (
  { columns }: MemoryState,
  space: Space,
  set: Readonly<Record<string, unknown>>,
): MemoryColumns =>
  columns.map((column, at) => {
    const name = columnNames[at] ?? space.truncated
    return name in set ? plain(set[name]) : column
  }) as unknown as MemoryColumns
