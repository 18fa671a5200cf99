import { errors } from 'undici'
import { EmbeddingUnavailable } from '../embedder.ts'

/**
 * `text`: one of the texts is refused; `length`: for its length; `failed`: it failed at one of the texts;
 * `down`: no answer, or one that is none; `slow`: no answer in time; `busy`: told to wait; `setup`: key, model or address.
 */
type Kind = 'text' | 'length' | 'failed' | 'down' | 'slow' | 'busy' | 'setup'

/** Why a request gave no vectors, in words that carry nothing of what the provider wrote. */
export class ProviderFault extends Error {
  override readonly name = 'ProviderFault'
  readonly kind: Kind
  readonly retryAfterMs: number | null

  constructor(kind: Kind, message: string, retryAfterMs: number | null = null) {
    super(message)
    this.kind = kind
    this.retryAfterMs = retryAfterMs
  }
}

export const isRefusal = ({ kind }: ProviderFault): boolean => kind === 'text' || kind === 'length'

/** The provider works, but not for one of these texts. */
export const isOfText = (fault: ProviderFault): boolean => isRefusal(fault) || fault.kind === 'failed'

/** A fault as callers see it: what is refused stays so, what the provider failed at may go well another time. */
export const unavailable = (fault: ProviderFault): EmbeddingUnavailable =>
  new EmbeddingUnavailable(fault.message, {
    permanent: fault.kind === 'setup' || isRefusal(fault),
    itemFault: isOfText(fault),
    retryAfterMs: fault.retryAfterMs,
  })

/** Whatever a request threw, by kind. */
export function faultOf(error: unknown): ProviderFault {
  if (error instanceof ProviderFault) return error
  if (error instanceof errors.ResponseExceededMaxSizeError)
    return new ProviderFault('down', 'the answer of the provider is too large')
  return new ProviderFault('down', 'the provider cannot be reached')
}

type Headers = Readonly<Record<string, string | string[] | undefined>>

const TOO_LONG =
  /too (long|large)|context (length|size|window)|maximum.*(tokens|length)|exceed.*(tokens|length|context)/i

/** What an answer without vectors says. */
export function statusFault(status: number, answer: string, headers: Headers): ProviderFault {
  const refused = status === 400 || status === 413 || status === 422
  if ((refused || status === 500) && TOO_LONG.test(answer))
    return new ProviderFault('length', `the provider finds the text too long (${status})`)
  if (refused) return new ProviderFault('text', `the provider refuses the text (${status})`)
  if (status === 429) return new ProviderFault('busy', 'the provider asks to wait (429)', retryAfter(headers))
  if (status === 401 || status === 403)
    return new ProviderFault('setup', `the provider refuses the credential (${status})`)
  if (status === 500) return new ProviderFault('failed', 'the provider failed (500)')
  if (status > 500 || status === 408)
    return new ProviderFault('down', `the provider is unavailable (${status})`, retryAfter(headers))
  return new ProviderFault('setup', `the provider answers ${status}: check its address and the model's name`)
}

const LONGEST_WAIT_MS = 3_600_000

/** Milliseconds to wait, from seconds or a date; null where nothing usable is said. */
function retryAfter(headers: Headers): number | null {
  const milliseconds = Number(headers['retry-after-ms'] ?? Number.NaN)
  const said = String(headers['retry-after'] ?? '')
  const wait = [
    milliseconds,
    /^\d+(\.\d+)?$/.test(said) ? Number(said) * 1000 : Date.parse(said) - Date.now(),
  ].find(value => value >= 0)
  return wait === undefined ? null : Math.min(wait, LONGEST_WAIT_MS)
}
