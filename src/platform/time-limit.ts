/** Aborts with another signal, or when its time is over. Disposing it releases both. */
export type TimeLimit = Disposable & {
  readonly signal: AbortSignal
  /** Whether the time limit aborted it. */
  readonly isOver: () => boolean
}

/**
 * A time limit, alone or added to a signal. `AbortSignal.timeout` alone is not used for what every request does: its timer runs
 * to its end, when it makes an error. `AbortSignal.any` with `AbortSignal.timeout` is not used: Node.js 24 never releases
 * such a signal once it is joined with further ones.
 */
export function timeLimit(signal: AbortSignal | undefined, milliseconds: number): TimeLimit {
  const ending = new AbortController()
  let late: DOMException | undefined
  const follow = () => ending.abort(signal?.reason)
  const timer = setTimeout(() => {
    late = new DOMException('The time is over.', 'TimeoutError')
    ending.abort(late)
  }, milliseconds).unref()
  if (signal?.aborted) follow()
  else signal?.addEventListener('abort', follow, { once: true })
  return {
    signal: ending.signal,
    isOver: () => ending.signal.aborted && ending.signal.reason === late,
    [Symbol.dispose]() {
      clearTimeout(timer)
      signal?.removeEventListener('abort', follow)
    },
  }
}
