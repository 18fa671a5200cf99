import type { Batch, NumberedChange } from '../../context.ts'

/** The most changes that are read at once. */
export const CHANGES_AT_ONCE = 500
/** The most that are kept for those who follow closely. */
const KEPT = 1_000

/** What a process knows of the feed of a tenant that somebody follows: how far it goes, and the last that came. */
export class Channel {
  followers = 0
  last: number
  #recent: readonly NumberedChange[] = []
  /** Behind this number all is in `#recent`. */
  #from: number
  readonly #waiting = new Set<() => void>()

  constructor(last: number) {
    this.last = last
    this.#from = last
  }

  /** The feed goes further, with these changes; with only some of them, those who follow read by themselves. */
  advance(last: number, changes: readonly NumberedChange[]) {
    const isWhole = changes.length < CHANGES_AT_ONCE && last >= this.last
    const recent = isWhole ? [...this.#recent, ...changes] : []
    this.#recent = recent.slice(-KEPT)
    if (!isWhole) this.#from = last
    else if (recent.length > KEPT) this.#from = recent[recent.length - KEPT - 1]?.number ?? last
    this.last = last
    this.wake()
  }

  /** The changes after a position; undefined if they are no longer kept here. A position may be ahead of this process. */
  after(position: number): Batch | undefined {
    if (position < this.#from) return undefined
    return {
      changes: this.#recent.filter(({ number }) => number > position),
      end: Math.max(position, this.last),
    }
  }

  /** Until something comes, at most for so long. */
  wait(ms: number, signal: AbortSignal): Promise<void> {
    return new Promise(resolve => {
      const end = () => {
        clearTimeout(timer)
        signal.removeEventListener('abort', end)
        this.#waiting.delete(end)
        resolve()
      }
      const timer = setTimeout(end, ms)
      signal.addEventListener('abort', end)
      this.#waiting.add(end)
    })
  }

  wake() {
    for (const end of [...this.#waiting]) end()
  }
}
