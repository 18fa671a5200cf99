import { type EmbedderHealth, EmbeddingUnavailable } from '../embedder.ts'
import { type ProviderFault, unavailable } from './faults.ts'

/** Leave to make one request; its outcome is reported back. */
type Pass = { succeeded(): void; failed(fault: ProviderFault): void }

export type Breaker = {
  /** Leave to ask, or at once the reason why the provider is left alone. */
  enter(): Pass | EmbeddingUnavailable
  health(): EmbedderHealth
}

type Options = {
  readonly now?: () => number
  readonly random?: () => number
  readonly onChange?: (health: EmbedderHealth, waitMs: number) => void
}

const FAULTS_BEFORE_OPENING = 3
const FIRST_WAIT_MS = 1_000
const LONGEST_WAIT_MS = 30_000

/**
 * Leaves a provider alone that does not work: after three passing faults in a row, or at once when it is slow, says
 * when to come back, or refuses the credential. When the wait is over one request finds out whether it works again;
 * each time that it does not, the wait doubles.
 */
export function createBreaker({
  now = () => performance.now(),
  random = Math.random,
  onChange,
}: Options = {}): Breaker {
  let faults = 0
  let openings = 0
  let open: { fault: ProviderFault; until: number; probing: boolean } | undefined
  let last: ProviderFault | undefined
  let epoch = 0

  const health = (): EmbedderHealth => ({ status: last ? 'degraded' : 'up', detail: last?.message ?? null })
  const succeeded = () => {
    const wasOpen = open !== undefined
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
    onChange?.(health(), wait)
  }
  const enter = (): Pass | EmbeddingUnavailable => {
    if (open) {
      const wait = open.until - now()
      if (wait > 0 || open.probing) return leftAlone(open.fault, wait)
      open.probing = true
    }
    const mine = epoch
    const current = () => mine === epoch
    return { succeeded: () => current() && succeeded(), failed: fault => current() && failed(fault) }
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

function leftAlone(fault: ProviderFault, wait: number): EmbeddingUnavailable {
  const { message, permanent } = unavailable(fault)
  return new EmbeddingUnavailable(message, {
    permanent,
    retryAfterMs: Math.max(Math.ceil(wait), FIRST_WAIT_MS),
  })
}
