import { int, type Running } from '../neo4j/statements.ts'
import type { PlannedChange } from './figures.ts'

/** Marks the first waiting recalls of memories, as many as each row says, as accounted for by a run. */
export const foldRecalls = (
  { run }: Running,
  { tenant, runId }: { tenant: string; runId: string },
  rows: readonly Pick<PlannedChange, 'memory_id' | 'unfolded'>[],
) =>
  run(
    `UNWIND $rows AS row
    CALL (row) {
      MATCH (r:Recall {tenant: $tenant, memoryId: row.id}) WHERE r.foldedBy IS NULL
      WITH row, r ORDER BY r.at
      WITH row, collect(r) AS waiting
      UNWIND waiting[..row.unfolded] AS r
      SET r.foldedBy = $runId, r.foldedAt = datetime.realtime('Z')
    }`,
    { tenant, runId, rows: rows.map(({ memory_id: id, unfolded }) => ({ id, unfolded: int(unfolded) })) },
  )

/** Takes that back. */
export const unfoldRecalls = (
  { run }: Running,
  { tenant, runId }: { tenant: string; runId: string },
  ids: readonly string[],
) =>
  run(
    `UNWIND $ids AS id
    MATCH (r:Recall {tenant: $tenant, memoryId: id}) WHERE r.foldedBy = $runId
    REMOVE r.foldedBy, r.foldedAt`,
    { tenant, runId, ids },
  )
