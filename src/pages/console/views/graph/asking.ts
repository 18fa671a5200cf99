import { ask } from '../../data/client.ts'
import type { Type } from '../../parts/connecting.tsx'

export type Neighbour = {
  id: string
  title: string
  isOut: boolean
  kind: Type
  strength: number | null
  origin: string
}

export type Looked = {
  id: string
  content: string
  state: string
  policy: string
  tags: readonly string[]
  importance: number
  neighbours: Neighbour[]
}

export type Path = {
  score: number
  steps: {
    id: string
    content: string
    by: { kind: Type; isOut: boolean; strength: number | null } | undefined
  }[]
}

type Connection = {
  sourceId: string
  targetId: string
  relationshipType: string
  strength: number | null
  origin: string
}
type Short = { id: string; content: string }

type Answered = Omit<Looked, 'neighbours'> & {
  connections: { direction: 'IN' | 'OUT'; connection: Connection; memory: Short | null }[]
}

const LOOKED = `id content state policy tags importance
  connections(limit: 100) {
    direction
    connection { sourceId targetId relationshipType strength origin }
    memory { id content }
  }`

/** Which memory to look at, as of which time, and whether to look at archived ones. */
type Sight = { id: string; asOf: string | undefined; archived: boolean }

/** A memory with its 100 strongest connections; undefined where it is gone, or archived and not asked for. */
export async function lookAt(sight: Sight, signal: AbortSignal): Promise<Looked | undefined> {
  const memory = sight.asOf === undefined ? await lookNow(sight, signal) : await lookBack(sight, signal)
  if (!memory) return undefined
  const { connections, ...rest } = memory
  const neighbours = connections.flatMap(({ direction, connection, memory: other }) =>
    other
      ? {
          id: other.id,
          title: other.content,
          isOut: direction === 'OUT',
          kind: kindOf(connection),
          strength: connection.strength,
          origin: connection.origin.toLowerCase(),
        }
      : [],
  )
  return { ...rest, neighbours }
}

async function lookNow({ id, archived }: Sight, signal: AbortSignal): Promise<Answered | undefined> {
  const query = `query Memory($id: ID!, $archived: Boolean!) @includeArchived(if: $archived) {
    memories(where: { id: { eq: $id } }) { ${LOOKED} }
  }`
  return (await ask<{ memories: Answered[] }>(query, { id, archived }, signal)).memories[0]
}

async function lookBack({ id, asOf, archived }: Sight, signal: AbortSignal): Promise<Answered | null> {
  const query = `query PastMemory($id: ID!, $asOf: DateTime, $archived: Boolean!) @includeArchived(if: $archived) {
    getMemory(id: $id, asOf: $asOf) { ${LOOKED} }
  }`
  return (await ask<{ getMemory: Answered | null }>(query, { id, asOf, archived }, signal)).getMemory
}

/** The best ways between two memories, at most five. */
export async function findPaths(
  sourceId: string,
  targetId: string,
  asOf: string | undefined,
  signal: AbortSignal,
): Promise<Path[]> {
  const { findPath } = await ask<{
    findPath: { paths: { score: number; memories: Short[]; connections: Connection[] }[] }
  }>(
    `query Path($sourceId: ID!, $targetId: ID!, $asOf: DateTime) {
      findPath(sourceId: $sourceId, targetId: $targetId, asOf: $asOf, limit: 5) {
        paths {
          score
          memories { id content }
          connections { sourceId targetId relationshipType strength origin }
        }
      }
    }`,
    { sourceId, targetId, asOf },
    signal,
  )
  return findPath.paths.map(({ score, memories, connections }) => ({
    score,
    steps: memories.map(({ id, content }, at) => {
      const next = connections[at]
      return {
        id,
        content,
        by: next && { kind: kindOf(next), isOut: next.sourceId === id, strength: next.strength },
      }
    }),
  }))
}

const kindOf = ({ relationshipType }: Connection) => relationshipType.toLowerCase() as Type
