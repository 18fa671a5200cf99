import type Sigma from 'sigma'
import type { Edge, MemoryGraph, Node } from './reading.ts'

/** Farther away than this, clusters are named instead of single memories. */
const FAR = 0.75
/** So few memories are all named themselves. */
const FEW = 60
const LEAST_OF_CLUSTER = 8
const MOST_NAMED = 12
/** Room around a name. */
const HEIGHT = 22

type Cluster = { x: number; y: number; words: string }
type Named = Cluster & { label: HTMLElement; width: number }

/** Whether clusters are named instead of memories, as far away as it is seen. */
export const areNamed = (sigma: Sigma<Node, Edge>) =>
  sigma.getCamera().ratio > FAR && sigma.getGraph().order > FEW

/** Names the clusters of a large graph by the words of their tags, while it is seen from far. Returns how to put the names in place. */
export function nameClusters(sigma: Sigma<Node, Edge>, place: HTMLElement): (isArranging: boolean) => void {
  let named: readonly Named[] = []
  // The clusters change with the graph, and not with the camera.
  sigma.on('afterProcess', () => {
    named = clustersOf(sigma.getGraph()).map(cluster => {
      const label = document.createElement('span')
      label.textContent = cluster.words
      return { ...cluster, label, width: 0 }
    })
    place.hidden = false
    place.replaceChildren(...named.map(({ label }) => label))
    named = named.map(each => ({ ...each, width: each.label.offsetWidth }))
  })
  const put = (isArranging: boolean) => {
    place.hidden = isArranging || !areNamed(sigma)
    if (!place.hidden) putInPlace(sigma, named)
  }
  sigma.on('afterRender', () => put(false))
  return put
}

/** The largest cluster first: a name that would cover an earlier one is left out. */
function putInPlace(sigma: Sigma<Node, Edge>, named: readonly Named[]) {
  const taken: { x: number; y: number; width: number }[] = []
  const view = { cameraState: sigma.getCamera().getState() }
  for (const { x, y, label, width } of named) {
    const at = { ...sigma.graphToViewport({ x, y }, view), width }
    const isCovered = taken.some(
      other => Math.abs(other.y - at.y) < HEIGHT && Math.abs(other.x - at.x) < (other.width + width) / 2,
    )
    label.style.visibility = isCovered ? 'hidden' : 'visible'
    label.style.transform = `translate(${at.x}px, ${at.y}px) translate(-50%, -50%)`
    if (!isCovered) taken.push(at)
  }
}

function clustersOf(graph: MemoryGraph): Cluster[] {
  const clusters = new Map<number, { x: number; y: number; count: number; tags: Map<string, number> }>()
  graph.forEachNode((_id, { community, x, y, tags }) => {
    const cluster = clusters.get(community) ?? { x: 0, y: 0, count: 0, tags: new Map() }
    cluster.x += x
    cluster.y += y
    cluster.count++
    for (const tag of tags) cluster.tags.set(tag, (cluster.tags.get(tag) ?? 0) + 1)
    clusters.set(community, cluster)
  })
  return [...clusters.values()]
    .filter(({ count, tags }) => count >= LEAST_OF_CLUSTER && tags.size > 0)
    .sort((a, b) => b.count - a.count)
    .slice(0, MOST_NAMED)
    .map(({ x, y, count, tags }) => {
      const [first, second] = [...tags].sort(([, a], [, b]) => b - a)
      const words = [first, second].flatMap(each => each?.[0] ?? []).join(', ')
      return { x: x / count, y: y / count, words }
    })
}
