import { ask } from '../shared/ask.ts'
import {
  everything,
  type Filter,
  type GraphConnection,
  type HistoryEntry,
  type Hit,
  type Memory,
  type Path,
  relationshipTypes,
  type SearchType,
} from './types.ts'

const memoryFields = `fragment memoryFields on Memory {
  id content policy tags importance state health recallCount lastRecalledAt expiresAt createdAt updatedAt version
}`
const connectionFields = `fragment connectionFields on Connection {
  sourceId targetId relationshipType strength origin createdAt
}`

export type Surroundings = { memories: Memory[]; connections: GraphConnection[] }

export type Beginning = { total: number; newest: Memory[]; ids: string[] }

/** Where one begins: the newest memories, and with them the ids of what was connected last. */
export async function beginning(limit: number, signal: AbortSignal): Promise<Beginning> {
  const { memories, listConnections, getStats } = await ask<{
    memories: Memory[]
    listConnections: { connections: GraphConnection[] }
    getStats: { memories: { total: number } }
  }>(
    `query Beginning {
      memories(sort: [{ createdAt: DESC }], limit: 12) { ...memoryFields }
      listConnections(limit: 200) { connections { sourceId targetId } }
      getStats { memories { total } }
    } ${memoryFields}`,
    {},
    signal,
  )
  const connected = listConnections.connections.flatMap(({ sourceId, targetId }) => [sourceId, targetId])
  const ids = [...new Set([...memories.map(({ id }) => id), ...connected])].slice(0, limit)
  return { total: getStats.memories.total, newest: memories, ids }
}

export type SearchFound = { results: Hit[]; hasMore: boolean; truncated: boolean; degraded: boolean }

/** Searches, best first, with how each score came about. */
export async function searchGraph(
  query: string,
  searchType: SearchType,
  signal: AbortSignal,
): Promise<SearchFound> {
  const { searchMemories } = await ask<{ searchMemories: SearchFound }>(
    `query Search($query: String!, $searchType: SearchType!) {
      searchMemories(query: $query, searchType: $searchType, limit: 25, explain: true) {
        hasMore truncated degraded
        results {
          score
          relevance
          sources { semantic { rank score } keyword { rank score } }
          explain { semantic { cosine part } keyword { relevance part } session { rank } formula }
          memory { ...memoryFields }
        }
      }
    } ${memoryFields}`,
    { query, searchType },
    signal,
  )
  return { ...searchMemories, results: searchMemories.results.filter(({ memory }) => memory) }
}

/** The surroundings of some memories, at most 50 of them; where no type passes, themselves alone. */
export async function surroundings(
  ids: readonly string[],
  { depth, limit, filter }: { depth: number; limit: number; filter: Filter },
  signal: AbortSignal,
): Promise<Surroundings> {
  if (!anyTypeOf(filter)) return refresh(ids, signal, filter)
  const { subgraph } = await ask<{
    subgraph: { nodes: { memory: Memory | null }[]; edges: GraphConnection[] }
  }>(
    `query Surroundings(
      $ids: [ID!]!, $depth: Int!, $limit: Int!, $types: [RelationshipType!], $minStrength: Float
    ) {
      subgraph(ids: $ids, depth: $depth, limit: $limit, relationshipTypes: $types, minStrength: $minStrength) {
        nodes { memory { ...memoryFields } }
        edges { ...connectionFields }
      }
    } ${memoryFields} ${connectionFields}`,
    { ids: ids.slice(0, 50), depth, limit, ...narrowing(filter) },
    signal,
  )
  return {
    memories: subgraph.nodes.flatMap(({ memory }) => memory ?? []),
    connections: subgraph.edges,
  }
}

export type ConnectedNode = { direction: 'IN' | 'OUT'; connection: GraphConnection; memory: Memory | null }

export type MemoryView = { memory: Memory; neighbours: ConnectedNode[] }

/** A memory as it is now with its strongest connections, at most 100; undefined when it is not there to be shown. */
export async function lookAt(
  id: string,
  filter: Filter,
  signal: AbortSignal,
): Promise<MemoryView | undefined> {
  const { memories } = await ask<{ memories: (Memory & { connections?: ConnectedNode[] })[] }>(
    `query MemoryView($id: ID!, $anyType: Boolean!, $types: [RelationshipType!], $minStrength: Float) {
      memories(where: { id: { eq: $id } }) {
        ...memoryFields
        connections(limit: 100, types: $types, minStrength: $minStrength) @include(if: $anyType) {
          direction
          connection { ...connectionFields }
          memory { ...memoryFields }
        }
      }
    } ${memoryFields} ${connectionFields}`,
    { id, anyType: anyTypeOf(filter), ...narrowing(filter) },
    signal,
  )
  const [memory] = memories
  return memory && { memory, neighbours: memory.connections ?? [] }
}

