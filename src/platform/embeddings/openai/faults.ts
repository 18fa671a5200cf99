import { APIError } from 'openai'
import { errors } from 'undici'
import { EmbeddingUnavailable } from '../embedder.ts'

/**
 * `text`: the provider refuses one of the texts; `failed`: the provider failed at one of them; `down`: no usable answer;
 * `slow`: no answer in time; `busy`: the provider asks to wait; `setup`: wrong key, model or address.
 */
type Kind = 'text' | 'failed' | 'down' | 'slow' | 'busy' | 'setup'

/** Why a request gave no vectors. The message quotes nothing of the provider's answer; `words` are for the operator. */
export class ProviderFault extends Error {
  override readonly name = 'ProviderFault'
  readonly kind: Kind
  readonly retryAfterMs: number | null
  readonly words: string | undefined

  constructor(kind: Kind, message: string, retryAfterMs: number | null = null, words?: string) {
    super(message)
    this.kind = kind
    this.retryAfterMs = retryAfterMs
    this.words = words
  }
}

export const isRefusal = ({ kind }: ProviderFault): boolean => kind === 'text'

/** The provider works, but not for one of these texts. */
export const isOfText = (fault: ProviderFault): boolean => isRefusal(fault) || fault.kind === 'failed'

/** A fault as callers see it: a refusal is permanent, a failure may succeed later. */
export const toEmbeddingUnavailable = (fault: ProviderFault): EmbeddingUnavailable =>
  new EmbeddingUnavailable(
    fault.message,
    {
      permanent: fault.kind === 'setup' || isRefusal(fault),
      itemFault: isOfText(fault),
      retryAfterMs: fault.retryAfterMs,
    },
    fault.words === undefined ? {} : { cause: new Error(`the provider says: ${fault.words}`) },
  )

/** Any error of a request, by kind. */
export function faultOf(
  error: unknown,
  words: (answer: string) => string | undefined = () => undefined,
): ProviderFault {
  if (error instanceof ProviderFault) return error
  if (error instanceof SyntaxError) return new ProviderFault('down', UNREADABLE)
  if (!(error instanceof APIError)) return new ProviderFault('down', UNREACHABLE)
  if (error.status !== undefined)
    return statusFault(error.status, words(error.message.replace(/^\d{3} /, '')), error.headers)
  return error.cause instanceof errors.ResponseExceededMaxSizeError
    ? new ProviderFault('down', 'the answer of the provider is too large')
    : new ProviderFault('down', UNREACHABLE)
}

export const UNREADABLE = 'the answer of the provider cannot be read'
export const REFUSES_ALL = 'the provider refuses every text: check the model and its settings'
const UNREACHABLE = 'the provider cannot be reached'

/** The fault that a status of an answer without vectors stands for. */
function statusFault(status: number, words: string | undefined, headers: Headers): ProviderFault {
  const fault = (kind: Kind, message: string, wait: number | null = null) =>
    new ProviderFault(kind, `${message} (${status})`, wait, words)
  if (status === 400 || status === 413 || status === 422)
    return fault('text', 'the provider refuses the text')
  if (status === 429) return fault('busy', 'the provider asks to wait', retryAfter(headers))
  if (status === 401 || status === 403) return fault('setup', 'the provider refuses the credential')
  if (status === 402)
    return fault('setup', 'the provider wants a payment: check the balance and the plan of its account')
  if (status === 500) return fault('failed', 'the provider failed')
  if (status > 500 || status === 408)
    return fault('down', 'the provider is not available', retryAfter(headers))
  return fault('setup', "the provider knows no such address or model: check its address and the model's name")
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
