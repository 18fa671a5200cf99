import { unwrapResolverError } from '@apollo/server/errors'
import { type ASTNode, GraphQLError, type GraphQLFormattedError } from 'graphql'
import { type ProblemCode, problems, ServiceError } from '../../contract/problems.ts'
import type { Log } from '../../platform/log.ts'
import { camel } from './names.ts'

/** Whom an answer is for: every error names the request. */
export type Request = { readonly requestId: string; readonly log: Log }

/**
 * An error as it leaves the house: an expected failure with its code, what GraphQL itself says of a query, and of
 * anything else nothing but where to find it.
 */
export function formatError(
  formatted: GraphQLFormattedError,
  thrown: unknown,
  { requestId, log }: Request,
): GraphQLFormattedError {
  const { locations, path } = formatted
  const place = { ...(locations ? { locations } : {}), ...(path ? { path } : {}) }
  const error = causeOf(thrown)
  if (error instanceof ServiceError && error.code !== 'internal_error')
    return { message: error.message, ...place, extensions: { ...told(error), requestId } }
  const code = codeOfGraphql(error, formatted)
  if (code !== undefined) {
    const { bound } = formatted.extensions ?? {}
    return {
      message: formatted.message,
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

/** A query that is valid and cannot be meant. */
export const misfit = (message: string, nodes: readonly ASTNode[] = []) =>
  new GraphQLError(message, { nodes, extensions: { code: 'BAD_USER_INPUT', http: { status: 400 } } })

/** What was thrown first: resolvers and handed-on reads wrap it. */
function causeOf(thrown: unknown): unknown {
  const inner = unwrapResolverError(thrown)
  if (inner instanceof GraphQLError && inner.originalError) return causeOf(inner.originalError)
  return inner
}

function told({ code, faults, retryAfterSeconds }: ServiceError) {
  const errors = faults.map(fault => ({ ...fault, pointer: camel(fault.pointer) }))
  return {
    code: upper(code),
    status: problems[code].status,
    ...(errors.length > 0 ? { errors } : {}),
    ...(retryAfterSeconds === undefined ? {} : { retryAfterSeconds }),
  }
}

const upper = (code: ProblemCode) => code.toUpperCase()

/** What is said of the text of a query or of its variables is about what the caller sent. */
const ours = new Set([
  'GRAPHQL_PARSE_FAILED',
  'GRAPHQL_VALIDATION_FAILED',
  'OPERATION_RESOLUTION_FAILURE',
  'PERSISTED_QUERY_NOT_SUPPORTED',
  'BAD_USER_INPUT',
  'BAD_REQUEST',
  'QUERY_TOO_LARGE',
  'QUERY_NOT_LISTED',
])

/** The code of what GraphQL itself refuses. Where an error has none Apollo has filled one in, of a fault. */
function codeOfGraphql(error: unknown, { extensions }: GraphQLFormattedError): string | undefined {
  if (!(error instanceof GraphQLError) || error.originalError !== undefined) return undefined
  if (isCoercion(error)) return 'BAD_USER_INPUT'
  const code = String(extensions?.code)
  return ours.has(code) ? code : undefined
}

/** A value that does not fit its type: it has a place in the query and none in the answer's data. */
const isCoercion = ({ extensions, nodes }: GraphQLError) =>
  extensions.code === undefined && nodes?.every(({ kind }) => kind !== 'Field') === true
