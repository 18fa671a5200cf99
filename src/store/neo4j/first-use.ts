import { LRUCache } from 'lru-cache'
import { untilAborted } from '../../platform/until-aborted.ts'

/** As many plans as Neo4j keeps. */
const MOST_KNOWN = 1_000
/**
 * A first use that takes longer plans on a busy machine, or waits for a lock: then another one may go, the next after half
 * the time, and so on.
 */
const LONGEST_MS = 3_000
const SHORTEST_MS = 20

/** Until it is disposed, other callers of the same statement wait. They proceed together once it is `planned`. */
export type FirstUse = Disposable & { planned(): void }

export type FirstUses = {
  /**
   * Waits while another caller uses this statement for the first time; undefined if there is a plan now. While that takes
   * long, those who wait follow one by one, after three seconds and then ever sooner.
   * @throws the reason of the signal when it is aborted
   */
  take(text: string, signal: AbortSignal): Promise<FirstUse | undefined>
}

/** Neo4j plans a new statement once for each of the callers who come together: here, the first of them goes alone. */
export function createFirstUses(): FirstUses {
  const known = new LRUCache<string, true>({ max: MOST_KNOWN })
  const inProgress = new Map<string, { over: Promise<void>; end: () => void }>()
  /** How often a first use took too long. */
  const overdue = new LRUCache<string, number>({ max: MOST_KNOWN })

  function begin(text: string): FirstUse {
    const { promise: over, resolve } = Promise.withResolvers<void>()
    const end = () => {
      if (inProgress.get(text)?.over === over) inProgress.delete(text)
      resolve()
    }
    inProgress.set(text, { over, end })
    const times = overdue.get(text) ?? 0
    const endForOthers = () => {
      overdue.set(text, times + 1)
      end()
    }
    const limit = setTimeout(endForOthers, Math.max(SHORTEST_MS, LONGEST_MS / 2 ** times)).unref()
    return {
      planned() {
        known.set(text, true)
        overdue.delete(text)
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
