import type { Space } from '../../context.ts'
import type { LeasedJob } from '../jobs/leases.ts'
import type { Before } from '../neo4j/dry-run.ts'
import { int, vector } from '../neo4j/statements.ts'

/** Creates the memories of jobs, all with the same vector, and the jobs themselves, as a worker has leased them. */
export const leasedMemories = (
  { property }: Space,
  jobs: readonly LeasedJob[],
  values: Float32Array,
): Before => ({
  text: `CYPHER 25
    UNWIND $rows AS row
    CREATE (m:Memory {id: row.memoryId, tenant: row.tenant, state: 'active', revision: row.revision,
      createdAt: datetime.realtime('Z'), ${property}: $vector})
    CREATE (:Job {id: row.id, tenant: row.tenant, state: 'running', owner: row.owner, attempt: row.attempt})`,
  parameters: {
    rows: jobs.map(job => ({ ...job, revision: int(job.revision), attempt: int(job.attempt) })),
    vector: vector(values),
  },
})
