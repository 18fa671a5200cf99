import type { Response } from 'express'
import type { App } from '../context.ts'

/** Made once: it would note where it was made, at the end of every request. */
const GONE = new DOMException('The caller has gone.', 'AbortError')

/** Ends when the time for a request, which begins now, is over; for what only reads, also when the caller has gone. */
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

/** A stream lasts as long as somebody reads it; each of its steps has the time of a request. */
export function untilGone(res: Response): AbortSignal {
  const gone = new AbortController()
  res.once('close', () => gone.abort(GONE))
  // Nobody is told of what has happened already.
  if (res.closed) gone.abort(GONE)
  return gone.signal
}
