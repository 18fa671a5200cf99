import { type Edge, keyOf } from './graph.ts'
import type { Scene } from './scene.ts'

export type Emphasis = 'back' | 'normal' | 'front'

/** What stands out and what steps back: a path that is shown, else what the pointer is on, else what is chosen. */
export function emphasisOf({ graph, state }: Scene) {
  const { path, hovered, selected } = state
  if (path) {
    const keys = new Set(path.connections.map(keyOf))
    const ids = new Set(path.memories.map(({ id }) => id))
    return judged(({ key }) => keys.has(key), ids)
  }
  const centre = hovered ?? selected
  if (!centre || !graph.nodes.has(centre)) return judged(undefined, new Set())
  const near = graph.edgesOf(centre)
  if (near.length === 0) return judged(undefined, new Set([centre]))
  const ids = new Set([centre, ...near.flatMap(({ source, target }) => [source.id, target.id])])
  return judged(({ source, target }) => source.id === centre || target.id === centre, ids)
}

function judged(isFront: ((edge: Edge) => boolean) | undefined, front: ReadonlySet<string>) {
  return {
    /** The memories that stand out; none when nothing does. */
    front,
    ofEdge: (edge: Edge): Emphasis => (isFront ? (isFront(edge) ? 'front' : 'back') : 'normal'),
    ofNode: (id: string): Emphasis => (isFront ? (front.has(id) ? 'front' : 'back') : 'normal'),
  }
}

export type Emphases = ReturnType<typeof emphasisOf>
