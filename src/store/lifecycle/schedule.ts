import { queueJob } from '../jobs/enqueue.ts'
import { releaseLease, takeLease } from '../neo4j/lease.ts'
import { isOver } from '../neo4j/projections.ts'
import { type Caller, int, read, write } from '../neo4j/statements.ts'

const SCHEDULE = 'maintenance'
/** How long a process that queues a round may be silent before another takes over. */
const LEASE_SECONDS = 120

/**
 * Takes the lease of the schedule, or renews it, when a round is due: a process that queues a round holds it until the
 * round ends.
 */
export const takeRound = (caller: Caller, owner: string, intervalSeconds: number): Promise<boolean> =>
  takeLease(
    caller,
    { name: SCHEDULE, owner, seconds: LEASE_SECONDS },
    isOver('s.dueAt', 'now', '$interval'),
    { interval: int(intervalSeconds) },
  )

/** Ends the round: the next is due after the interval. */
export const endRound = (caller: Caller, owner: string, intervalSeconds: number) =>
  releaseLease(caller, { name: SCHEDULE, owner }, 'SET s.dueAt = now + duration({seconds: $interval})', {
    interval: int(intervalSeconds),
  })

/** The first tenant behind `after`, by name, that has memories, or what maintenance has left of them. */
export async function nextTenant(caller: Caller, after: string): Promise<string | undefined> {
  const [row] = await read<{ tenant: string | null }>(
    caller,
    `CYPHER 25
    CALL () {
      CALL () { MATCH (m:Memory) WHERE m.tenant > $after RETURN m.tenant AS tenant ORDER BY m.tenant LIMIT 1 }
      RETURN tenant
      UNION ALL
      CALL () {
        MATCH (m:RemovedMemory) WHERE m.tenant > $after AND m.removedAt IS NOT NULL
        RETURN m.tenant AS tenant ORDER BY m.tenant LIMIT 1
      }
      RETURN tenant
      UNION ALL
      CALL () {
        MATCH (r:MaintenanceRun) WHERE r.tenant > $after AND r.createdAt IS NOT NULL AND r.id IS NOT NULL
        RETURN r.tenant AS tenant ORDER BY r.tenant LIMIT 1
      }
      RETURN tenant
      UNION ALL
      CALL () {
        MATCH (c:Change) WHERE c.unnumbered > $after AND c.at IS NOT NULL
        RETURN c.unnumbered AS tenant ORDER BY c.unnumbered LIMIT 1
      }
      RETURN tenant
      UNION ALL
      CALL () {
        MATCH (c:Change) WHERE c.tenant > $after AND c.number IS NOT NULL
        RETURN c.tenant AS tenant ORDER BY c.tenant LIMIT 1
      }
      RETURN tenant
    }
    RETURN min(tenant) AS tenant`,
    { after },
  )
  return row?.tenant ?? undefined
}

/** Queues maintenance of a tenant, unless it is queued already. */
export const queueMaintenance = (caller: Caller, tenant: string) =>
  write(
    caller,
    `CYPHER 25
    ${queueJob({ id: "'maintain:' + $tenant", kind: 'maintain', tenant: '$tenant' })}`,
    { tenant },
  )
