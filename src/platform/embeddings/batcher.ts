/** One text and the promise of its result. */
export type Job<Result> = {
  readonly text: string
  readonly resolve: (result: Result) => void
  readonly reject: (reason: unknown) => void
}

type Limits = {
  readonly requests: number
  readonly texts: () => number
  readonly bytes: number
}

/**
 * Gathers the texts of concurrent calls into requests: a lone caller is sent off at once, whoever comes while the
 * requests are under way goes into the next one.
 * @param send settles every job that it is given and does not throw.
 */
export function createBatcher<Result>(limits: Limits, send: (jobs: Job<Result>[]) => Promise<void>) {
  const waiting = new Set<Job<Result>>()
  let underWay = 0

  function pump(): void {
    while (waiting.size > 0 && underWay < limits.requests) {
      const batch = takeBatch(waiting, limits.texts(), limits.bytes)
      underWay++
      void send(batch).finally(() => {
        underWay--
        pump()
      })
    }
  }

  return async (texts: readonly string[], signal: AbortSignal): Promise<Result[]> => {
    signal.throwIfAborted()
    const pending = texts.map(text => ({ text, ...Promise.withResolvers<Result>() }))
    const leave = () => {
      for (const job of pending) waiting.delete(job)
    }
    const abort = () => {
      for (const job of pending) job.reject(signal.reason)
    }
    signal.addEventListener('abort', abort, { once: true })
    for (const job of pending) waiting.add(job)
    queueMicrotask(pump)
    try {
      return await Promise.all(pending.map(job => job.promise))
    } finally {
      leave()
      signal.removeEventListener('abort', abort)
    }
  }
}

/** From the front of the line; the first always, however long it is. */
function takeBatch<Result>(waiting: Set<Job<Result>>, texts: number, bytes: number): Job<Result>[] {
  const batch: Job<Result>[] = []
  let room = bytes
  for (const job of waiting) {
    room -= Buffer.byteLength(job.text)
    if (batch.length === texts || (room < 0 && batch.length > 0)) break
    waiting.delete(job)
    batch.push(job)
  }
  return batch
}
