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

/** What went wrong and what helps, in words. Faults of our own keep their stack. */
export function describeFailure(error: unknown, interrupted: boolean): Failure {
  if (interrupted) return { code: exit.interrupted, lines: ['Interrupted.'] }
  if (error instanceof UsageError) return { code: exit.usage, lines: [error.message] }
  if (error instanceof ConfigError) return { code: exit.config, lines: [error.message] }
  if (isWithoutKey(error)) return { code: exit.noPermission, lines: [error.message] }
  if (error instanceof SourceError) return { code: exit.data, lines: [error.message] }
  if (error instanceof LineError || error instanceof LineEndsError)
    return { code: exit.data, lines: [error.message] }
  if (isOfFile(error)) return { code: exit.noInput, lines: [ofFile(error)] }
  if (error instanceof ProblemError) return { ...refusal(error), problem: error.problem }
  if (error instanceof NoDatabaseError) return { code: exit.unavailable, lines: [error.message] }
  if (error instanceof NoEntryError) return { code: exit.noPermission, lines: [error.message] }
  if (error instanceof SchemaError) return { code: exit.config, lines: [error.message] }
  if (error instanceof RefusedQueryError) return { code: exit.noPermission, lines: [error.message] }
  if (error instanceof Neo4jError) return ofDatabase(error)
  if (isConnectionLost(error)) return unreachable(error)
  if (error instanceof DOMException && error.name === 'TimeoutError')
    return { code: exit.unavailable, lines: ['The service did not answer in time.'] }
  if (error instanceof z.ZodError)
    return {
      code: exit.protocol,
      lines: ['What answers there is not this service, or another version of it. Is --url right?'],
    }
  return {
    code: exit.refused,
    lines: [error instanceof Error ? (error.stack ?? error.message) : String(error)],
  }
}

const isOfFile = (error: unknown): error is NodeJS.ErrnoException =>
  error instanceof Error && 'code' in error && 'path' in error

const ofFile = ({ code, path, message }: NodeJS.ErrnoException) =>
  code === 'ENOENT' ? `There is no ${path}.` : `${path} cannot be used: ${message}.`

function refusal({ status, problem, message }: ProblemError): Failure {
  const fields = (problem?.errors ?? []).map(({ message: fault }) => `  ${fault}`)
  const reported = fields.length > 0 ? [`${problem?.title}:`, ...fields] : [problem?.detail ?? message]
  const id = problem ? [`(request ${problem.request_id})`] : []
  switch (status) {
    case 401:
      return { code: exit.noPermission, lines: [...reported, 'Set SERVICE_MCP_API_KEY, or give --api-key.'] }
    case 403:
      return {
        code: exit.noPermission,
        lines: [...reported, 'Use a key with that scope, or of that tenant.'],
      }
    case 429:
      return { code: exit.unavailable, lines: [...reported, 'Wait a minute, then run it again.'] }
    case 503:
      return {
        code: exit.unavailable,
        lines: [...reported, 'Check /ready to see what is missing, then run it again.', ...id],
      }
    case 500:
      return { code: exit.refused, lines: [...reported, ...id] }
    default:
      return problem && problem.code !== 'unknown_path'
        ? { code: exit.refused, lines: reported }
        : { code: exit.protocol, lines: [...reported, 'Is --url right?'] }
  }
}

/** An error of Neo4j about a query, or about the connection. */
function ofDatabase({ code, message }: Neo4jError): Failure {
  if (/TransactionTimedOut|Terminated/.test(code))
    return {
      code: exit.refused,
      lines: ['The query took too long, and was ended. --timeout gives it more time.'],
    }
  if (code.startsWith('Neo.ClientError.Security.'))
    return { code: exit.noPermission, lines: [message, 'Are NEO4J_USERNAME and NEO4J_PASSWORD right?'] }
  if (code.startsWith('Neo.ClientError.Database.'))
    return { code: exit.config, lines: [message, 'Is NEO4J_DATABASE right?'] }
  if (/^Neo\.(ClientError|DatabaseError\.Statement)\./.test(code))
    return { code: exit.data, lines: [message] }
  return { code: exit.unavailable, lines: [`Neo4j cannot be reached, or cannot answer now: ${message}`] }
}

function unreachable(error: TypeError): Failure {
  const { code, message } = error.cause as { code?: string; message?: string }
  const reason = code === 'ECONNREFUSED' ? 'nothing listens there' : (message ?? code ?? 'no answer')
  return {
    code: exit.unavailable,
    lines: [
      `The service cannot be reached: ${reason}.`,
      'Start it with `npm start`, or give its address with --url.',
    ],
  }
}

/** There is no key, or none that can be sent. */
const isWithoutKey = (error: unknown): error is Error =>
  error instanceof NoKeyError || error instanceof UnusableKeyError
