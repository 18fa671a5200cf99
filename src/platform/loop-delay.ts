import { monitorEventLoopDelay } from 'node:perf_hooks'
import type { Log } from './log.ts'

/** Every caller waits while a turn of the event loop takes this long. */
const LONG_MS = 1_000
const LOOK_MS = 10_000
const RESOLUTION_MS = 20

/** Warns of each turn of the event loop that kept all callers waiting, until it is disposed. */
export function watchLoopDelay(log: Pick<Log, 'warn'>): Disposable {
  const delay = monitorEventLoopDelay({ resolution: RESOLUTION_MS })
  delay.enable()
  const looking = setInterval(() => {
    const longestMs = Math.round(delay.max / 1e6)
    delay.reset()
    if (longestMs > LONG_MS) log.warn({ longestMs }, 'the event loop was held up: all callers waited')
  }, LOOK_MS).unref()
  return {
    [Symbol.dispose]() {
      clearInterval(looking)
      delay.disable()
    },
  }
}
