import { randomUUID } from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'
import type { Caller } from './attempts.ts'
import { lock, unlock } from './lock.ts'
import { isOver } from './projections.ts'
import { int, type Parameters, write } from './statements.ts'

const LEASE_SECONDS = 20
const RENEW_MS = 5_000
const LOOK_MS = 200

type Lease = { readonly name: string; readonly owner: string; readonly seconds: number }

/**
 * Waits for the lease `name`, and holds it until it is disposed of. The lease of a process that died ends on its own, and
 * so may that of one that stalled: what is done under a lease must bear to be repeated.
 */
export async function acquireLease(caller: Caller, name: string): Promise<AsyncDisposable> {
  const lease = { name, owner: randomUUID(), seconds: LEASE_SECONDS }
  while (!(await takeLease(caller, lease))) await sleep(LOOK_MS, undefined, { signal: caller.signal })
  const heartbeat = setInterval(() => void takeLease(caller, lease).catch(() => {}), RENEW_MS)
  return {
    async [Symbol.asyncDispose]() {
      clearInterval(heartbeat)
      await releaseLease(caller, lease)
    },
  }
}

/**
 * Takes or renews a lease for its owner. False when another owner holds it, or when `condition` does not hold: an
 * expression of the setting `s` that carries the lease, of `now`, and of the given parameters.
 */
export async function takeLease(
  caller: Caller,
  lease: Lease,
  condition = 'true',
  parameters: Parameters = {},
): Promise<boolean> {
  const rows = await write<{ name: string }>(
    caller,
    `MERGE (s:Setting {name: $name})
    ${lock('s')}
    WITH s, datetime.realtime('Z') AS now
    ${unlock('s')}
    WITH s, now WHERE ${condition} AND (s.owner = $owner OR ${isOver('s.leaseUntil', 'now', '$seconds')})
    SET s.owner = $owner, s.leaseUntil = now + duration({seconds: $seconds})
    RETURN s.name AS name`,
    { ...parameters, ...lease, seconds: int(lease.seconds) },
  )
  return rows.length > 0
}

/** Ends a lease that its owner still holds. `set` is what the setting `s` then says, of `now` and the given parameters. */
export const releaseLease = (
  caller: Caller,
  { name, owner }: Pick<Lease, 'name' | 'owner'>,
  set = '',
  parameters: Parameters = {},
) =>
  write(
    caller,
    `MATCH (s:Setting {name: $name}) ${lock('s')}
    WITH s, datetime.realtime('Z') AS now
    ${unlock('s')}
    WITH s, now WHERE s.owner = $owner
    ${set}
    REMOVE s.owner, s.leaseUntil`,
    { ...parameters, name, owner },
  )
