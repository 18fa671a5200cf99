import { Neo4jError } from 'neo4j-driver'
import { z } from 'zod'
import { SourceError } from '../../../integrations/reading/found.ts'
import { ProblemError } from '../../client.ts'
import { UnusableKeyError } from '../../contract/key-text.ts'
import type { Problem } from '../../contract/problems.ts'
import { ConfigError } from '../../platform/config.ts'
import { NoDatabaseError } from '../../platform/neo4j/errors.ts'
import { isConnectionLost } from '../../retry.ts'
import { NoEntryError } from '../../store/neo4j/driver.ts'
import { SchemaError } from '../../store/neo4j/schema.ts'
import { LineEndsError, LineError } from '../bundle/line-error.ts'
import { RefusedQueryError } from '../cypher/guard.ts'
import { UsageError } from './command.ts'
import { NoKeyError } from './connect.ts'

/** Exit codes, as in sysexits.h where that has one. */
export const exit = {
  done: 0,
  refused: 1,
  usage: 64,
  /** Some of the files or lines could not be read or taken over, or a query is wrong. */
  data: 65,
  noInput: 66,
  unavailable: 69,
  /** Something answers, but not this service. */
  protocol: 76,
  noPermission: 77,
  config: 78,
  interrupted: 130,
} as const

export type Failure = { code: number; lines: string[]; problem?: Problem | undefined }

const failure = (code: number, ...lines: string[]): Failure => ({ code, lines })

/** What went wrong and what helps, in words. Faults of our own keep their stack. */
export function describeFailure(error: unknown, interrupted: boolean): Failure {
  if (interrupted) return failure(exit.interrupted, 'Interrupted.')
  const [, code] = explained.find(([type]) => error instanceof type) ?? []
  if (code !== undefined) return failure(code, (error as Error).message)
  if (isOfFile(error)) return failure(exit.noInput, ofFile(error))
  if (error instanceof ProblemError) return { ...refusal(error), problem: error.problem }
  if (error instanceof Neo4jError) return ofDatabase(error)
  if (isConnectionLost(error)) return unreachable(error)
  if (error instanceof DOMException && error.name === 'TimeoutError')
    return failure(exit.unavailable, 'The service did not answer in time.')
  if (error instanceof z.ZodError)
    return failure(
      exit.protocol,
      'What answers there is not this service, or another version of it. Is --url right?',
    )
  return failure(exit.refused, error instanceof Error ? (error.stack ?? error.message) : String(error))
}

/** Errors whose message says all that helps. */
const explained: readonly (readonly [type: new (...args: never[]) => Error, code: number])[] = [
  [UsageError, exit.usage],
  [ConfigError, exit.config],
  [NoKeyError, exit.noPermission],
  [UnusableKeyError, exit.noPermission],
  [SourceError, exit.data],
  [LineError, exit.data],
  [LineEndsError, exit.data],
  [NoDatabaseError, exit.unavailable],
  [NoEntryError, exit.noPermission],
  [SchemaError, exit.config],
  [RefusedQueryError, exit.noPermission],
]

const isOfFile = (error: unknown): error is NodeJS.ErrnoException =>
  error instanceof Error && 'code' in error && 'path' in error

const ofFile = ({ code, path, message }: NodeJS.ErrnoException) =>
  code === 'ENOENT' ? `There is no ${path}.` : `${path} cannot be used: ${message}.`

function refusal({ status, problem, message }: ProblemError): Failure {
  const fields = (problem?.errors ?? []).map(({ message: fault }) => `  ${fault}`)
  const reported = fields.length > 0 ? [`${problem?.title}:`, ...fields] : [problem?.detail ?? message]
  const id = problem ? [`(request ${problem.request_id})`] : []
  if (status === 500) return failure(exit.refused, ...reported, ...id)
  if (status === 503)
    return failure(
      exit.unavailable,
      ...reported,
      'Check /ready to see what is missing, then run it again.',
      ...id,
    )
  const [code, remedy] = remedies[status] ?? []
  if (code !== undefined && remedy !== undefined) return failure(code, ...reported, remedy)
  return problem && problem.code !== 'unknown_path'
    ? failure(exit.refused, ...reported)
    : failure(exit.protocol, ...reported, 'Is --url right?')
}

const remedies: Readonly<Record<number, readonly [code: number, remedy: string]>> = {
  401: [exit.noPermission, 'Set SERVICE_MCP_API_KEY, or give --api-key.'],
  403: [exit.noPermission, 'Use a key with that scope, or of that tenant.'],
  429: [exit.unavailable, 'Wait a minute, then run it again.'],
}

/** An error of Neo4j about a query, or about the connection. */
function ofDatabase({ code, message }: Neo4jError): Failure {
  if (/TransactionTimedOut|Terminated/.test(code))
    return failure(exit.refused, 'The query took too long, and was ended. --timeout gives it more time.')
  if (code.startsWith('Neo.ClientError.Security.'))
    return failure(exit.noPermission, message, 'Are NEO4J_USERNAME and NEO4J_PASSWORD right?')
  if (code.startsWith('Neo.ClientError.Database.'))
    return failure(exit.config, message, 'Is NEO4J_DATABASE right?')
  if (/^Neo\.(ClientError|DatabaseError\.Statement)\./.test(code)) return failure(exit.data, message)
  return failure(exit.unavailable, `Neo4j cannot be reached, or cannot answer now: ${message}`)
}

function unreachable(error: TypeError): Failure {
  const { code, message } = error.cause as { code?: string; message?: string }
  const reason = code === 'ECONNREFUSED' ? 'nothing listens there' : (message ?? code ?? 'no answer')
  return failure(
    exit.unavailable,
    `The service cannot be reached: ${reason}.`,
    'Start it with `npm start`, or give its address with --url.',
  )
}
