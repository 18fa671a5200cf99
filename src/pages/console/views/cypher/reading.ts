import { MultiDirectedGraph } from 'graphology'
import forceAtlas2 from 'graphology-layout-forceatlas2'
import { firstLine } from '../../parts/words.ts'

type MemoryNode = { labels: string[]; properties: Record<string, unknown> & { id: string } }
type Connection = { type: string; properties: Record<string, unknown> }

export type Drawn = {
  nodes: { id: string; title: string; x: number; y: number }[]
  edges: { from: string; to: string; type: string }[]
}

const has = (value: unknown, name: string): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && name in value && 'properties' in value

export const isMemory = (value: unknown): value is MemoryNode =>
  has(value, 'labels') && (value as MemoryNode).labels.includes('Memory')

const isConnection = (value: unknown): value is Connection => has(value, 'type')

/** A value of a result in one line. */
export function textOf(value: unknown): string {
  if (value === null || value === undefined) return ''
  if (isMemory(value)) return firstLine({ content: String(value.properties.content ?? value.properties.id) })
  if (isConnection(value)) return value.type.toLowerCase().replaceAll('_', ' ')
  if (Array.isArray(value)) return value.map(textOf).join(value.some(isConnection) ? ' → ' : ', ')
  return typeof value === 'object' ? JSON.stringify(value) : String(value)
}

const MOST = 120

/**
 * The memories of the rows. A connection joins the memories before and after it in a path or a row: the answer does not
 * say which ends it has.
 */
export function graphIn(rows: readonly Record<string, unknown>[]): Drawn {
  const graph = new MultiDirectedGraph<{ title: string; x: number; y: number }, { type: string }>()
  const add = (node: MemoryNode) => {
    const { id } = node.properties
    const angle = graph.order * 2.4
    if (!graph.hasNode(id))
      graph.addNode(id, {
        title: textOf(node),
        x: Math.cos(angle) * graph.order,
        y: Math.sin(angle) * graph.order,
      })
    return id
  }
  for (const row of rows) {
    if (graph.order >= MOST) break
    const values = Object.values(row).flat()
    for (const [at, value] of values.entries()) {
      if (isMemory(value)) add(value)
      const [before, after] = [values[at - 1], values[at + 1]]
      if (!isConnection(value) || !isMemory(before) || !isMemory(after)) continue
      const key = `${before.properties.id} ${value.type} ${after.properties.id}`
      if (!graph.hasEdge(key))
        graph.addDirectedEdgeWithKey(key, add(before), add(after), { type: textOf(value) })
    }
  }
  if (graph.order > 2)
    forceAtlas2.assign(graph, {
      iterations: 200,
      settings: { ...forceAtlas2.inferSettings(graph), gravity: 1 },
    })
  return {
    nodes: graph.mapNodes((id, node) => ({ id, ...node })),
    edges: graph.mapEdges((_key, { type }, from, to) => ({ from, to, type })),
  }
}
