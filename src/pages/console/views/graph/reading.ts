import { MultiDirectedGraph } from 'graphology'
import { ask } from '../../data/client.ts'
import { type Filters, filtersOf } from '../../data/finding.ts'
import type { Type } from '../../parts/connecting.tsx'
import { firstLine } from '../../parts/words.ts'
import { asOfOf } from './time.tsx'

export type Node = {
  title: string
  policy: string
  kind: string
  tags: readonly string[]
  importance: number
  createdAt: number
  x: number
  y: number
  size: number
  community: number
}

export type Edge = { kind: Type; origin: string; strength: number | undefined }

export type MemoryGraph = MultiDirectedGraph<Node, Edge>

/** What is drawn at most, the newest; GraphQL gives out as many. */
const MOST = 10_000
const PAGE = 200
const AT_ONCE = 3
/** Of each memory the strongest: enough to see what belongs together. */
const CONNECTIONS = 6
/** After so many further pages the drawing is made again. */
const PAGES_A_PART = 10

/** `version` counts what was added to the graph; `isCut`: there are more memories. */
export type Reading = { graph: MemoryGraph; version: number; isWhole: boolean; isCut: boolean }

type Answered = {
  id: string
  content: string
  policy: string
  kind: string | null
  tags: readonly string[]
  importance: number
  createdAt: string
  connections: {
    direction: 'IN' | 'OUT'
    connection: {
      sourceId: string
      targetId: string
      relationshipType: string
      strength: number | null
      origin: string
    }
  }[]
}

/** The memories that the filters of the address let pass, newest first, with their strongest connections, at its time. */
export async function readGraph(
  get: (name: string) => string,
  signal: AbortSignal,
  onPart: (part: Reading) => void,
): Promise<Reading> {
  const graph: MemoryGraph = new MultiDirectedGraph()
  const waiting = new Map<string, Answered['connections'][number]['connection']>()
  const filters = filtersOf(get)
  const asOf = asOfOf(get)
  const where = whereOf(filters)
  // Each addition is drawn: that takes longer than the reading where there are many.
  let gathered: Answered[] = []
  let isCut = false
  let version = 0
  let pages = 0
  let next = 0
  let isOver = false
  const take = (memories: readonly Answered[]) => {
    gathered.push(...memories)
    if (pages++ % PAGES_A_PART > 0) return
    add(graph, waiting, gathered)
    gathered = []
    onPart({ graph, version: ++version, isWhole: false, isCut })
  }
  const readOn = async () => {
    while (!isOver && next < MOST) {
      const offset = next
      next += PAGE
      const memories = await readPage({ where, offset }, signal)
      if (memories.length < PAGE) isOver = true
      else isCut ||= offset + PAGE >= MOST
      take(memories)
    }
  }
  const readPast = async () => {
    for (let cursor: string | null = null; !isOver && next < MOST; next += PAGE) {
      const page: PastPage = await readPastPage({ asOf, cursor, filters }, signal)
      cursor = page.nextCursor
      isOver = cursor === null
      isCut = !isOver && next + PAGE >= MOST
      take(page.memories)
    }
  }
  if (asOf === undefined) await Promise.all(Array.from({ length: AT_ONCE }, readOn))
  else await readPast()
  add(graph, waiting, gathered)
  return { graph, version: version + 1, isWhole: true, isCut }
}

const readPage = async (variables: { where: object; offset: number }, signal: AbortSignal) =>
  (
    await ask<{ memories: Answered[] }>(
      `query Graph($where: MemoryWhere!, $offset: Int!) {
        memories(where: $where, sort: [{ createdAt: DESC }, { id: DESC }], limit: ${PAGE}, offset: $offset) {
          id content policy kind tags importance createdAt
          connections(limit: ${CONNECTIONS}) {
            direction
            connection { sourceId targetId relationshipType strength origin }
          }
        }
      }`,
      variables,
      signal,
    )
  ).memories

type PastPage = { memories: Answered[]; nextCursor: string | null }

/** The same of a time in the past. */
const readPastPage = async (
  { asOf, cursor, filters }: { asOf: string | undefined; cursor: string | null; filters: Filters },
  signal: AbortSignal,
) =>
  (
    await ask<{ listMemories: PastPage }>(
      `query PastGraph($asOf: DateTime, $cursor: String, $tags: [String!], $policy: String, $source: String,
        $session_id: String, $kind: String, $created_after: DateTime, $created_before: DateTime, $min_importance: Float) {
        listMemories(asOf: $asOf, cursor: $cursor, limit: ${PAGE}, tags: $tags, policy: $policy, source: $source,
          sessionId: $session_id, kind: $kind, createdAfter: $created_after, createdBefore: $created_before,
          minImportance: $min_importance) {
          nextCursor
          memories {
            id content policy kind tags importance createdAt
            connections(limit: ${CONNECTIONS}) {
              direction
              connection { sourceId targetId relationshipType strength origin }
            }
          }
        }
      }`,
      { asOf, ...filters, ...(cursor === null ? {} : { cursor }) },
      signal,
    )
  ).listMemories

/** The filters of the REST API as those of GraphQL. */
const whereOf = ({
  tags,
  policy,
  source,
  session_id,
  kind,
  created_after,
  created_before,
  min_importance,
}: Filters) => ({
  AND: [
    ...(tags ?? []).map(tag => ({ tags: { includes: tag } })),
    ...(policy ? [{ policy: { eq: policy } }] : []),
    ...(source ? [{ source: { eq: source } }] : []),
    ...(session_id ? [{ sessionId: { eq: session_id } }] : []),
    ...(kind ? [{ kind: { eq: kind } }] : []),
    ...(created_after ? [{ createdAt: { gte: created_after } }] : []),
    ...(created_before ? [{ createdAt: { lt: created_before } }] : []),
    ...(min_importance === undefined ? [] : [{ importance: { gte: min_importance } }]),
  ],
})

/** A connection waits until both of its memories are there. */
function add(
  graph: MemoryGraph,
  waiting: Map<string, Answered['connections'][number]['connection']>,
  memories: readonly Answered[],
) {
  for (const memory of memories) {
    if (graph.hasNode(memory.id)) continue
    graph.addNode(memory.id, nodeOf(memory))
    for (const { connection } of memory.connections)
      waiting.set(`${connection.sourceId} ${connection.relationshipType} ${connection.targetId}`, connection)
  }
  for (const [key, { sourceId, targetId, relationshipType, strength, origin }] of waiting) {
    if (!graph.hasNode(sourceId) || !graph.hasNode(targetId)) continue
    waiting.delete(key)
    graph.addEdge(sourceId, targetId, {
      kind: relationshipType.toLowerCase() as Type,
      origin: origin.toLowerCase(),
      strength: strength ?? undefined,
    })
    for (const id of [sourceId, targetId])
      graph.updateNode(id, node => ({ ...(node as Node), size: sizeOf(node as Node, graph.degree(id)) }))
  }
}

const nodeOf = ({ content, policy, kind, tags, importance, createdAt }: Answered): Node => {
  const node = {
    title: firstLine({ content }),
    policy,
    kind: kind ?? '',
    tags,
    importance,
    createdAt: Date.parse(createdAt),
  }
  return { ...node, x: Math.random(), y: Math.random(), size: sizeOf(node, 0), community: 0 }
}

const sizeOf = ({ importance }: Pick<Node, 'importance'>, degree: number) =>
  2.5 + 2 * importance + Math.min(9, Math.sqrt(degree))
