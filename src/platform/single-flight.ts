import { untilAborted } from './until-aborted.ts'

/** Work that runs, or is done, for all callers that want its result. */
export type Flight<Value> = {
  /** @throws what the work throws, or the reason of the signal */
  join(signal: AbortSignal): Promise<Value>
  readonly landed: boolean
}

/**
 * Starts work that runs once for all callers that join it, and is aborted when none waits any more.
 * @param lost is called at once when the work fails or is aborted: later callers need another flight.
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