/** How many memories are read again at once. */
export const MEMORIES_AT_ONCE = 50

/**
 * Some memories as they are now, at most `PAGE`: those that are gone are missing. With each come its 100 strongest
 * connections, whatever they are or of those that the filter lets pass.
 */
export async function refresh(
  ids: readonly string[],
  signal: AbortSignal,
  filter: Filter = everything,
): Promise<Surroundings> {
  const answer = await ask<{ memories: (Memory & { connections?: { connection: GraphConnection }[] })[] }>(
    `query Refresh($ids: [ID!]!, $anyType: Boolean!, $types: [RelationshipType!], $minStrength: Float) {
      memories(where: { id: { in: $ids } }, limit: ${MEMORIES_AT_ONCE}) {
        ...memoryFields
        connections(limit: 100, types: $types, minStrength: $minStrength) @include(if: $anyType) {
          connection { ...connectionFields }
        }
      }
    } ${memoryFields} ${connectionFields}`,
    { ids: ids.slice(0, MEMORIES_AT_ONCE), anyType: anyTypeOf(filter), ...narrowing(filter) },
    signal,
  )
  return {
    memories: answer.memories,
    connections: answer.memories.flatMap(({ connections = [] }) =>
      connections.map(({ connection }) => connection),
    ),
  }
}

/** The best ways between two memories, along the types that the filter lets pass. */
export async function findPaths(
  sourceId: string,
  targetId: string,
  filter: Filter,
  signal: AbortSignal,
): Promise<{ paths: Path[]; truncated: boolean }> {
  if (!anyTypeOf(filter)) return { paths: [], truncated: false }
  const { findPath } = await ask<{ findPath: { paths: Path[]; truncated: boolean } }>(
    `query Path($sourceId: ID!, $targetId: ID!, $types: [RelationshipType!]) {
      findPath(sourceId: $sourceId, targetId: $targetId, relationshipTypes: $types, limit: 5) {
        truncated
        paths { score length memories { ...memoryFields } connections { ...connectionFields } }
      }
    } ${memoryFields} ${connectionFields}`,
    { sourceId, targetId, types: narrowing(filter).types },
    signal,
  )
  return findPath
}

/** In how many answers a history is read at most, of 500 changes each. */
const HISTORY_PAGES = 20

/** Newest first. Of more than 10,000 changes the first 10,000: then it is not whole. */
export type History = { changes: HistoryEntry[]; isWhole: boolean }

/** What the feed still holds of a memory and of its connections. */
export async function historyOf(memoryId: string, signal: AbortSignal): Promise<History> {
  const changes: HistoryEntry[] = []
  let cursor: string | undefined
  for (let page = 0; page < HISTORY_PAGES; page++) {
    const { listChanges } = await historyPage(memoryId, cursor, signal)
    changes.push(...listChanges.changes)
    if (!listChanges.hasMore) return { changes: changes.toReversed(), isWhole: true }
    cursor = listChanges.nextCursor
  }
  return { changes: changes.toReversed(), isWhole: false }
}

const historyPage = (memoryId: string, cursor: string | undefined, signal: AbortSignal) =>
  ask<{ listChanges: { changes: HistoryEntry[]; nextCursor: string; hasMore: boolean } }>(
    `query History($memoryId: ID!, $cursor: String) {
      listChanges(memoryId: $memoryId, cursor: $cursor, limit: 500) {
        nextCursor hasMore
        changes {
          cursor kind at memoryId version
          connection { sourceId targetId relationshipType origin }
        }
      }
    }`,
    { memoryId, cursor },
    signal,
  )

/** No type at all cannot be asked for. */
const anyTypeOf = ({ types }: Filter) => types.size > 0

const narrowing = ({ types, minStrength }: Filter) => ({
  types: types.size === relationshipTypes.length ? undefined : [...types],
  minStrength: minStrength > 0 ? minStrength : undefined,
})
