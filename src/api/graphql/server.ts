import { AsyncLocalStorage } from 'node:async_hooks'
import { ApolloServer, type ApolloServerPlugin } from '@apollo/server'
import { ApolloServerPluginCacheControlDisabled } from '@apollo/server/plugin/disabled'
import { expressMiddleware } from '@as-integrations/express5'
import type { RequestHandler } from 'express'
import {
  GraphQLError,
  type GraphQLSchema,
  getDirectiveValues,
  getVariableValues,
  type OperationDefinitionNode,
} from 'graphql'
import type { Context } from '../../context.ts'
import { formatError } from './errors.ts'
import type { Asking } from './graph.ts'
import { bounds, checkLimits } from './limits.ts'
import type { Forget } from './operations.ts'
import { makeSchema } from './schema.ts'

/** Answers requests that have been let in: `res.locals.context` says for whom, and `req.body` is read. */
export async function startServer(production: boolean, forget: Forget): Promise<RequestHandler> {
  const schema = await makeSchema(forget)
  const requests = new AsyncLocalStorage<Context>()
  const server = new ApolloServer<Asking>({
    schema,
    introspection: !production,
    includeStacktraceInErrorResponses: false,
    hideSchemaDetailsFromClientErrors: production,
    allowBatchedHttpRequests: false,
    csrfPrevention: true,
    persistedQueries: false,
    documentStore: null,
    stopOnTerminationSignals: false,
    parseOptions: { maxTokens: bounds.tokens },
    formatError: (formatted, error) => formatError(formatted, error, requests.getStore() as Context),
    plugins: [limits(schema), ApolloServerPluginCacheControlDisabled(), noLandingPage],
    logger: silent,
  })
  await server.start()
  const answer = expressMiddleware(server, {
    context: async ({ res }) => ({ ctx: res.locals.context as Context, includeArchived: false }),
  })
  return (req, res, next) => requests.run(res.locals.context as Context, () => answer(req, res, next))
}

/** Refuses what asks too much, and sees whether archived memories are asked for; then only is anything read. */
const limits = (schema: GraphQLSchema): ApolloServerPlugin<Asking> => ({
  async requestDidStart() {
    return {
      async didResolveOperation({ document, operation, request, contextValue }) {
        if (!operation) return
        const variables = coerced(schema, operation, request.variables ?? {})
        checkLimits({ schema, document, operation, variables })
        Object.assign(contextValue, { includeArchived: asksForArchived(schema, operation, variables) })
      },
    }
  },
})

/** @throws GraphQLError when the variables are not what the operation declares */
function coerced(schema: GraphQLSchema, operation: OperationDefinitionNode, given: Record<string, unknown>) {
  const { coerced: values, errors } = getVariableValues(schema, operation.variableDefinitions ?? [], given)
  if (values) return values
  const [first] = errors
  throw new GraphQLError(first?.message ?? 'The variables do not fit', {
    extensions: { code: 'BAD_USER_INPUT', http: { status: 400 } },
  })
}

function asksForArchived(
  schema: GraphQLSchema,
  operation: OperationDefinitionNode,
  variables: Record<string, unknown>,
): boolean {
  const directive = schema.getDirective('includeArchived')
  return (directive && getDirectiveValues(directive, operation, variables)?.if === true) ?? false
}

const noLandingPage: ApolloServerPlugin = {
  async serverWillStart() {
    return { renderLandingPage: undefined } as never
  },
}

/** Faults are logged where errors are formatted, with the id of the request. */
const silent = { debug() {}, info() {}, warn() {}, error() {} }
