import type { Context } from '../context.ts'
import { createSlots } from '../platform/slots.ts'
import { unavailable } from './failures.ts'

const turns = createSlots({ all: Number.POSITIVE_INFINITY, each: 1 })

/**
 * Lets those who write to the same memories in this process do it one after the other, in the order in which they came:
 * who waited for a lock of the database instead would hold a connection meanwhile, and might be passed by for long.
 * @throws ServiceError `database_unavailable` when the time is over before it is the caller's turn
 */
export async function oneAtATime<Result>(
  { tenant, signal }: Context,
  memoryIds: readonly string[],
  work: () => Promise<Result>,
): Promise<Result> {
  using held = new DisposableStack()
  try {
    // In one order, so that no two of them wait for each other.
    for (const id of [...new Set(memoryIds)].sort()) held.use(await turns.take(`${tenant}:${id}`, signal))
  } catch (reason) {
    throw unavailable(reason, 'Other changes of the same memory took all the time.')
  }
  return await work()
}
