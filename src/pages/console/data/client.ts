import { type Client, createClient, ProblemError } from '../../../client.ts'
import type { Output } from '../../../contract/index.ts'
import type { Problem } from '../../../contract/problems.ts'
import { eventsIn, type ServerEvent, textIn } from '../../../server-events.ts'
import { type Access, headersOf, namedTenant, readAccess } from './access.ts'
import { addressOf } from './place.ts'

export { ProblemError }

export type Memory = Output<'listMemories'>['memories'][number]

/** The typed client, with the key and the tenant of this tab. */
export const client = (): Client => clientOf(readAccess())

export const clientOf = (access: Access | undefined): Client =>
  createClient({
    baseUrl: addressOf('/api/v1'),
    apiKey: access?.key,
    tenant: (access && namedTenant(access)) || undefined,
  })

/** A request as the client makes it, for GraphQL and for streams. */
export const call = (
  path: `/${string}`,
  init: RequestInit,
  access: Access | undefined = readAccess(),
): Promise<Response> =>
  fetch(addressOf(path), {
    ...init,
    headers: { ...init.headers, ...(access ? headersOf(access) : {}) },
  })

/** Asks GraphQL. @throws ProblemError if the service refuses */
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
  const answer = (await response.json().catch(() => ({}))) as Partial<Problem> & {
    data?: Data
    errors?: { message: string }[]
  }
  signal?.throwIfAborted()
  const [error] = answer.errors ?? []
  if (!error && answer.data) return answer.data
  throw refusalOf(response, { ...answer, ...(error ? { detail: error.message } : {}) })
}

/**
 * The events of a stream, until it ends. It is read by `fetch`, because a browser's own `EventSource` cannot send the key
 * in a header. @throws ProblemError if the service refuses
 */
export async function* eventsOf(
  path: `/${string}`,
  init: RequestInit,
  access: Access | undefined = readAccess(),
): AsyncGenerator<ServerEvent> {
  const headers = { ...init.headers, accept: 'text/event-stream' }
  const response = await call(path, { ...init, headers }, access)
  if (!response.ok || !response.body)
    throw refusalOf(response, (await response.json().catch(() => ({}))) as Partial<Problem>)
  yield* eventsIn(textIn(response.body))
}

const refusalOf = ({ status, headers }: Response, document: Partial<Problem>) =>
  new ProblemError(status, document.detail === undefined ? undefined : (document as Problem), headers)

/** What went wrong, in the words of the service. */
export function wordsOf(error: unknown): string {
  if (!(error instanceof ProblemError)) return 'The service does not answer.'
  const { problem, status } = error
  const faults = (problem?.errors ?? []).map(({ message }) => message)
  return faults.length > 0 ? faults.join(' ') : (problem?.detail ?? `The service answered ${status}.`)
}

export const isRefused = (error: unknown, ...statuses: number[]): error is ProblemError =>
  error instanceof ProblemError && statuses.includes(error.status)

/** Lets the browser save a text as a file. */
export function saveAs(fileName: string, parts: BlobPart[], type: string) {
  const address = URL.createObjectURL(new Blob(parts, { type }))
  const link = document.createElement('a')
  link.href = address
  link.download = fileName
  link.click()
  URL.revokeObjectURL(address)
}
