import { untilAborted } from './until-aborted.ts'

/** Work that is under way, or done, for all who ask for its result. */
export type Flight<Value> = {
  /** @throws what the work throws, or the reason of the signal */
  join(signal: AbortSignal): Promise<Value>
  readonly landed: boolean
}

/**
 * Begins work that is done once for all who join it, and ended when nobody waits for it any more.
 * @param lost hears at once when it has failed or is ended: whoever comes then needs another.
 */
export function createFlight<Value>(
  work: (wanted: AbortSignal) => Promise<Value>,
  lost: () => void,
): Flight<Value> {
  const unwanted = new AbortController()
  const value = work(unwanted.signal)
  let waiting = 0
  let landed = false
  value.then(() => {
    landed = true
  }, lost)
  return {
    async join(signal) {
      if (landed) return value
      waiting++
      try {
        return await untilAborted(signal, value)
      } finally {
        waiting--
        if (waiting === 0 && !landed) {
          lost()
          unwanted.abort()
        }
      }
    },
    get landed() {
      return landed
    },
  }
}
