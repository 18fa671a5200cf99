import { createFairQueue, type FairQueue } from './fair-queue.ts'

/** One item of a call and the promise of its result. */
export type Job<Item, Result> = {
  readonly item: Item
  readonly resolve: (result: Result) => void
  readonly reject: (reason: unknown) => void
}

type Limits<Item> = {
  /** How many batches are under way at once. */
  readonly lanes: number
  readonly most: () => number
  readonly bytes: number
  readonly sizeOf: (item: Item) => number
}

type Asking = {
  readonly signal: AbortSignal
  /** Whose call it is: of those who wait, each has its turn. */
  readonly share?: string | undefined
}

/** The line of the calls that are nobody's. */
const NOBODY = ''

/**
 * Gathers the items of concurrent calls into batches: a lone caller is sent off at once, whoever comes while the
 * batches are under way goes into the next one. A call whose signal ends leaves the line; what is under way goes on.
 * @param send settles every job that it is given and does not throw.
 */
export function createBatcher<Item, Result>(
  limits: Limits<Item>,
  send: (jobs: Job<Item, Result>[]) => Promise<void>,
) {
  const waiting = createFairQueue<Job<Item, Result>>()
  let underWay = 0

  function pump(): void {
    while (waiting.size > 0 && underWay < limits.lanes) {
      const batch = takeBatch(waiting, limits)
      underWay++
      void send(batch).finally(() => {
        underWay--
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
    // All that has arrived by now is one batch, not its first item and the rest.
    setImmediate(pump)
    try {
      return await Promise.all(pending.map(job => job.promise))
    } finally {
      leave()
      signal.removeEventListener('abort', abort)
    }
  }
}

/** From the front of the line; the first always, however large it is. */
function takeBatch<Item, Result>(
  waiting: FairQueue<Job<Item, Result>>,
  { most, bytes, sizeOf }: Limits<Item>,
): Job<Item, Result>[] {
  const batch: Job<Item, Result>[] = []
  const count = most()
  let room = bytes
  const fits = ({ item }: Job<Item, Result>) => batch.length === 0 || sizeOf(item) <= room
  while (batch.length < count) {
    const job = waiting.next(fits)
    if (!job) break
    room -= sizeOf(job.item)
    batch.push(job)
  }
  return batch
}
