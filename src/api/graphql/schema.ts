import { setImmediate as runOthers } from 'node:timers/promises'
import { defaultMergedResolver } from '@graphql-tools/delegate'
import { makeExecutableSchema } from '@graphql-tools/schema'
import {
  GraphQLError,
  type GraphQLObjectType,
  GraphQLScalarType,
  type GraphQLSchema,
  getNamedType,
  isObjectType,
  Kind,
  valueFromASTUntyped,
} from 'graphql'
import { routes } from '../../contract/index.ts'
import { timestamp } from '../../contract/values.ts'
import { isShown } from '../../service/graph/shown.ts'
import { invoke } from '../../service/index.ts'
import { isFiner } from '../../service/memories/filters.ts'
import { drawSubgraph, loadConnections, readEmbedding, readHistory } from './connected.ts'
import { deriveOperations } from './derived.ts'
import { describe } from './descriptions.ts'
import { type GraphqlSource, makeGraph, type RequestContext } from './graph.ts'
import { loadMemories, readGraph } from './memories.ts'
import { toContract } from './names.ts'
import { type Forget, operations, type Resolver } from './operations.ts'
import { loadAsOf, refusePast } from './past.ts'
import {
  changesAsConnection,
  connectionsAsConnection,
  listAsConnection,
  readNode,
  readNodes,
  resolveNodes,
  searchAsConnection,
} from './relay.ts'
import { changeEvents, matchEvents } from './subscriptions.ts'

let graph: Promise<GraphqlSource> | undefined

/** The part of the library, created once for the process. */
export const sharedGraph = () => {
  graph ??= makeGraph()
  return graph
}

/** The schema that the service serves: the reads of the graph and the operations. */
export async function makeSchema(forget: Forget = () => {}): Promise<GraphQLSchema> {
  const made = await sharedGraph()
  await runOthers()
  const described = describe(made.served)
  await runOthers()
  const schema = makeExecutableSchema({
    typeDefs: [described, deriveOperations()],
    resolvers: { DateTime: time, JSON: json, Relevance: relevance },
  })
  const own = resolversOf(made, forget)
  for (const type of Object.values(schema.getTypeMap()))
    if (isObjectType(type) && !type.name.startsWith('__')) resolve(type, made, own)
    else resolveNodes(type)
  const { changes, memoryMatches } = schema.getSubscriptionType()?.getFields() ?? {}
  if (changes) changes.subscribe = changeEvents
  if (memoryMatches) memoryMatches.subscribe = matchEvents
  return schema
}

function resolversOf(made: GraphqlSource, forget: Forget): Record<string, Resolver> {
  const runs = operations(forget)
  const read = loadMemories(made)
  return {
    ...Object.fromEntries(
      Object.entries(runs).flatMap(([name, run]) => [
        [`Query.${name}`, run],
        [`Mutation.${name}`, run],
      ]),
    ),
    'Query.memories': readGraph(made),
    'Query.memoriesConnection': readGraph(made),
    'Query.getMemory': async (root, args, requestContext, info) => {
      if (typeof args.asOf === 'string') return readAsOf(args, requestContext)
      if (args.recordRecall !== false && !(await shows(String(args.id), requestContext))) return null
      return read(await runs.getMemory?.(root, args, requestContext, info), args, requestContext, info)
    },
    'Query.subgraph': drawSubgraph,
    'Query.node': readNode(made),
    'Query.nodes': readNodes(made),
    'Query.listMemoriesConnection': listAsConnection,
    'Query.searchMemoriesConnection': searchAsConnection,
    'Query.listChangesConnection': changesAsConnection,
    'Query.listConnectionsConnection': connectionsAsConnection,
    'Memory.connections': loadConnections,
    'Memory.embedding': readEmbedding,
    'Memory.history': readHistory,
  }
}

/** As with the present, an archived memory shows only in a query for archived ones. */
async function readAsOf(
  { recordRecall: _, ...args }: Record<string, unknown>,
  requestContext: RequestContext,
) {
  const input = toContract(routes.getMemory.input, args) as { id: string; as_of: string }
  const memory = await invoke('getMemory', requestContext.ctx, input)
  return isShown(memory, requestContext, Date.parse(input.as_of))
    ? loadAsOf(requestContext, memory.id, input.as_of)
    : null
}

/** A memory that is not visible is not recalled. */
const shows = async (id: string, requestContext: RequestContext): Promise<boolean> =>
  isShown(await invoke('getMemory', requestContext.ctx, { id, record_recall: false }), requestContext)

/** Operations return the ids of memories, by which the graph is read. The library returns whole memories. */
function resolve(type: GraphQLObjectType, made: GraphqlSource, own: Record<string, Resolver>) {
  const ofGraph = made.inner.getType(type.name) !== undefined
  for (const field of Object.values(type.getFields())) {
    const isMemory = getNamedType(field.type).name === 'Memory' && !ofGraph
    field.resolve =
      own[`${type.name}.${field.name}`] ?? (isMemory ? loadMemories(made) : defaultMergedResolver)
  }
  if (type.name === 'Memory') refusePast(type, own)
}

/** The graph keeps an object as a text. */
const json = new GraphQLScalarType({
  name: 'JSON',
  specifiedByURL: 'https://www.rfc-editor.org/rfc/rfc8259',
  description: 'An object in JSON.',
  serialize: value => (typeof value === 'string' ? JSON.parse(value) : value),
  parseValue: value => value,
  parseLiteral: (node, variables) => valueFromASTUntyped(node, variables),
})

/** The contract checks it. */
const relevance = new GraphQLScalarType({
  name: 'Relevance',
  specifiedByURL: 'https://www.rfc-editor.org/rfc/rfc8259',
  description: 'A number from 0 to 1, or `auto`.',
  parseValue: asRelevance,
  parseLiteral: node => asRelevance(valueFromASTUntyped(node)),
})

function asRelevance(value: unknown): unknown {
  return typeof value === 'string' ? value.toLowerCase() : value
}

/** Times stay strings: the contract parses them in operations, the library in filters. */
const time = new GraphQLScalarType({
  name: 'DateTime',
  specifiedByURL: 'https://www.rfc-editor.org/rfc/rfc3339',
  description:
    'A time in RFC 3339 format, or a day. Both are in UTC unless they have a zone. Responses use UTC with milliseconds.',
  parseValue: asTime,
  parseLiteral: node => asTime(node.kind === Kind.STRING ? node.value : undefined),
})

/** In UTC, because the library accepts fewer formats. A time between two milliseconds stays between them. */
function asTime(value: unknown): string {
  const { data: written, error } = timestamp.safeParse(value)
  if (error)
    throw new GraphQLError(`A DateTime ${error.issues[0]?.message}`, {
      extensions: { code: 'BAD_USER_INPUT' },
    })
  const time = new Date(written).toISOString()
  return isFiner(written) ? time.replace('Z', '5Z') : time
}
