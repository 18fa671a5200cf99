import type { Response } from 'express'
import type { App } from '../context.ts'

/** Created once: creating one captures a stack trace, which would cost time in every request. */
const GONE = new DOMException('The caller has gone.', 'AbortError')

/** Aborts when the time limit of a request ends, counted from now. A request that only reads also ends when its caller disconnects. */
export function requestSignal({ config }: App, res: Response, onlyReads: boolean): AbortSignal {
  const ending = new AbortController()
  const deadline = setTimeout(
    () => ending.abort(new DOMException('The time for the request is over.', 'TimeoutError')),
    config.requestTimeoutMs,
  ).unref()
  res.once('close', () => {
    if (onlyReads || res.writableFinished) clearTimeout(deadline)
    if (onlyReads && !res.writableFinished) ending.abort(GONE)
  })
  if (onlyReads && res.closed) ending.abort(GONE)
  return ending.signal
}

/** Aborts when the caller disconnects. A stream lasts until then; each of its steps has the time limit of a request. */
export function untilGone(res: Response): AbortSignal {
  const gone = new AbortController()
  res.once('close', () => gone.abort(GONE))
  // The event is not emitted again if it has already happened.
  if (res.closed) gone.abort(GONE)
  return gone.signal
}
