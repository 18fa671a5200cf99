import { randomUUID } from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'
import { type Caller, int, write } from './statements.ts'

const LEASE_SECONDS = 20
const EXTEND_MS = 5_000
const LOOK_MS = 200

/**
 * Waits for the turn of this process to do what is called `name`. Disposing ends the turn; that of a process which
 * died ends by itself. What is done in a turn must bear to be repeated all the same.
 */
export async function acquireLease(caller: Caller, name: string): Promise<AsyncDisposable> {
  const owner = randomUUID()
  while (!(await take(caller, name, owner))) await sleep(LOOK_MS, undefined, { signal: caller.signal })
  const heartbeat = setInterval(() => void take(caller, name, owner).catch(() => {}), EXTEND_MS)
  return {
    async [Symbol.asyncDispose]() {
      clearInterval(heartbeat)
      await write(
        caller,
        'CYPHER 25 MATCH (s:Setting {name: $name}) WHERE s.owner = $owner REMOVE s.owner, s.leaseUntil',
        { name, owner },
      )
    },
  }
}

/** Takes the turn, or keeps it, unless another has it. */
async function take(caller: Caller, name: string, owner: string): Promise<boolean> {
  const [row] = await write<{ owner: string }>(
    caller,
    `CYPHER 25
    MERGE (s:Setting {name: $name})
    SET s.lock = true
    WITH s, datetime.realtime('Z') AS now
    FOREACH (_ IN CASE WHEN s.owner IS NULL OR s.owner = $owner OR s.leaseUntil < now THEN [1] ELSE [] END |
      SET s.owner = $owner, s.leaseUntil = now + duration({seconds: $seconds}))
    REMOVE s.lock
    RETURN s.owner AS owner`,
    { name, owner, seconds: int(LEASE_SECONDS) },
  )
  return row?.owner === owner
}
