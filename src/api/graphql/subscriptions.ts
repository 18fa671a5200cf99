import {
  createSourceEventStream,
  type DocumentNode,
  type ExecutionResult,
  execute,
  GraphQLError,
  type GraphQLFormattedError,
  type GraphQLSchema,
  getOperationAST,
  NoSchemaIntrospectionCustomRule,
  type OperationDefinitionNode,
  parse,
  specifiedRules,
  validate,
} from 'graphql'
import { z } from 'zod'
import type { Context } from '../../context.ts'
import { type Change, change } from '../../contract/changes.ts'
import { memoryMatch, memoryMatchesInput } from '../../contract/graphql.ts'
import { routes } from '../../contract/index.ts'
import type { Safelist } from '../../platform/safelist.ts'
import { changesOf, type Events } from '../../service/feed/events.ts'
import { check, invoke, permit } from '../../service/index.ts'
import { oneStep } from '../../service/streams.ts'
import { formatError } from './errors.ts'
import type { RequestContext } from './graph.ts'
import { bounds } from './limits.ts'
import { toContract, toGraphql } from './names.ts'
import { estimate } from './requests.ts'

/** What a client sends to subscribe, over either transport. */
const subscription = z.object({
  query: z.string().optional(),
  documentId: z.string().optional(),
  variables: z.record(z.string(), z.unknown()).nullish(),
  operationName: z.string().nullish(),
})

export type Answer = { data?: ExecutionResult['data']; errors?: readonly GraphQLFormattedError[] }

export type SubscriptionParts = { schema: GraphQLSchema; production: boolean; safelist: Safelist | undefined }
export type Prepared = {
  document: DocumentNode
  operation: OperationDefinitionNode
  variables: Record<string, unknown>
  includeArchived: boolean
}

/**
 * Starts a subscription. The generator yields one result for each change that is committed after this promise resolves;
 * each result has the time limit of a request. An error that ends the subscription is its last result. To return the
 * generator ends the subscription immediately, without a further result.
 */
export async function openSubscription(
  { schema }: SubscriptionParts,
  given: Context,
  { document, operation, variables, includeArchived }: Prepared,
): Promise<AsyncGenerator<Answer>> {
  const ending = new AbortController()
  const ctx = { ...given, signal: AbortSignal.any([given.signal, ending.signal]) }
  const requestContext = (each: Context): RequestContext => ({ ctx: each, includeArchived })
  const common = { schema, document, variableValues: variables, operationName: operation.name?.value }
  const source = await createSourceEventStream({ ...common, contextValue: requestContext(ctx) })
  async function* each(): AsyncGenerator<Answer> {
    try {
      if (!(Symbol.asyncIterator in source)) return yield shown(ctx, source)
      for await (const rootValue of source) {
        const result = await oneStep(ctx, step =>
          execute({ ...common, rootValue, contextValue: requestContext(step) }),
        )
        if (ctx.signal.aborted) return
        yield shown(ctx, result)
      }
    } catch (error) {
      if (!ctx.signal.aborted) yield { errors: [toFormatted(ctx, error)] }
    } finally {
      ending.abort()
    }
  }
  return endedBy(ending, each())
}

/** On its own, a generator returns only after its next result, and one that has not started runs no `finally`. */
function endedBy(ending: AbortController, answers: AsyncGenerator<Answer>): AsyncGenerator<Answer> {
  const end = answers.return.bind(answers)
  return Object.assign(answers, {
    return(value: unknown) {
      ending.abort()
      return end(value)
    },
  })
}

/** @throws GraphQLError with a code if it is not a valid subscription */
export function prepare({ schema, production, safelist }: SubscriptionParts, given: unknown): Prepared {
  const parsedRequest = subscription.safeParse(given)
  if (!parsedRequest.success)
    throw refused('query must be a string, variables an object, operationName a string.', 'BAD_REQUEST')
  const { query: text, documentId, variables, operationName } = parsedRequest.data
  const query = safelist ? safelist({ id: documentId, query: text || undefined }) : text
  if (safelist && query === undefined)
    throw refused('This service answers only the operations on its list.', 'QUERY_NOT_LISTED')
  if (query === undefined) throw refused('query must be a string.', 'BAD_REQUEST')
  const document = parsed(query)
  const rules = production ? [...specifiedRules, NoSchemaIntrospectionCustomRule] : specifiedRules
  const [fault] = validate(schema, document, rules)
  if (fault)
    throw refused(
      production ? withoutHints(fault.message) : fault.message,
      'GRAPHQL_VALIDATION_FAILED',
      fault,
    )
  const operation = getOperationAST(document, operationName)
  if (!operation)
    throw refused('No operation, or more than one without a name.', 'OPERATION_RESOLUTION_FAILURE')
  if (operation.operation !== 'subscription')
    throw refused('Only subscriptions are streamed. Send queries and mutations by POST.', 'BAD_REQUEST')
  return { document, operation, ...estimate(schema, { document, operation, variables }) }
}

function parsed(query: string): DocumentNode {
  try {
    return parse(query, { maxTokens: bounds.tokens })
  } catch (error) {
    throw refused((error as Error).message, 'GRAPHQL_PARSE_FAILED')
  }
}

const refused = (message: string, code: string, { nodes }: { nodes?: GraphQLError['nodes'] } = {}) =>
  new GraphQLError(message, { nodes: nodes ?? null, extensions: { code } })

/** In production, hints would reveal the schema piece by piece. */
function withoutHints(message: string): string {
  const at = message.indexOf('Did you mean')
  return at < 0 || !message.endsWith('?') ? message : message.slice(0, at).trimEnd()
}

const shown = (ctx: Context, { data, errors }: ExecutionResult): Answer => ({
  ...(data === undefined ? {} : { data }),
  ...(errors ? { errors: errors.map(error => toFormatted(ctx, error)) } : {}),
})

/** An error as the client receives it. */
export function toFormatted(ctx: Context, error: unknown): GraphQLFormattedError {
  const formatted = error instanceof GraphQLError ? error.toJSON() : { message: String(error) }
  return formatError(formatted, error, ctx)
}

/** The events of the field `changes`. Their start in the feed is fixed when the promise resolves. */
export async function changeEvents(_root: unknown, args: Record<string, unknown>, { ctx }: RequestContext) {
  const input = toContract(routes.followChanges.input, args)
  return started(ctx, input, each => ({ changes: toGraphql(change, each) }))
}

/** The events of the field `memoryMatches`. */
export async function matchEvents(_root: unknown, args: Record<string, unknown>, { ctx }: RequestContext) {
  permit('followChanges', ctx)
  const { query, ...rest } = check(memoryMatchesInput, toContract(memoryMatchesInput, args))
  return started(ctx, { ...rest, matches: query }, each => ({
    memoryMatches: toGraphql(memoryMatch, each),
  }))
}

const started = <Event>(ctx: Context, input: unknown, eventOf: (change: Change) => Event) =>
  invoke('followChanges', ctx, input, {
    async handle(inner, asked) {
      const batches = changesOf(inner, asked)
      await batches.next()
      const end = () => void batches.return(undefined)
      if (ctx.signal.aborted) end()
      ctx.signal.addEventListener('abort', end, { once: true })
      return eventsOf(batches, eventOf)
    },
  })

async function* eventsOf<Event>(batches: AsyncGenerator<Events>, eventOf: (change: Change) => Event) {
  for await (const { changes } of batches) for (const each of changes) yield eventOf(each)
}
