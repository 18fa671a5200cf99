import { removeJobs } from '../memories/remove.ts'
import { otherEnd } from '../neo4j/projections.ts'
import type { Running } from '../neo4j/statements.ts'

type Of = { readonly tenant: string; readonly runId: string }

/**
 * A removed memory loses its label, and its connections their keys: no index, search or walk finds them any more. All
 * else stays for as long as the run can be undone. One of the same id that was removed earlier makes room.
 */
export const setAside = ({ run }: Running, of: Of, ids: readonly string[]) =>
  run(
    `UNWIND $ids AS id
    MATCH (m:Memory {tenant: $tenant, id: id}) USING INDEX SEEK m:Memory(tenant, id) WHERE m.lastRun = $runId
    CALL (m) { MATCH (earlier:RemovedMemory {tenant: $tenant, id: m.id}) DETACH DELETE earlier }
    REMOVE m:Memory
    SET m:RemovedMemory, m.removedAt = datetime.realtime('Z'), m.removedBy = $runId
    WITH m
    ${removeJobs('m')}
    MATCH (m)-[r]-() WHERE r.key IS NOT NULL
    WITH DISTINCT r, r.key AS key
    SET r.removedKey = key
    REMOVE r.key, r.tenant`,
    { ...of, ids },
  )

/**
 * A connection comes back as soon as both of its ends have. A memory that got the id in the meantime, by an import, keeps it.
 */
export const bringBack = ({ run }: Running, of: Of, ids: readonly string[]) =>
  run(
    `UNWIND $ids AS id
    MATCH (m:RemovedMemory {tenant: $tenant, id: id}) WHERE m.removedBy = $runId
      AND NOT EXISTS { MATCH (other:Memory {tenant: $tenant, id: id}) USING INDEX SEEK other:Memory(tenant, id) }
    SET m:Memory
    REMOVE m:RemovedMemory, m.removedAt, m.removedBy
    WITH collect(m) AS back
    UNWIND back AS m
    MATCH (m)-[r]-${otherEnd('n')} WHERE r.removedKey IS NOT NULL AND n.tenant = $tenant
    WITH DISTINCT r, r.removedKey AS key
    SET r.key = key, r.tenant = $tenant
    REMOVE r.removedKey`,
    { ...of, ids },
  )
