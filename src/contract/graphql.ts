import { z } from 'zod'
import { change, changeRoutes, minRelevance, wanted } from './changes.ts'
import { closedSet } from './closed-sets.ts'
import { connectionRoutes, connectionValidAt, relationshipType } from './connections.ts'
import { asOf, filters } from './filters.ts'
import { edge } from './graph.ts'
import { historyRoutes } from './history.ts'
import { memoryRoutes } from './memories.ts'
import { memory } from './memory.ts'
import { searchRoutes } from './search.ts'
import { fraction, id, limit, query } from './values.ts'

/** What only GraphQL offers: a field of one of its types, with the input and output of a route. */
export type GraphqlField = {
  readonly description: string
  readonly input: z.ZodObject
  readonly output: z.ZodType
}

const direction = closedSet('Direction')

const minStrength = fraction
  .optional()
  .describe('Weaker connections are left out. A connection without a strength counts as 1.')

const types = z.array(relationshipType).min(1).optional().describe('Only connections of these types.')

const subgraphSearch = z
  .strictObject({
    query,
    search_type: closedSet('SearchType').describe('How to search.'),
    limit: limit(10, 50),
  })
  .meta({ id: 'SubgraphSearch', description: 'A search whose results are the start of a subgraph.' })

export const subgraphInput = z.strictObject({
  ids: z
    .array(id)
    .min(1)
    .max(50)
    .optional()
    .describe('The ids of the memories to start from; 50 is the maximum.'),
  search: subgraphSearch.optional().describe('A search. Its results are further memories to start from.'),
  depth: z
    .int()
    .min(1)
    .max(5)
    .default(1)
    .describe('How many connections to follow from the start; 5 is the maximum.'),
  limit: limit(100, 500),
  relationship_types: types,
  min_strength: minStrength,
  as_of: asOf,
  ...filters('any'),
})

export const connectionsInput = z.strictObject({
  direction: direction
    .default('both')
    .describe('Whether the memory is the source (`out`) or the target (`in`).'),
  types,
  min_strength: minStrength,
  valid_at: connectionValidAt,
  as_of: asOf,
  limit: limit(20, 100),
})

const { input: ofHistory, output: history } = historyRoutes.getMemoryHistory
export const historyInput = ofHistory.omit({ id: true })
export const historyOutput = history.shape.versions

const subgraphNode = z
  .object({
    id: id.describe('The id of the memory.'),
    depth: z.int().describe('How many connections away from the start it is.'),
    memory,
  })
  .meta({ id: 'SubgraphNode', description: 'A memory of a subgraph.' })

const subgraph = z
  .object({
    nodes: z.array(subgraphNode).describe('The nearest first, then the most strongly connected.'),
    edges: z
      .array(edge)
      .describe(
        'The connections between the nodes, strongest first; at most 30 for each memory of the `limit`.',
      ),
    truncated: z
      .boolean()
      .describe(
        'There is more than the limits or the bound on work allow, or a version of the time of `as_of` is no longer kept.',
      ),
  })
  .meta({ id: 'Subgraph', description: 'Memories and the connections between them.' })

const memoryConnection = z
  .object({
    direction: direction.describe('Whether the connection leaves the memory (`out`) or enters it (`in`).'),
    connection: edge.describe('The connection.'),
    memory: memory.describe('The memory at the other end.'),
  })
  .meta({ id: 'MemoryConnection', description: 'A connection as seen from one of its ends.' })

const { limit: first, cursor, ...listFilters } = memoryRoutes.listMemories.input.shape
export const listConnectionInput = z.strictObject({
  first,
  after: cursor.describe('The `end_cursor` of the page before, or the cursor of any memory.'),
  ...listFilters,
})

const pageInfo = z
  .object({
    has_next_page: z.boolean().describe('As in Relay: `has_next_page`.'),
    has_previous_page: z.boolean().describe('As in Relay: `has_previous_page`.'),
    start_cursor: z.string().nullable().describe('As in Relay: `start_cursor`.'),
    end_cursor: z.string().nullable().describe('As in Relay: `end_cursor`.'),
  })
  .meta({ id: 'PageInfo', description: 'The page info.' })

const listEdge = z
  .object({
    cursor: z.string().describe('The place of the memory in this order. Pass it as `after`.'),
    node: memory,
  })
  .meta({ id: 'ListEdge', description: 'A memory with its place in a list.' })

export const listConnection = z
  .object({
    edges: z.array(listEdge).describe('The memories of this page.'),
    page_info: pageInfo.describe('Whether there are more pages, and where they start.'),
    truncated: z
      .boolean()
      .describe(
        'Whether the service reached its limit of work before the page was full, or left a memory out whose version of the time of `as_of` is no longer kept. Continue with `end_cursor`.',
      ),
  })
  .meta({ id: 'ListConnection', description: 'A page of a list of memories.' })

const after = cursor.describe('The `end_cursor` of the page before, or the cursor of any edge.')

const searchInput = searchRoutes.searchMemories.input
export const searchConnectionInput = searchInput
  .omit({ limit: true, cursor: true, explain: true, highlight: true })
  .extend({ first: searchInput.shape.limit, after })

const searchEdge = z
  .object({
    cursor: z.string().describe('The place of the result. Pass it as `after`.'),
    node: memory,
    score: fraction.describe('The score, 0 to 1.'),
    relevance: fraction.describe('How clearly it bears on the query, 0 to 1.'),
  })
  .meta({ id: 'SearchEdge', description: 'A memory that a search found.' })

