/** Ends with another signal, or when its time is over. Disposing it lets go of both. */
export type TimeLimit = Disposable & {
  readonly signal: AbortSignal
  /** Whether it was the time that ended it. */
  readonly isOver: () => boolean
}

/**
 * Gives what a signal bounds a time of its own. `AbortSignal.any` over an `AbortSignal.timeout` would do, were it not
 * for Node.js 24, which never lets go of one that is joined with further signals.
 */
export function timeLimit(signal: AbortSignal, milliseconds: number): TimeLimit {
  const ending = new AbortController()
  let late: DOMException | undefined
  const follow = () => ending.abort(signal.reason)
  const timer = setTimeout(() => {
    late = new DOMException('The time is over.', 'TimeoutError')
    ending.abort(late)
  }, milliseconds).unref()
  if (signal.aborted) follow()
  else signal.addEventListener('abort', follow, { once: true })
  return {
    signal: ending.signal,
    isOver: () => ending.signal.aborted && ending.signal.reason === late,
    [Symbol.dispose]() {
      clearTimeout(timer)
      signal.removeEventListener('abort', follow)
    },
  }
}
