import { addressOf } from '../../data/place.ts'
import type { Arranged, Asked } from './layout.worker.ts'
import type { MemoryGraph } from './reading.ts'

/** Where each memory was drawn last: it stays near when the graph is read again. */
const known = new Map<string, { x: number; y: number }>()

/** Puts the memories of another graph where they were drawn last. */
export function placeAgain(graph: MemoryGraph) {
  graph.forEachNode((id, node) => Object.assign(node, known.get(id)))
}

/** Arranges the graph in a worker, step by step; `moved` is called after each. Returns how to end it. */
export function arrange(graph: MemoryGraph, moved: (isFirst: boolean, isDone: boolean) => void): () => void {
  let isFirst = true
  const ids = graph.nodes()
  const numbers = new Map(ids.map((id, at) => [id, at]))
  const places = new Float32Array(ids.flatMap(id => placeOf(id)))
  const edges = new Uint32Array(
    graph.mapEdges((_edge, _attributes, from, to) => [numbers.get(from) ?? 0, numbers.get(to) ?? 0]).flat(),
  )
  const worker = new Worker(addressOf('/console/layout.js'), { type: 'module' })
  worker.onmessage = ({ data }: MessageEvent<Arranged>) => {
    // In place: an event for all of them would have each memory and each connection drawn from the beginning.
    graph.forEachNode((id, node) => {
      const at = numbers.get(id)
      if (at === undefined) return
      const place = { x: data.places[2 * at] ?? 0, y: data.places[2 * at + 1] ?? 0 }
      known.set(id, place)
      Object.assign(node, place, { community: data.communities[at] ?? 0 })
    })
    moved(isFirst, data.isDone)
    isFirst = false
  }
  worker.postMessage({ count: ids.length, edges, places } satisfies Asked)
  return () => worker.terminate()
}

/** Where a memory was drawn last, as x and y; NaN if it was not. */
export function placeOf(id: string): [number, number] {
  const place = known.get(id)
  return place ? [place.x, place.y] : [Number.NaN, Number.NaN]
}
