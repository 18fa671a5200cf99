import type { App, Context } from '../../context.ts'
import { untilAborted } from '../../platform/until-aborted.ts'
import { toDatabaseUnavailable } from '../neo4j/failures.ts'
import { inLockOrder, keyOf, lockMemory, type MemoryKey, unlock } from '../neo4j/lock.ts'
import type { Running } from '../neo4j/statements.ts'

/** Locks memories in the database until the transaction ends. */
export const lockMemories = ({ run }: Running, memories: readonly MemoryKey[]): Promise<unknown> =>
  run(lockAll, { ends: inLockOrder(memories) })

const lockAll = `UNWIND $ends AS row
  MATCH (m:Memory {tenant: row.tenant, id: row.id}) USING INDEX SEEK m:Memory(tenant, id)
  ${lockMemory}
  ${unlock('m')}`

/**
 * Holds the locks of some memories in this process while `work` runs. Writers get a lock in the order in which they asked
 * for it. A writer that waited for a lock of the database instead would hold a connection, and others might overtake it.
 * @throws ServiceError `database_unavailable` when the signal aborts before all locks are held
 */
export async function withMemoryLocks<Result>(
  { app, tenant, signal }: Pick<Context, 'app' | 'tenant' | 'signal'>,
  memoryIds: readonly string[],
  work: () => Promise<Result>,
): Promise<Result> {
  using held = new DisposableStack()
  try {
    // In one order, so that no two of them wait for each other.
    for (const id of [...new Set(memoryIds)].sort())
      held.use(await acquire(app, keyOf({ tenant, id }), signal))
  } catch (reason) {
    throw toDatabaseUnavailable(reason, 'Other changes of the same memory took all the time.')
  }
  return await work()
}

/** Waits for all earlier writers. Disposing releases the lock. @throws the reason of the signal */
async function acquire({ memoryLocks: ends }: App, memory: string, signal: AbortSignal): Promise<Disposable> {
  signal.throwIfAborted()
  const before = ends.get(memory)
  const { promise: finished, resolve: release } = Promise.withResolvers<void>()
  const end = before ? before.then(() => finished) : finished
  ends.set(memory, end)
  void end.then(() => {
    if (ends.get(memory) === end) ends.delete(memory)
  })
  try {
    if (before) await untilAborted(signal, before)
    return { [Symbol.dispose]: release }
  } catch (reason) {
    release()
    throw reason
  }
}
