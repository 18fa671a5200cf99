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

/**
 * Gathers the items of concurrent calls into batches: a lone caller is sent off at once, whoever comes while the
 * batches are under way goes into the next one. A call whose signal ends leaves the line; what is under way goes on.
 * @param send settles every job that it is given and does not throw.
 */
export function createBatcher<Item, Result>(
  limits: Limits<Item>,
  send: (jobs: Job<Item, Result>[]) => Promise<void>,
) {
  const waiting = new Set<Job<Item, Result>>()
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

  return async (items: readonly Item[], signal: AbortSignal): Promise<Result[]> => {
    signal.throwIfAborted()
    const pending = items.map(item => ({ item, ...Promise.withResolvers<Result>() }))
    const leave = () => {
      for (const job of pending) waiting.delete(job)
    }
    const abort = () => {
      for (const job of pending) job.reject(signal.reason)
    }
    signal.addEventListener('abort', abort, { once: true })
    for (const job of pending) waiting.add(job)
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
  waiting: Set<Job<Item, Result>>,
  { most, bytes, sizeOf }: Limits<Item>,
): Job<Item, Result>[] {
  const batch: Job<Item, Result>[] = []
  const count = most()
  let room = bytes
  for (const job of waiting) {
    room -= sizeOf(job.item)
    if (batch.length === count || (room < 0 && batch.length > 0)) break
    waiting.delete(job)
    batch.push(job)
  }
  return batch
}
