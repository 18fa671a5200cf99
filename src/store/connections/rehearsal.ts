import type { Space } from '../../context.ts'
import type { LeasedJob } from '../jobs/leases.ts'
import { int, type Rehearsal, vector } from '../neo4j/statements.ts'

/** Creates the memories of jobs, all with the same vector, and the jobs themselves, as a worker has leased them. */
export const leasedMemories = (
  { property }: Space,
  jobs: readonly LeasedJob[],
  values: Float32Array,
): Rehearsal['first'] => ({
  text: `CYPHER 25
    UNWIND $jobs AS job
    CREATE (m:Memory {id: job.memoryId, tenant: job.tenant, state: 'active', revision: job.revision,
      createdAt: datetime.realtime('Z'), ${property}: $vector})
    CREATE (:Job {id: job.id, tenant: job.tenant, state: 'running', owner: job.owner, attempt: job.attempt})`,
  parameters: {
    jobs: jobs.map(job => ({ ...job, revision: int(job.revision), attempt: int(job.attempt) })),
    vector: vector(values),
  },
})
