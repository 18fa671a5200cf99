import {
  type DocumentNode,
  GraphQLError,
  type GraphQLSchema,
  getDirectiveValues,
  getVariableValues,
  type OperationDefinitionNode,
} from 'graphql'
import { boundsFault } from '../input-bounds.ts'
import { misfit } from './errors.ts'
import { checkLimits } from './limits.ts'
import { checkShapes } from './shapes.ts'

type Asked = {
  document: DocumentNode
  operation: OperationDefinitionNode
  variables: Readonly<Record<string, unknown>> | null | undefined
}

/**
 * Checks the bounds of a valid operation before anything is read. Returns its variables, its cost and whether it includes
 * archived memories. @throws GraphQLError
 */
export function estimate(schema: GraphQLSchema, { document, operation, variables: given }: Asked) {
  const fault = boundsFault(given)
  if (fault) throw tooManyValues(`In the variables, ${fault}.`)
  const variables = coerced(schema, operation, given ?? {})
  const cost = checkLimits({ schema, document, operation, variables })
  checkShapes({ schema, document, variables })
  return { variables, cost, includeArchived: asksForArchived(schema, operation, variables) }
}

/** @throws GraphQLError if the variables do not match the declarations of the operation */
function coerced(
  schema: GraphQLSchema,
  operation: OperationDefinitionNode,
  given: Readonly<Record<string, unknown>>,
) {
  const { coerced: values, errors } = getVariableValues(schema, operation.variableDefinitions ?? [], given, {
    maxErrors: 1,
  })
  if (values) return values
  const [first] = errors
  throw misfit(first?.message ?? 'The variables do not match their types')
}

const tooManyValues = (message: string) =>
  new GraphQLError(message, { extensions: { code: 'QUERY_TOO_LARGE', http: { status: 400 } } })

function asksForArchived(
  schema: GraphQLSchema,
  operation: OperationDefinitionNode,
  variables: Record<string, unknown>,
): boolean {
  const directive = schema.getDirective('includeArchived')
  if (!directive) return false
  try {
    return getDirectiveValues(directive, operation, variables)?.if === true
  } catch (error) {
    throw misfit((error as Error).message)
  }
}
