import { setTimeout as pause } from 'node:timers/promises'
import type { Caller } from './attempts.ts'
import { write } from './statements.ts'

const LOOK_MS = 50

/**
 * Waits until every transaction of the database that runs now has ended: those that begin later see what was committed
 * before. Asks the server that takes writes. @throws ServiceError `database_unavailable` when the signal aborts before
 */
export async function untilEarlierEnded(caller: Caller): Promise<void> {
  for (let running = await others(caller, null); running.length > 0; ) {
    await pause(LOOK_MS, undefined, { signal: caller.signal }).catch(() => {})
    running = await others(caller, running)
  }
}

const others = async (caller: Caller, among: readonly string[] | null): Promise<string[]> => {
  const rows = await write<{ id: string }>(
    caller,
    `SHOW TRANSACTIONS YIELD transactionId AS id, currentQuery AS query
    WHERE NOT coalesce(query, '') CONTAINS 'SHOW TRANSACTIONS' AND ($among IS NULL OR id IN $among)
    RETURN id`,
    { among },
  )
  return rows.map(({ id }) => id)
}
