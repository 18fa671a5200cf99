import { AsyncLocalStorage } from 'node:async_hooks'
import { ApolloServer, type ApolloServerPlugin } from '@apollo/server'
import { ApolloServerPluginCacheControlDisabled } from '@apollo/server/plugin/disabled'
import { expressMiddleware } from '@as-integrations/express5'
import type { RequestHandler } from 'express'
import { GraphQLError, type GraphQLSchema } from 'graphql'
import type { Context } from '../../context.ts'
import { formatError } from './errors.ts'
import type { RequestContext } from './graph.ts'
import { bounds, type Cost } from './limits.ts'
import { estimate } from './requests.ts'
import type { SubscriptionParts } from './subscriptions.ts'

/** Returns authenticated requests: `res.locals.context` is set, and `req.body` is read. */
export async function startApollo({ schema, production }: SubscriptionParts): Promise<RequestHandler> {
  const requests = new AsyncLocalStorage<Context>()
  const server = new ApolloServer<RequestContext>({
    schema,
    introspection: !production,
    includeStacktraceInErrorResponses: false,
    hideSchemaDetailsFromClientErrors: production,
    allowBatchedHttpRequests: false,
    csrfPrevention: true,
    persistedQueries: false,
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

/** Checks the bounds and the directive before anything is read. */
const limits = (schema: GraphQLSchema): ApolloServerPlugin<RequestContext> => ({
  async requestDidStart() {
    let cost: Cost | undefined
    return {
      async didResolveOperation({ document, operation, request, contextValue }) {
        if (!operation) return
        if (operation.operation === 'subscription') throw onlyStreamed()
        const estimated = estimate(schema, { document, operation, variables: request.variables })
        cost = estimated.cost
        Object.assign(contextValue, { includeArchived: estimated.includeArchived })
      },
      /** `?cost=only` asks without running. */
      async responseForOperation({ request, response: { http } }) {
        if (new URLSearchParams(request.http?.search).get('cost') !== 'only') return null
        return { http, body: { kind: 'single', singleResult: {} } }
      },
      async willSendResponse({ response: { body } }) {
        if (cost === undefined || body.kind !== 'single') return
        body.singleResult.extensions = { ...body.singleResult.extensions, cost }
      },
    }
  },
})

const onlyStreamed = () =>
  new GraphQLError(
    'Send a subscription with Accept: text/event-stream, or over a websocket (graphql-transport-ws).',
    { extensions: { code: 'BAD_REQUEST', http: { status: 400 } } },
  )

const noLandingPage: ApolloServerPlugin = {
  async serverWillStart() {
    return { renderLandingPage: undefined } as never
  },
}

/** `formatError` logs faults, with the id of the request. */
const silent = { debug() {}, info() {}, warn() {}, error() {} }
