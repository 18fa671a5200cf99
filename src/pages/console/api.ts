import { type Client, createClient, ProblemError } from '../../client.ts'
import type { Output } from '../../contract/index.ts'
import { readAccess } from '../shared/access.ts'
import { addressOf } from '../shared/place.ts'

export { ProblemError }

export type Memory = Output<'listMemories'>['memories'][number]

/** The typed client, with the key and the tenant of this tab. */
export function client(): Client {
  const access = readAccess()
  return createClient({
    baseUrl: addressOf('/api/v1'),
    apiKey: access?.key,
    tenant: access?.tenant || undefined,
  })
}

/** What went wrong, in the words of the service. */
export function wordsOf(error: unknown): string {
  if (!(error instanceof ProblemError)) return 'The service does not answer.'
  const { problem, status } = error
  const faults = (problem?.errors ?? []).map(({ message }) => message)
  return faults.length > 0 ? faults.join(' ') : (problem?.detail ?? `The service answered ${status}.`)
}

export const isRefused = (error: unknown, ...statuses: number[]): error is ProblemError =>
  error instanceof ProblemError && statuses.includes(error.status)
