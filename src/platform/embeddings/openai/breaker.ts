import { type EmbedderHealth, EmbeddingUnavailable } from '../embedder.ts'
import { type ProviderFault, toEmbeddingUnavailable } from './faults.ts'

/** Permission to make one request, whose outcome is reported back: also whether it gave a vector. */
type Pass = { succeeded(embedded: boolean): void; failed(fault: ProviderFault): void }

export type Breaker = {
  /** A pass for one request, or the reason why the breaker is open. */
  enter(): Pass | EmbeddingUnavailable
  health(): EmbedderHealth
}

type Options = {
  readonly now?: () => number
  readonly random?: () => number
  /** What is said before the first success. */
  readonly unproven?: string
  readonly onChange?: (health: EmbedderHealth & { says?: string | undefined }, waitMs: number) => void
}

const FAULTS_BEFORE_OPENING = 3
const FIRST_WAIT_MS = 1_000
const LONGEST_WAIT_MS = 30_000

/**
 * Opens after three transient faults in a row, or at once when the provider is slow, says when to retry, or refuses the
 * credential. When the wait is over, one request probes whether the provider works again; each failed probe doubles
 * the wait.
 */
export function createBreaker({
  now = () => performance.now(),
  random = Math.random,
  unproven = 'no text has been embedded yet',
  onChange,
}: Options = {}): Breaker {
  let faults = 0
  let openings = 0
  let open: { fault: ProviderFault; until: number; probing: boolean } | undefined
  let last: ProviderFault | undefined
  let epoch = 0

  let proven = false

  const health = (): EmbedderHealth => {
    const detail = last?.message ?? (proven ? null : unproven)
    return { status: detail === null ? 'up' : 'degraded', detail }
  }
  const succeeded = (embedded: boolean) => {
    const wasOpen = open !== undefined
    proven ||= embedded
    faults = openings = 0
    open = last = undefined
    if (wasOpen) onChange?.(health(), 0)
  }
  const failed = (fault: ProviderFault) => {
    last = fault
    faults++
    if (open === undefined && faults < FAULTS_BEFORE_OPENING && !opensAtOnce(fault)) return
    const wait = waitAfter(fault, openings++, random())
    open = { fault, until: now() + wait, probing: false }
    epoch++
    onChange?.({ ...health(), says: fault.words }, wait)
  }
  const enter = (): Pass | EmbeddingUnavailable => {
    if (open) {
      const wait = open.until - now()
      if (wait > 0 || open.probing) return refusalWhileOpen(open.fault, wait)
      open.probing = true
    }
    const mine = epoch
    const current = () => mine === epoch
    return {
      succeeded: embedded => current() && succeeded(embedded),
      failed: fault => current() && failed(fault),
    }
  }
  return { enter, health }
}

const opensAtOnce = ({ kind, retryAfterMs }: ProviderFault) =>
  kind === 'slow' || kind === 'busy' || kind === 'setup' || retryAfterMs !== null

function waitAfter({ kind, retryAfterMs }: ProviderFault, openings: number, random: number): number {
  if (kind === 'setup') return LONGEST_WAIT_MS
  const wait = Math.min(LONGEST_WAIT_MS, FIRST_WAIT_MS * 2 ** openings)
  return retryAfterMs ?? wait * (0.5 + random / 2)
}

function refusalWhileOpen(fault: ProviderFault, wait: number): EmbeddingUnavailable {
  const { message, permanent, cause } = toEmbeddingUnavailable(fault)
  return new EmbeddingUnavailable(
    message,
    { permanent, retryAfterMs: Math.max(Math.ceil(wait), FIRST_WAIT_MS) },
    cause === undefined ? {} : { cause },
  )
}
