import type { Context, Space } from '../../context.ts'
import { recordMemoryChange } from '../feed/record.ts'
import { queueDiscoveryOf } from '../jobs/enqueue.ts'
import { byKey, type MemoryKey } from '../neo4j/lock.ts'
import { spaceParameter } from '../neo4j/projections.ts'
import { int, type Running } from '../neo4j/statements.ts'
import { keepVersion } from './history.ts'
import { recordWrite } from './written.ts'

/** A write to a memory whose lock is held. */
export type MemoryChange = MemoryKey & {
  /** Properties, of which null takes one away. Nothing else changes where there are none. */
  readonly set: Readonly<Record<string, unknown>>
  /** What the feed tells of it; nothing where it is null. */
  readonly recorded: 'created' | 'updated' | 'archived' | 'restored' | 'promoted' | 'removed' | null
  /** The names of the fields that have changed. */
  readonly fields?: readonly string[] | null
  /** Whether a version keeps the memory as it is before. */
  readonly keepsVersion?: boolean
  readonly vector?: unknown
  /** Whether its neighbours are looked for again. */
  readonly discovers?: boolean
  readonly writeId?: string | null
  /** The trace of the request; by default the one in progress. */
  readonly trace?: string | null
}

/** Who makes a version. */
export const authorOf = ({ key }: Pick<Context, 'key'>) => key ?? null

/** Writes to memories whose locks are held, and keeps so many earlier versions of each. */
export const changeMemories = (
  { run }: Running,
  { space, keptVersions }: { space: Space; keptVersions: number },
  changes: readonly MemoryChange[],
): Promise<unknown> =>
  run(changeAll, {
    space: spaceParameter({ space }),
    by: { keptVersions: int(keptVersions) },
    // In the order in which jobs are locked.
    rows: changes.toSorted(byKey).map(({ writeId = null, ...change }) => ({
      ...{ fields: null, vector: null, trace: null, keepsVersion: false, discovers: false },
      ...change,
      writeIds: writeId === null ? [] : [writeId],
    })),
  })

const changeAll = `UNWIND $rows AS row
  MATCH (m:Memory {tenant: row.tenant, id: row.id}) USING INDEX SEEK m:Memory(tenant, id)
  CALL (m, row) {
    WITH m WHERE row.keepsVersion
    ${keepVersion('m')}
  }
  SET m += row.set
  FOREACH (writeId IN row.writeIds | ${recordWrite('m', 'writeId')})
  WITH m, row
  CALL (m, row) {
    WITH m, row WHERE row.vector IS NOT NULL
    CALL db.create.setNodeVectorProperty(m, $space.property, row.vector)
  }
  CALL (m, row) {
    WITH m, row WHERE row.discovers
    ${queueDiscoveryOf('coalesce(row.trace, $traceparent)')}
  }
  CALL (m, row) {
    WITH m, row WHERE row.recorded IS NOT NULL
    ${recordMemoryChange('row.recorded', 'm', 'row.fields')}
  }`
