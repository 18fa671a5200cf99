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

/** A memory with its 100 strongest connections; undefined where it is gone or archived. */
export async function lookAt(id: string, signal: AbortSignal): Promise<Looked | undefined> {
  const { memories } = await ask<{
    memories: (Omit<Looked, 'neighbours'> & {
      connections: { direction: 'IN' | 'OUT'; connection: Connection; memory: Short | null }[]
    })[]
  }>(
    `query Memory($id: ID!) {
      memories(where: { id: { eq: $id } }) {
        id content policy tags importance
        connections(limit: 100) {
          direction
          connection { sourceId targetId relationshipType strength origin }
          memory { id content }
        }
      }
    }`,
    { id },
    signal,
  )
  const [memory] = memories
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

/** The best ways between two memories, at most five. */
export async function findPaths(sourceId: string, targetId: string, signal: AbortSignal): Promise<Path[]> {
  const { findPath } = await ask<{
    findPath: { paths: { score: number; memories: Short[]; connections: Connection[] }[] }
  }>(
    `query Path($sourceId: ID!, $targetId: ID!) {
      findPath(sourceId: $sourceId, targetId: $targetId, limit: 5) {
        paths {
          score
          memories { id content }
          connections { sourceId targetId relationshipType strength origin }
        }
      }
    }`,
    { sourceId, targetId },
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
