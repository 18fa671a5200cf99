import { unwrapResolverError } from '@apollo/server/errors'
import { type ASTNode, GraphQLError, type GraphQLFormattedError } from 'graphql'
import { type ProblemCode, problems } from '../../contract/problem-codes.ts'
import { ServiceError, shortenText } from '../../contract/problems.ts'
import type { Log } from '../../platform/log.ts'
import { queryErrors } from './error-codes.ts'
import { inGraphql } from './mentions.ts'
import { camel } from './names.ts'

/** The request that an error belongs to. Every error has its id. */
export type FailedRequest = { readonly requestId: string; readonly log: Log }

/**
 * An error as the client receives it. Expected failures have their code, and errors of the query have GraphQL's message.
 * All others are faults, which the service logs: the client receives only the request id.
 */
export function formatError(
  formatted: GraphQLFormattedError,
  thrown: unknown,
  { requestId, log }: FailedRequest,
): GraphQLFormattedError {
  const { locations, path } = formatted
  const place = { ...(locations ? { locations } : {}), ...(path ? { path } : {}) }
  const error = causeOf(thrown)
  if (error instanceof ServiceError && error.code !== 'internal_error')
    return {
      message: inGraphql(error.message, fieldsOf(error)),
      ...place,
      extensions: { ...extensionsOf(error), requestId },
    }
  const code = codeOfGraphql(error, formatted)
  if (code !== undefined) {
    const { bound } = formatted.extensions ?? {}
    return {
      message: shortenText(formatted.message),
      ...place,
      extensions: { code, ...(bound ? { bound } : {}), requestId },
    }
  }
  log.error({ error: error instanceof Error ? error.stack : String(error) }, 'fault')
  return {
    message: 'Something went wrong on our side. The request id finds it in the log.',
    ...place,
    extensions: { code: upper('internal_error'), status: problems.internal_error.status, requestId },
  }
}

/** An error about a valid query that cannot be answered. */
export const misfit = (message: string, nodes: readonly ASTNode[] = []) =>
  new GraphQLError(message, { nodes, extensions: { code: 'BAD_USER_INPUT', http: { status: 400 } } })

/** The original error: resolvers and delegated reads wrap it. */
function causeOf(thrown: unknown): unknown {
  const inner = unwrapResolverError(thrown)
  if (inner instanceof GraphQLError && inner.originalError) return causeOf(inner.originalError)
  return inner
}

function extensionsOf(error: ServiceError) {
  const { code, faults, retryAfterSeconds } = error
  const names = fieldsOf(error)
  const errors = faults.map(({ pointer, message, ...fault }) => ({
    ...fault,
    pointer: camel(pointer),
    message: inGraphql(message, names),
  }))
  return {
    code: upper(code),
    status: problems[code].status,
    ...(errors.length > 0 ? { errors } : {}),
    ...(retryAfterSeconds === undefined ? {} : { retryAfterSeconds }),
  }
}

/** The names of fields that an error mentions. */
const fieldsOf = ({ faults }: ServiceError) => faults.flatMap(({ pointer }) => pointer.split('/'))

const upper = (code: ProblemCode) => code.toUpperCase()

/** The code of an error of GraphQL itself. Apollo adds the code of a fault if an error has none. */
function codeOfGraphql(error: unknown, { extensions }: GraphQLFormattedError): string | undefined {
  if (!(error instanceof GraphQLError) || error.originalError !== undefined) return undefined
  if (isCoercion(error)) return 'BAD_USER_INPUT'
  const code = String(extensions?.code)
  return Object.hasOwn(queryErrors, code) ? code : undefined
}

/** A value that does not match its type: the error has a position in the query and no field in the data. */
const isCoercion = ({ extensions, nodes }: GraphQLError) =>
  extensions.code === undefined && nodes?.every(({ kind }) => kind !== 'Field') === true
