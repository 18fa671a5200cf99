import { LRUCache } from 'lru-cache'
import { timeLimit } from '../../platform/time-limit.ts'
import { untilAborted } from '../../platform/until-aborted.ts'

/** As many plans as Neo4j keeps. */
const MOST_KNOWN = 1_000
/** Less than a transaction waits for a lock: the first use may need one of a transaction that waits here. */
const LONGEST_WAIT_MS = 3_000

/** Until it is disposed, other callers of the same statement wait. They proceed together once it is `planned`. */
export type FirstUse = Disposable & { planned(): void }

export type FirstUses = {
  /**
   * Waits while another caller uses this statement for the first time. Undefined if there is a plan now, or if the wait
   * took too long.
   * @throws the reason of the signal when it is aborted
   */
  take(text: string, signal: AbortSignal): Promise<FirstUse | undefined>
}

/** Neo4j plans a new statement once for each of the callers who come together: here, the first of them goes alone. */
export function createFirstUses(): FirstUses {
  const known = new LRUCache<string, true>({ max: MOST_KNOWN })
  const inProgress = new Map<string, Promise<void>>()

  function begin(text: string): FirstUse {
    const { promise, resolve } = Promise.withResolvers<void>()
    inProgress.set(text, promise)
    return {
      planned: () => void known.set(text, true),
      [Symbol.dispose]() {
        inProgress.delete(text)
        resolve()
      },
    }
  }

  return {
    async take(text, signal) {
      if (known.has(text)) return undefined
      using limit = timeLimit(signal, LONGEST_WAIT_MS)
      while (!known.has(text)) {
        const other = inProgress.get(text)
        if (!other) return begin(text)
        await untilAborted(limit.signal, other).catch(() => signal.throwIfAborted())
        if (limit.isOver()) return undefined
      }
      return undefined
    },
  }
}
