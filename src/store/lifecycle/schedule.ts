import { queueJob } from '../jobs/enqueue.ts'
import { type Caller, int, read, write } from '../neo4j/statements.ts'

/** How long a process that queues a round may be silent before another takes over. */
const LEASE_SECONDS = 120

/**
 * Takes the schedule for a while, or keeps it, when a round is due and nobody else has it. A time further off than it
 * could have been set is the mark of a clock that has gone wrong, and counts as due.
 */
export async function takeRound(caller: Caller, owner: string, intervalSeconds: number): Promise<boolean> {
  const rows = await write<{ name: string }>(
    caller,
    `CYPHER 25
    MERGE (s:Setting {name: 'maintenance'})
    ON CREATE SET s.dueAt = datetime.realtime('Z'), s.leaseUntil = datetime.realtime('Z')
    SET s.lock = true
    WITH s, datetime.realtime('Z') AS now
    REMOVE s.lock
    WITH s, now WHERE (s.dueAt <= now OR s.dueAt > now + duration({seconds: $interval}))
      AND (s.leaseUntil <= now OR s.leaseUntil > now + duration({seconds: $lease}) OR s.owner = $owner)
    SET s.owner = $owner, s.leaseUntil = now + duration({seconds: $lease})
    RETURN s.name AS name`,
    { owner, lease: int(LEASE_SECONDS), interval: int(intervalSeconds) },
  )
  return rows.length > 0
}

/** Ends the round: the next is due after the interval. */
export const endRound = (caller: Caller, owner: string, intervalSeconds: number) =>
  write(
    caller,
    `CYPHER 25
    MATCH (s:Setting {name: 'maintenance'}) SET s.lock = true
    WITH s, datetime.realtime('Z') AS now
    REMOVE s.lock
    WITH s, now WHERE s.owner = $owner
    SET s.dueAt = now + duration({seconds: $interval}), s.leaseUntil = now`,
    { owner, interval: int(intervalSeconds) },
  )

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