export const searchConnection = z
  .object({
    edges: z.array(searchEdge).describe('The results of this page, best first.'),
    page_info: pageInfo.describe('Whether there are more pages, and where they start.'),
    degraded: z.boolean().describe('Whether the search had to do without vectors or without reranking.'),
  })
  .meta({ id: 'SearchConnection', description: 'A page of results.' })

const changesInput = changeRoutes.listChanges.input
export const changesConnectionInput = changesInput
  .omit({ limit: true, cursor: true })
  .extend({ first: changesInput.shape.limit, after })

const changeEdge = z
  .object({ cursor: z.string().describe('The place of the change in the feed.'), node: change })
  .meta({ id: 'ChangeEdge', description: 'A change with its place.' })

export const changesConnection = z
  .object({
    edges: z.array(changeEdge).describe('The changes of this page, oldest first.'),
    page_info: pageInfo.describe('Whether there are more changes, and where they start.'),
  })
  .meta({ id: 'ChangesConnection', description: 'A page of the feed.' })

const connectionRoute = connectionRoutes.listConnections
const connectionsPageInput = connectionRoute.input
export const connectionsConnectionInput = connectionsPageInput
  .omit({ limit: true, cursor: true, offset: true })
  .extend({ first: connectionsPageInput.shape.limit, after })

const connectionEdge = z
  .object({ cursor: z.string().describe('The place of the connection. Pass it as `after`.'), node: edge })
  .meta({ id: 'ConnectionEdge', description: 'A connection with its place.' })

export const connectionsConnection = z
  .object({
    edges: z.array(connectionEdge).describe('The connections of this page, newest first.'),
    page_info: pageInfo.describe('Whether there are more pages, and where they start.'),
    total_count: z.int().describe('How many connections matched on the first page.'),
  })
  .meta({ id: 'ConnectionsConnection', description: 'A page of connections.' })

const { after: afterChange, kinds } = changeRoutes.followChanges.input.shape

export const memoryMatchesInput = z.strictObject({
  query: query.describe('The question.'),
  filters: wanted.filters.describe('Only memories that match.'),
  min_relevance: minRelevance,
  kinds,
  after: afterChange,
})

export const memoryMatch = change
  .pick({ cursor: true, kind: true, at: true, version: true })
  .extend({
    memory_id: id.describe('The id of the memory.'),
    relevance: fraction.describe('How clearly it bears on the question, 0 to 1.'),
  })
  .meta({ id: 'MemoryMatch', description: 'A new or changed memory that bears on a saved question.' })

export const graphqlFields = {
  Query: {
    listMemoriesConnection: {
      description:
        'The same list as `listMemories`, as a connection of Relay. A cursor is a place in the order and not a number: writes between two pages move nothing. The pages contain a memory exactly once if it matches the whole time and the field that you order by does not change.',
      input: listConnectionInput,
      output: listConnection,
    },
    searchMemoriesConnection: {
      description:
        'The same search as `searchMemories`, as a connection of Relay. A page has what is best of the memories that no page before had, so none comes twice. 1,000 results are the maximum.',
      input: searchConnectionInput,
      output: searchConnection,
    },
    listChangesConnection: {
      description:
        'The same feed as `listChanges`, as a connection of Relay. `endCursor` is never null: continue from it later.',
      input: changesConnectionInput,
      output: changesConnection,
    },
    listConnectionsConnection: {
      description:
        'The same list as `listConnections`, as a connection of Relay: of a memory by `sourceId` or `targetId`. A cursor is a place in the order and not a number: writes between two pages move nothing.',
      input: connectionsConnectionInput,
      output: connectionsConnection,
    },
    subgraph: {
      description:
        'Read the surroundings of some memories, for drawing. You name the memories, or a search finds them. The nearest come first, then the most strongly connected, with the connections between the memories in the response.',
      input: subgraphInput,
      output: subgraph,
    },
  },
  Subscription: {
    changes: {
      description:
        'Follow changes as they are committed, by the graphql-transport-ws protocol on a websocket or by the graphql-sse protocol (POST with `Accept: text/event-stream`, distinct connections). Changes arrive in order and at least once. If you reconnect with the last `cursor`, you miss nothing.',
      input: changeRoutes.followChanges.input,
      output: change,
    },
    memoryMatches: {
      description:
        'A standing search: reports each new or changed memory that bears on a question, by the same protocols and cursors as `changes`. Each version of a memory is reported at most once, when its vector is there. If you reconnect with the last `cursor`, you miss no match.',
      input: memoryMatchesInput,
      output: memoryMatch,
    },
  },
  Memory: {
    embedding: {
      description: 'The embedding that represents the memory in searches. The vector itself is not returned.',
      input: z.strictObject({}),
      output: memory.shape.embedding.omit({ vector: true }).nullable(),
    },
    connections: {
      description:
        'The connections of any type, strongest first. The connections of all memories of a query are read at once.',
      input: connectionsInput,
      output: z.array(memoryConnection),
    },
    history: {
      description: 'The versions of the memory, the current one first.',
      input: historyInput,
      output: historyOutput,
    },
  },
} satisfies Record<string, Record<string, GraphqlField>>
