import { APIError } from 'openai'
import { errors } from 'undici'
import { EmbeddingUnavailable } from '../embedder.ts'

/**
 * `text`: the provider refuses one of the texts; `length`: it is too long; `failed`: the provider failed at one of them;
 * `down`: no usable answer; `slow`: no answer in time; `busy`: the provider asks to wait; `setup`: wrong key, model or address.
 */
type Kind = 'text' | 'length' | 'failed' | 'down' | 'slow' | 'busy' | 'setup'

/** Why a request gave no vectors, in words that quote nothing of the provider's answer. */
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

/** A fault as callers see it: a refusal is permanent, a failure may succeed later. */
export const toEmbeddingUnavailable = (fault: ProviderFault): EmbeddingUnavailable =>
  new EmbeddingUnavailable(fault.message, {
    permanent: fault.kind === 'setup' || isRefusal(fault),
    itemFault: isOfText(fault),
    retryAfterMs: fault.retryAfterMs,
  })

/** Any error of a request, by kind. */
export function faultOf(error: unknown): ProviderFault {
  if (error instanceof ProviderFault) return error
  if (error instanceof SyntaxError) return new ProviderFault('down', UNREADABLE)
  if (!(error instanceof APIError)) return new ProviderFault('down', UNREACHABLE)
  if (error.status !== undefined) return statusFault(error.status, error.message, error.headers)
  return error.cause instanceof errors.ResponseExceededMaxSizeError
    ? new ProviderFault('down', 'the answer of the provider is too large')
    : new ProviderFault('down', UNREACHABLE)
}

export const UNREADABLE = 'the answer of the provider cannot be read'
const UNREACHABLE = 'the provider cannot be reached'

const TOO_LONG =
  /too (long|large)|context (length|size|window)|maximum.*(tokens|length)|exceed.*(tokens|length|context)/i

/** The fault that a status of an answer without vectors stands for. */
function statusFault(status: number, answer: string, headers: Headers): ProviderFault {
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

/** Milliseconds to wait, from seconds or a date; null if the headers name no usable time. */
function retryAfter(headers: Headers): number | null {
  const milliseconds = Number(headers.get('retry-after-ms') ?? Number.NaN)
  const value = headers.get('retry-after') ?? ''
  const wait = [
    milliseconds,
    /^\d+(\.\d+)?$/.test(value) ? Number(value) * 1000 : Date.parse(value) - Date.now(),
  ].find(each => each >= 0)
  return wait === undefined ? null : Math.min(wait, LONGEST_WAIT_MS)
}
