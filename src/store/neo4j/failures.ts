import neo4j, { Neo4jError } from 'neo4j-driver'
import { ServiceError } from '../../contract/problems.ts'

export type FailureClass = 'contended' | 'lost' | 'unavailable' | 'fault'

/** Which failures pass by themselves, following the classes that Neo4j and its driver name. */
export function classify(error: unknown): FailureClass {
  if (error instanceof DOMException) return 'unavailable'
  if (!(error instanceof Neo4jError)) return 'fault'
  const { code } = error
  if (isShut(error)) return 'unavailable'
  if (isRace(error)) return 'contended'
  if (code === neo4j.error.SERVICE_UNAVAILABLE || code === neo4j.error.SESSION_EXPIRED) return 'lost'
  if (/MemoryPool|LockAcquisitionTimeout|TransactionTimedOut|TransactionCommitFailed|Terminated/.test(code))
    return 'unavailable'
  return code.startsWith('Neo.TransientError.') ? 'contended' : 'fault'
}

/** What another transaction has made, or has removed, since this one looked. */
export const isRace = (error: unknown) => error instanceof Neo4jError && races.has(error.code)

/** No statement came as far as the database: no connection was free, or no transaction could be started. */
const isShut = ({ code, message }: Neo4jError) =>
  message.includes('acquisition timed out') ||
  /DatabaseUnavailable|TransactionStartFailed|Security\./.test(code)

const races = new Set([
  'Neo.ClientError.Schema.ConstraintValidationFailed',
  'Neo.ClientError.Statement.EntityNotFound',
  // Two services that start at once: IF NOT EXISTS looks before the other has committed.
  'Neo.ClientError.Schema.EquivalentSchemaRuleAlreadyExists',
])

/**
 * Whether any other statement would have failed the same, with fewer rows too: the database is not there, or the time
 * was over.
 */
export function failedForAll(error: unknown): boolean {
  if (!(error instanceof ServiceError)) return false
  const { cause } = error
  if (cause instanceof DOMException) return true
  return cause instanceof Neo4jError && (isShut(cause) || classify(cause) === 'lost')
}

export const toDatabaseUnavailable = (cause: unknown, reason = 'The database did not answer in time.') =>
  new ServiceError('database_unavailable', `${reason} The request may be repeated.`, {
    cause,
    retryAfterSeconds: 2,
  })

export const isTimeout = (error: unknown) => error instanceof DOMException && error.name === 'TimeoutError'
