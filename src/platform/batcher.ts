import { createFairQueue, type FairQueue } from './fair-queue.ts'

/** One item of a call and the promise of its result. */
export type BatchCall<Item, Result> = {
  readonly item: Item
  readonly resolve: (result: Result) => void
  readonly reject: (reason: unknown) => void
}

type Limits<Item> = {
  /** How many batches are sent at the same time. */
  readonly concurrency: number
  readonly most: () => number
  readonly bytes: number
  readonly sizeOf: (item: Item) => number
}

type Asking = {
  readonly signal: AbortSignal
  /** Who calls: waiting callers share the batches fairly. */
  readonly share?: string | undefined
}

/** The owner of calls that name none. */
const NOBODY = ''

/**
 * Collects the items of concurrent calls into batches. A lone call is sent at once; calls that arrive while batches are
 * being sent go into the next one. A call whose signal is aborted leaves the queue; batches already sent continue.
 * @param send settles every job that it is given and does not throw.
 */
export function createBatcher<Item, Result>(
  limits: Limits<Item>,
  send: (jobs: BatchCall<Item, Result>[]) => Promise<void>,
) {
  const waiting = createFairQueue<BatchCall<Item, Result>>()
  let sending = 0

  function pump(): void {
    while (waiting.size > 0 && sending < limits.concurrency) {
      const batch = takeBatch(waiting, limits)
      sending++
      void send(batch).finally(() => {
        sending--
        pump()
      })
    }
  }

  return async (items: readonly Item[], { signal, share = NOBODY }: Asking): Promise<Result[]> => {
    signal.throwIfAborted()
    const pending = items.map(item => ({ item, ...Promise.withResolvers<Result>() }))
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

/** From the front of the queue. The first item is always taken, even if it is too large. */
function takeBatch<Item, Result>(
  waiting: FairQueue<BatchCall<Item, Result>>,
  { most, bytes, sizeOf }: Limits<Item>,
): BatchCall<Item, Result>[] {
  const batch: BatchCall<Item, Result>[] = []
  const count = most()
  let room = bytes
  const fits = ({ item }: BatchCall<Item, Result>) => batch.length === 0 || sizeOf(item) <= room
  while (batch.length < count) {
    const job = waiting.next(fits)
    if (!job) break
    room -= sizeOf(job.item)
    batch.push(job)
  }
  return batch
}
