import { headersOf, readAccess } from './access.ts'
import { addressOf } from './place.ts'

/** An error response of the service. `code` is a problem code in capitals. */
export class Refusal extends Error {
  override readonly name = 'Refusal'
  readonly status: number
  readonly code: string
  /** How long the service wants the caller to wait; undefined if it does not say. */
  readonly retryAfterMs: number | undefined

  constructor(
    status: number,
    code: string,
    message: string,
    { retryAfterMs, ...options }: ErrorOptions & { retryAfterMs?: number | undefined } = {},
  ) {
    super(message, options)
    this.status = status
    this.code = code
    this.retryAfterMs = retryAfterMs
  }
}

type Answer<Data> = { data?: Data | null; errors?: { message: string; extensions?: { code?: string } }[] }

/** Asks GraphQL; once aborted it answers nothing. @throws Refusal, also when nothing answers (status 0); an abort stays what it is */
export async function ask<Data>(
  query: string,
  variables: Record<string, unknown> = {},
  signal: AbortSignal | null = null,
): Promise<Data> {
  const response = await call('/graphql', {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ query, variables }),
    signal,
  })
  const answer = (await response.json().catch(() => ({}))) as Answer<Data> & {
    detail?: string
    code?: string
  }
  signal?.throwIfAborted()
  const [error] = answer.errors ?? []
  if (error) throw new Refusal(response.status, error.extensions?.code ?? 'UNKNOWN', error.message)
  if (response.ok && answer.data) return answer.data
  throw refusalOf(response, answer)
}

/** Calls the service with the key of this session. @throws Refusal when nothing answers, or no key is known */
export async function call(path: `/${string}`, init: RequestInit): Promise<Response> {
  const access = readAccess()
  if (!access) throw new Refusal(401, 'UNAUTHORIZED', 'No key has been given yet.')
  try {
    return await fetch(addressOf(path), { ...init, headers: { ...init.headers, ...headersOf(access) } })
  } catch (cause) {
    if (init.signal?.aborted) throw cause
    throw new Refusal(0, 'UNREACHABLE', 'The service does not answer.', { cause })
  }
}

/** What a problem document says. */
export function refusalOf(
  { status, headers }: Response,
  { detail, code }: { detail?: string; code?: string },
): Refusal {
  const seconds = Number(headers.get('retry-after') ?? Number.NaN)
  return new Refusal(status, (code ?? 'unknown').toUpperCase(), detail ?? `The service answered ${status}.`, {
    retryAfterMs: Number.isFinite(seconds) ? seconds * 1000 : undefined,
  })
}
