import { ask } from '../shared/ask.ts'
import {
  type Change,
  type Connection,
  type Filter,
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

export type Surroundings = { memories: Memory[]; connections: Connection[]; truncated: boolean }

export type Beginning = { total: number; newest: Memory[]; ids: string[] }

/** Where one begins: the newest memories, and with them the ids of what was connected last. */
export async function beginning(limit: number, signal: AbortSignal): Promise<Beginning> {
  const { memories, listConnections, getStats } = await ask<{
    memories: Memory[]
    listConnections: { connections: Connection[] }
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

export type Found = { results: Hit[]; hasMore: boolean; truncated: boolean; degraded: boolean }

/** Searches, best first, with how each score came about. */
export async function search(query: string, searchType: SearchType, signal: AbortSignal): Promise<Found> {
  const { searchMemories } = await ask<{ searchMemories: Found }>(
    `query Search($query: String!, $searchType: SearchType!) {
      searchMemories(query: $query, searchType: $searchType, limit: 25, explain: true) {
        hasMore truncated degraded
        results {
          score
          sources { semantic { rank score } keyword { rank score } }
          explain { semantic { cosine part } keyword { relevance part } formula }
          memory { ...memoryFields }
        }
      }
    } ${memoryFields}`,
    { query, searchType },
    signal,
  )
  return { ...searchMemories, results: searchMemories.results.filter(({ memory }) => memory) }
}

/** The surroundings of some memories, at most 50 of them. */
export async function surroundings(
  ids: readonly string[],
  { depth, limit, filter }: { depth: number; limit: number; filter: Filter },
  signal: AbortSignal,
): Promise<Surroundings> {
  const { subgraph } = await ask<{
    subgraph: { nodes: { memory: Memory | null }[]; edges: Connection[]; truncated: boolean }
  }>(
    `query Surroundings(
      $ids: [ID!]!, $depth: Int!, $limit: Int!, $types: [RelationshipType!], $minStrength: Float
    ) {
      subgraph(ids: $ids, depth: $depth, limit: $limit, relationshipTypes: $types, minStrength: $minStrength) {
        nodes { memory { ...memoryFields } }
        edges { ...connectionFields }
        truncated
      }
    } ${memoryFields} ${connectionFields}`,
    { ids: ids.slice(0, 50), depth, limit, ...narrowing(filter) },
    signal,
  )
  return {
    memories: subgraph.nodes.flatMap(({ memory }) => memory ?? []),
    connections: subgraph.edges,
    truncated: subgraph.truncated,
  }
}

export type Neighbour = { direction: 'IN' | 'OUT'; connection: Connection; memory: Memory | null }

export type Look = { memory: Memory; neighbours: Neighbour[] }

/** A memory as it is now with its strongest connections, at most 100; undefined when it is not there to be shown. */
export async function lookAt(id: string, filter: Filter, signal: AbortSignal): Promise<Look | undefined> {
  const { memories } = await ask<{ memories: (Memory & { connections: Neighbour[] })[] }>(
    `query Look($id: ID!, $types: [RelationshipType!], $minStrength: Float) {
      memories(where: { id: { eq: $id } }) {
        ...memoryFields
        connections(limit: 100, types: $types, minStrength: $minStrength) {
          direction
          connection { ...connectionFields }
          memory { ...memoryFields }
        }
      }
    } ${memoryFields} ${connectionFields}`,
    { id, ...narrowing(filter) },
    signal,
  )
  const [memory] = memories
  return memory && { memory, neighbours: memory.connections }
}

/** Some memories as they are now, with their connections: those that are gone are missing. At most 50. */
export async function refresh(
  ids: readonly string[],
  signal: AbortSignal,
): Promise<{ memories: Memory[]; connections: Connection[] }> {
  const answer = await ask<{ memories: (Memory & { connections: { connection: Connection }[] })[] }>(
    `query Refresh($ids: [ID!]!) {
      memories(where: { id: { in: $ids } }, limit: 50) {
        ...memoryFields
        connections(limit: 100) { connection { ...connectionFields } }
      }
    } ${memoryFields} ${connectionFields}`,
    { ids: ids.slice(0, 50) },
    signal,
  )
  return {
    memories: answer.memories,
    connections: answer.memories.flatMap(({ connections }) =>
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

/** What the feed still holds of a memory and of its connections, newest first; of a long one the beginning is read. */
export async function historyOf(memoryId: string, signal: AbortSignal): Promise<Change[]> {
  const { listChanges } = await ask<{ listChanges: { changes: Change[] } }>(
    `query History($memoryId: ID!) {
      listChanges(memoryId: $memoryId, limit: 500) {
        changes {
          cursor kind at memoryId version
          connection { sourceId targetId relationshipType origin }
        }
      }
    }`,
    { memoryId },
    signal,
  )
  return listChanges.changes.toReversed()
}

const narrowing = ({ types, minStrength }: Filter) => ({
  types: types.size === relationshipTypes.length || types.size === 0 ? undefined : [...types],
  minStrength: minStrength > 0 ? minStrength : undefined,
})
