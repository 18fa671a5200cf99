import { createFairQueue, type FairQueue } from './fair-queue.ts'

/** One item of a call and the promise of its result. */
export type BatchCall<Item, Result> = {
  readonly item: Item
  readonly resolve: (result: Result) => void
  readonly reject: (reason: unknown) => void
  /** Its caller has given up. */
  readonly isGone: () => boolean
}

type Limits<Item> = {
  /** How many batches are sent at the same time. */
  readonly concurrency: number
  /** While batches take longer than this, others pass them, up to `most` at the same time; an owner leaves one to the others. */
  readonly passing?: { readonly afterMs: number; readonly most: number }
  readonly most: () => number
  readonly bytes: number
  readonly sizeOf: (item: Item) => number
}

type CallOptions = {
  readonly signal: AbortSignal
  /** Who calls: waiting callers share the batches fairly. */
  readonly share?: string | undefined
}

/** The owner of calls that name none. */
const NOBODY = ''

/**
 * Collects the items of concurrent calls into batches. A lone call is sent at once; calls that arrive while batches are
 * being sent go into the next one. A call whose signal is aborted leaves the queue; batches already sent continue.
 * @param send resolves or rejects every job that it is given and does not throw.
 */
export function createBatcher<Item, Result>(
  limits: Limits<Item>,
  send: (jobs: BatchCall<Item, Result>[]) => Promise<void>,
) {
  const waiting = createFairQueue<BatchCall<Item, Result>>()
  const { concurrency, passing } = limits
  const inProgress = new Set<RunningBatch>()

  function maySend(): boolean {
    if (inProgress.size < concurrency) return true
    if (!passing || inProgress.size >= passing.most) return false
    const slowSince = performance.now() - passing.afterMs
    return [...inProgress].every(({ began }) => began <= slowSince)
  }

  const mayEnter = (owner: string) =>
    !passing || [...inProgress].filter(({ owners }) => owners.has(owner)).length < passing.most - 1

  function pump(): void {
    while (waiting.size > 0 && maySend()) {
      const { batch, owners } = takeBatch(waiting, limits, mayEnter)
      if (batch.length === 0) return
      const sent = { began: performance.now(), owners }
      inProgress.add(sent)
      const timer = passing && setTimeout(pump, passing.afterMs + 1).unref()
      void send(batch).finally(() => {
        clearTimeout(timer)
        inProgress.delete(sent)
        pump()
      })
    }
  }

  return async (items: readonly Item[], { signal, share = NOBODY }: CallOptions): Promise<Result[]> => {
    signal.throwIfAborted()
    const isGone = () => signal.aborted
    const pending = items.map(item => ({ item, isGone, ...Promise.withResolvers<Result>() }))
    const leave = () => {
      for (const job of pending) waiting.drop(share, job)
    }
    const abort = () => {
      for (const job of pending) job.reject(signal.reason)
    }
    signal.addEventListener('abort', abort, { once: true })
    for (const job of pending) waiting.add(share, job)
    // Waits for the calls of this turn of the event loop, so that they share one batch.
    setImmediate(pump)
    try {
      return await Promise.all(pending.map(job => job.promise))
    } finally {
      leave()
      signal.removeEventListener('abort', abort)
    }
  }
}

type RunningBatch = { readonly began: number; readonly owners: ReadonlySet<string> }

/** From the front of the queue. The first item is always taken, even if it is too large. */
function takeBatch<Item, Result>(
  waiting: FairQueue<BatchCall<Item, Result>>,
  { most, bytes, sizeOf }: Limits<Item>,
  mayEnter: (owner: string) => boolean,
) {
  const owners = new Set<string>()
  const batch: BatchCall<Item, Result>[] = []
  const count = most()
  let room = bytes
  const fits = ({ item }: BatchCall<Item, Result>, owner: string) => {
    const isTaken = mayEnter(owner) && (batch.length === 0 || sizeOf(item) <= room)
    if (isTaken) owners.add(owner)
    return isTaken
  }
  while (batch.length < count) {
    const job = waiting.next(fits)
    if (!job) break
    room -= sizeOf(job.item)
    batch.push(job)
  }
  return { batch, owners }
}
