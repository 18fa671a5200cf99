import type { Context, Selection } from '../../context.ts'
import type { Batch, SelectedChange } from '../../store/feed/types.ts'

/** What a follower does not take is kept for it up to so many changes: behind that it reads them again. */
const KEPT = 1_000
/** How often a follower is told its place if nothing is wanted of what comes. */
const QUIET_MS = 15_000

/** Who follows the feed of a tenant: what it has been given already, and what waits for it. */
export class Follower {
  readonly ctx: Context
  readonly selection: Selection
  /** Up to here, all that it wants was taken or waits. */
  seen: number
  #taken: number
  #waiting: SelectedChange[] = []
  #toldAt = 0
  #failure: unknown
  #called = Promise.withResolvers<void>()

  constructor(ctx: Context, selection: Selection, position: number) {
    this.ctx = ctx
    this.selection = selection
    this.seen = position
    this.#taken = position
  }

  /** What it wants up to a position, of the changes behind `seen`. */
  offer(changes: readonly SelectedChange[], end: number) {
    if (this.#waiting.length + changes.length > KEPT) {
      this.#waiting = []
      this.seen = this.#taken
    } else {
      for (const change of changes) this.#waiting.push(change)
      this.seen = Math.max(this.seen, end)
    }
    if (changes.length > 0) this.call()
  }

  fail(error: unknown) {
    this.#failure = error
    this.call()
  }

  /** What waits, or the place alone if that was not told for a while. @throws what it failed with */
  take(): Batch | undefined {
    if (this.#failure) throw this.#failure
    const isDue = this.#waiting.length > 0 || Date.now() - this.#toldAt >= QUIET_MS
    return isDue ? this.takeAll() : undefined
  }

  takeAll(): Batch {
    const changes = this.#waiting
    this.#waiting = []
    this.#taken = this.seen
    this.#toldAt = Date.now()
    return { changes, end: this.seen }
  }

  readonly call = () => this.#called.resolve()

  /** Until it is called the next time. */
  async called() {
    await this.#called.promise
    this.#called = Promise.withResolvers()
  }
}
