import { MultiDirectedGraph } from 'graphology'
import { ask } from '../../data/client.ts'
import { type Filters, filtersOf, stateOf } from '../../data/finding.ts'
import type { Type } from '../../parts/connecting.tsx'
import { firstLine } from '../../parts/words.ts'
import { asOfOf } from './time.tsx'

export type Node = {
  title: string
  state: string
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

type State = ReturnType<typeof stateOf>

/** What is drawn at most, the newest; GraphQL gives out as many. */
const MOST = 10_000
const PAGE = 200
/** Of the first page, which is read alone: something is seen soon. */
const FIRST = 100
const AT_ONCE = 3
/** Of each memory the strongest: enough to see what belongs together. */
const CONNECTIONS = 6
/** The drawing is made again whenever so many times as many pages are there: each time everything is arranged again. */
const GROWTH = 5

/** `version` counts what was added to the graph; `isCut`: there are more memories. */
export type Reading = { graph: MemoryGraph; version: number; isWhole: boolean; isCut: boolean }

type Answered = {
  id: string
  content: string
  state: string
  policy: string
  kind: string | null
  tags: readonly string[]
  importance: number
  createdAt: string
  connections: {
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
  const state = stateOf(get)
  const where = whereOf(filters, state)
  const archived = state !== 'active'
  let gathered: Answered[] = []
  let isCut = false
  let version = 0
  let pages = 0
  let due = 1
  let next = 0
  let isOver = false
  const take = (memories: readonly Answered[]) => {
    gathered.push(...memories)
    if (++pages < due) return
    due *= GROWTH
    add(graph, waiting, gathered)
    gathered = []
    onPart({ graph, version: ++version, isWhole: false, isCut })
  }
  const readNext = async () => {
    const offset = next
    const limit = offset === 0 ? FIRST : Math.min(PAGE, MOST - offset)
    next += limit
    const memories = await readPage({ where, offset, limit, archived }, signal)
    if (memories.length < limit) isOver = true
    else if (offset + limit >= MOST)
      isCut = (await readPage({ where, offset: MOST, limit: 1, archived }, signal)).length > 0
    take(memories)
  }
  const readOn = async () => {
    while (!isOver && next < MOST) await readNext()
  }
  const readPast = async () => {
    for (let cursor: string | null = null; !isOver && next < MOST; next += PAGE) {
      const page: PastPage = await readPastPage({ asOf, cursor, filters, state }, signal)
      cursor = page.nextCursor
      isOver = cursor === null
      isCut = !isOver && next + PAGE >= MOST
      take(page.memories)
    }
  }
  if (asOf === undefined) {
    await readNext()
    await Promise.all(Array.from({ length: AT_ONCE }, readOn))
  } else await readPast()
  add(graph, waiting, gathered)
  return { graph, version: version + 1, isWhole: true, isCut }
}

type Page = { where: object; offset: number; limit: number; archived: boolean }

const readPage = async (variables: Page, signal: AbortSignal) =>
  (
    await ask<{ memories: Answered[] }>(
      `query Graph($where: MemoryWhere!, $offset: Int!, $limit: Int!, $archived: Boolean!) @includeArchived(if: $archived) {
        memories(where: $where, sort: [{ createdAt: DESC }, { id: DESC }], limit: $limit, offset: $offset) {
          id content state policy kind tags importance createdAt
          connections(limit: ${CONNECTIONS}) {
            connection { sourceId targetId relationshipType strength origin }
          }
        }
      }`,
      variables,
      signal,
    )
  ).memories

type PastPage = { memories: Answered[]; nextCursor: string | null }
type Past = { asOf: string | undefined; cursor: string | null; filters: Filters; state: State }

/** The same of a time in the past. */
const readPastPage = async ({ asOf, cursor, filters, state }: Past, signal: AbortSignal) =>
  (
    await ask<{ listMemories: PastPage }>(
      `query PastGraph($asOf: DateTime, $cursor: String, $tags: [String!], $policy: String, $source: String,
        $session_id: String, $kind: String, $created_after: DateTime, $created_before: DateTime, $min_importance: Float,
        $state: MemoryState, $archived: Boolean!) @includeArchived(if: $archived) {
        listMemories(asOf: $asOf, state: $state, cursor: $cursor, limit: ${PAGE}, tags: $tags, policy: $policy, source: $source,
          sessionId: $session_id, kind: $kind, createdAfter: $created_after, createdBefore: $created_before,
          minImportance: $min_importance) {
          nextCursor
          memories {
            id content state policy kind tags importance createdAt
            connections(limit: ${CONNECTIONS}) {
              connection { sourceId targetId relationshipType strength origin }
            }
          }
        }
      }`,
      {
        ...{ asOf, ...filters, archived: state !== 'active' },
        ...(cursor === null ? {} : { cursor }),
        ...(state === 'archived' ? { state: 'ARCHIVED' } : {}),
      },
      signal,
    )
  ).listMemories

/** The filters of the REST API as those of GraphQL. */
const whereOf = (
  { tags, policy, source, session_id, kind, created_after, created_before, min_importance }: Filters,
  state: State,
) => ({
  AND: [
    ...(state === 'archived' ? [{ state: { eq: 'ARCHIVED' } }] : []),
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
  const grown = new Set<string>()
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
    grown.add(sourceId).add(targetId)
  }
  for (const id of grown)
    graph.updateNode(id, node => ({ ...(node as Node), size: sizeOf(node as Node, graph.degree(id)) }))
}

const nodeOf = ({ content, state, policy, kind, tags, importance, createdAt }: Answered): Node => {
  const node = {
    title: firstLine({ content }),
    state: state.toLowerCase(),
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
