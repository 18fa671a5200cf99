import { setTimeout as pause } from 'node:timers/promises'
import { ProblemError } from './client.ts'

/** Longer than a claim on an Idempotency-Key whose request died with the service. */
const RETRY_FOR_MS = 90_000
const LONGEST_PAUSE_MS = 5_000
const CALL_MS = 60_000

export type RetryOptions = {
  signal: AbortSignal
  /** Called with the reason before each wait. */
  onPause?: (reason: string) => void
}

/**
 * Makes a call that may be repeated, again and again while the service is away, busy or still at the first try.
 * @throws what the last try threw, when the limit is over or another try cannot help
 */
export async function withRetry<Answer>(
  { signal, onPause }: RetryOptions,
  call: (signal: AbortSignal) => Promise<Answer>,
): Promise<Answer> {
  const until = Date.now() + RETRY_FOR_MS
  for (let wait = 250; ; wait = Math.min(2 * wait, LONGEST_PAUSE_MS)) {
    try {
      return await call(AbortSignal.any([signal, AbortSignal.timeout(CALL_MS)]))
    } catch (error) {
      const delay = signal.aborted ? undefined : pauseAfter(error, wait)
      if (delay === undefined || Date.now() + delay > until) throw error
      onPause?.(error instanceof ProblemError ? error.message : 'The service does not answer')
      await pause(delay, undefined, { signal })
    }
  }
}

/** How long to wait before the next try; nothing where one cannot help. */
function pauseAfter(error: unknown, defaultMs: number): number | undefined {
  if (!(error instanceof ProblemError)) return isConnectionLost(error) ? defaultMs : undefined
  const passing =
    error.status === 429 || error.status === 503 || error.problem?.code === 'idempotency_in_progress'
  if (!passing) return undefined
  const asked = Number(error.headers.get('retry-after'))
  return asked > 0 ? asked * 1000 : defaultMs
}

/** What `fetch` throws when there was no whole answer. */
export const isConnectionLost = (error: unknown): error is TypeError & { cause: unknown } =>
  error instanceof TypeError && error.cause !== undefined
