import type { Context } from '../../context.ts'
import { untilAborted } from '../../platform/until-aborted.ts'
import { unavailable } from '../neo4j/failures.ts'

/** Of each memory that somebody writes to, when the last one who waits for it is through. */
const ends = new Map<string, Promise<unknown>>()

/**
 * Lets those who write to the same memories in this process do it one after the other, in the order in which they came:
 * who waited for a lock of the database instead would hold a connection meanwhile, and might be passed by for long.
 * @throws ServiceError `database_unavailable` when the time is over before it is the caller's turn
 */
export async function withMemoryLocks<Result>(
  { tenant, signal }: Context,
  memoryIds: readonly string[],
  work: () => Promise<Result>,
): Promise<Result> {
  using held = new DisposableStack()
  try {
    // In one order, so that no two of them wait for each other.
    for (const id of [...new Set(memoryIds)].sort()) held.use(await turnAt(`${tenant}:${id}`, signal))
  } catch (reason) {
    throw unavailable(reason, 'Other changes of the same memory took all the time.')
  }
  return await work()
}

/** Behind all who came before, until it is disposed of. @throws the reason of the signal */
async function turnAt(memory: string, signal: AbortSignal): Promise<Disposable> {
  signal.throwIfAborted()
  const before = ends.get(memory)
  const { promise: through, resolve: leave } = Promise.withResolvers<void>()
  const end = before ? before.then(() => through) : through
  ends.set(memory, end)
  void end.then(() => {
    if (ends.get(memory) === end) ends.delete(memory)
  })
  try {
    if (before) await untilAborted(signal, before)
    return { [Symbol.dispose]: leave }
  } catch (reason) {
    leave()
    throw reason
  }
}
