import type { SimulationLinkDatum, SimulationNodeDatum } from 'd3-force'
import { type Filter, type GraphConnection, type Memory, passes, weightOf } from './types.ts'

/** A memory with its position in the drawing. */
export type Node = SimulationNodeDatum & { id: string; memory: Memory; x: number; y: number; degree: number }

/** A connection between two memories that are drawn. `bendFactor` bends it away from others between the same two. */
export type Edge = SimulationLinkDatum<Node> & {
  key: string
  source: Node
  target: Node
  connection: GraphConnection
  weight: number
  bendFactor: number
}

/** How many memories are drawn at most. */
const MOST = 500

/** The memories and connections that are on the page. */
export function createGraph() {
  const nodes = new Map<string, Node>()
  const edges = new Map<string, Edge>()
  let filter: Filter
  let shown: Edge[] = []

  /** Takes in memories, as far as there is room, and connections between those that are there. Returns the new ones. */
  function add(memories: readonly Memory[], connections: readonly GraphConnection[]): string[] {
    const fresh: string[] = []
    const near = nearest(connections)
    for (const memory of memories) {
      const known = nodes.get(memory.id)
      if (known) known.memory = memory
      else if (nodes.size < MOST) {
        nodes.set(memory.id, { id: memory.id, memory, degree: 0, ...placeNextTo(near(memory.id)) })
        fresh.push(memory.id)
      }
    }
    for (const connection of connections) connect(connection)
    settle()
    return fresh
  }

  function connect(connection: GraphConnection) {
    const { sourceId, targetId } = connection
    const [source, target] = [nodes.get(sourceId), nodes.get(targetId)]
    if (!source || !target) return
    const key = keyOf(connection)
    const known = edges.get(key)
    if (known) Object.assign(known, { connection, weight: weightOf(connection) })
    else edges.set(key, { key, source, target, connection, weight: weightOf(connection), bendFactor: 0 })
  }

  /** Where a neighbour that is drawn already stands. */
  const nearest = (connections: readonly GraphConnection[]) => (id: string) => {
    for (const { sourceId, targetId } of connections) {
      const other = sourceId === id ? targetId : targetId === id ? sourceId : undefined
      const node = other === undefined ? undefined : nodes.get(other)
      if (node) return node
    }
    return undefined
  }

  function remove(ids: Iterable<string>) {
    for (const id of ids) nodes.delete(id)
    for (const [key, { source, target }] of edges)
      if (!nodes.has(source.id) || !nodes.has(target.id)) edges.delete(key)
    settle()
  }

  function disconnect(connection: Pick<GraphConnection, 'sourceId' | 'targetId' | 'relationshipType'>) {
    edges.delete(keyOf(connection))
    settle()
  }

  function clear() {
    nodes.clear()
    edges.clear()
    shown = []
  }

  /** Which connections pass, how many each memory has of them, and which ones lie side by side. */
  function settle() {
    shown = [...edges.values()].filter(({ connection }) => passes(filter, connection))
    for (const node of nodes.values()) node.degree = 0
    const pairs = Map.groupBy(shown, ({ source, target }) => [source.id, target.id].sort().join(' '))
    for (const side of pairs.values())
      for (const [index, edge] of side.entries()) {
        edge.source.degree++
        edge.target.degree++
        const bendFactor = index - (side.length - 1) / 2
        edge.bendFactor = edge.source.id < edge.target.id ? bendFactor : -bendFactor
      }
  }

  function narrow(next: Filter) {
    filter = next
    settle()
  }

  return {
    nodes: nodes as ReadonlyMap<string, Node>,
    add,
    remove,
    disconnect,
    clear,
    narrow,
    /** The connections that the filter lets pass. */
    edges: (): readonly Edge[] => shown,
    edgesOf: (id: string) => shown.filter(({ source, target }) => source.id === id || target.id === id),
  }
}

export type Graph = ReturnType<typeof createGraph>

export const keyOf = ({
  sourceId,
  targetId,
  relationshipType,
}: Pick<GraphConnection, 'sourceId' | 'targetId' | 'relationshipType'>) =>
  `${sourceId} ${relationshipType} ${targetId}`

/** New nodes appear next to a connected one, each at another angle. */
function placeNextTo(node: Node | undefined) {
  const angle = Math.random() * 2 * Math.PI
  const distance = node ? 40 + Math.random() * 30 : 60 + Math.random() * 260
  return { x: (node?.x ?? 0) + Math.cos(angle) * distance, y: (node?.y ?? 0) + Math.sin(angle) * distance }
}
