import { LRUCache } from 'lru-cache'
import { untilAborted } from '../../platform/until-aborted.ts'

/** As many plans as Neo4j keeps. */
const MOST_KNOWN = 1_000
/** A first use that takes longer waits for something else than its plan, or plans on a busy machine. */
const LONGEST_MS = 3_000

/** Until it is disposed, other callers of the same statement wait. They proceed together once it is `planned`. */
export type FirstUse = Disposable & { planned(): void }

export type FirstUses = {
  /**
   * Waits while another caller uses this statement for the first time; undefined if there is a plan now. Of those who
   * wait, one more goes on its own whenever three seconds have passed.
   * @throws the reason of the signal when it is aborted
   */
  take(text: string, signal: AbortSignal): Promise<FirstUse | undefined>
}

/** Neo4j plans a new statement once for each of the callers who come together: here, the first of them goes alone. */
export function createFirstUses(): FirstUses {
  const known = new LRUCache<string, true>({ max: MOST_KNOWN })
  const inProgress = new Map<string, { over: Promise<void>; end: () => void }>()

  function begin(text: string): FirstUse {
    const { promise: over, resolve } = Promise.withResolvers<void>()
    const end = () => {
      if (inProgress.get(text)?.over === over) inProgress.delete(text)
      resolve()
    }
    inProgress.set(text, { over, end })
    const limit = setTimeout(end, LONGEST_MS).unref()
    return {
      planned() {
        known.set(text, true)
        inProgress.get(text)?.end()
      },
      [Symbol.dispose]() {
        clearTimeout(limit)
        end()
      },
    }
  }

  return {
    async take(text, signal) {
      while (!known.has(text)) {
        const other = inProgress.get(text)
        if (!other) return begin(text)
        await untilAborted(signal, other.over)
      }
      return undefined
    },
  }
}
