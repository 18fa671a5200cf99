import { queueJob } from '../jobs/enqueue.ts'
import type { Caller } from '../neo4j/attempts.ts'
import { releaseLease, takeLease } from '../neo4j/lease.ts'
import { isOver } from '../neo4j/projections.ts'
import { int, readValue, write } from '../neo4j/statements.ts'

/** How long a process that runs a round may be silent before another takes over. */
export const ROUND_LEASE_MS = 120_000

/**
 * Takes the lease of a schedule, or renews it, when a round is due: a process that runs a round holds it until the round
 * ends.
 */
export const takeRound = (
  caller: Caller,
  name: string,
  owner: string,
  intervalSeconds: number,
): Promise<boolean> =>
  takeLease(caller, { name, owner, seconds: ROUND_LEASE_MS / 1_000 }, isOver('s.dueAt', 'now', '$interval'), {
    interval: int(intervalSeconds),
  })

/** Ends the round: the next is due after the interval. */
export const endRound = (caller: Caller, name: string, owner: string, intervalSeconds: number) =>
  releaseLease(caller, { name, owner }, 'SET s.dueAt = now + duration({seconds: $interval})', {
    interval: int(intervalSeconds),
  })

/** The first tenant behind `after` that has what a pattern finds. */
const first = (pattern: string, tenant: string) => `CALL () {
        MATCH ${pattern} RETURN ${tenant} AS tenant
        ORDER BY ${tenant} LIMIT 1
      }
      RETURN tenant`

const memories = first('(m:Memory) WHERE m.tenant > $after', 'm.tenant')
const removed = first('(m:RemovedMemory) WHERE m.tenant > $after AND m.removedAt IS NOT NULL', 'm.tenant')
const runs = first(
  '(r:MaintenanceRun) WHERE r.tenant > $after AND r.createdAt IS NOT NULL AND r.id IS NOT NULL',
  'r.tenant',
)
const unnumbered = first('(c:Change) WHERE c.unnumbered > $after AND c.at IS NOT NULL', 'c.unnumbered')
const numbered = first('(c:Change) WHERE c.tenant > $after AND c.number IS NOT NULL', 'c.tenant')
const audited = first('(l:AuditLog) WHERE l.tenant > $after', 'l.tenant')
const webhooks = first('(w:Webhook) WHERE w.tenant > $after', 'w.tenant')

const nextOf =
  (...parts: readonly string[]) =>
  async (caller: Caller, after: string): Promise<string | undefined> => {
    const text = `CALL () {
      ${parts.join('\n      UNION ALL\n      ')}
    }
    RETURN min(tenant) AS tenant`
    return (await readValue<string | null>(caller, text, { after })) ?? undefined
  }

/** The next tenant, by name, that has memories, or what maintenance has left of them. */
export const nextTenant = nextOf(memories, removed, runs)

/** The next one that has anything that is kept for a time only. */
export const nextToRetain = nextOf(memories, removed, runs, unnumbered, numbered, audited, webhooks)

/** The next one whose feed has changes without a number. */
export const nextUnnumbered = nextOf(unnumbered)

/** Queues maintenance of a tenant, unless it is queued already. */
export const queueMaintenance = (caller: Caller, tenant: string) =>
  write(caller, queueJob({ id: "'maintain:' + $tenant", kind: 'maintain', tenant: '$tenant' }), { tenant })
