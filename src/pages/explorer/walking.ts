import type { ExplorerParts } from './listeners.ts'
import { findPaths } from './queries.ts'
import type { Path } from './types.ts'
import { count, nameOf } from './words.ts'

/** Finds the ways between two memories. */
export function createWalking({ scene, view, status, listeners, toDrawing }: ExplorerParts) {
  const { graph } = scene

  /** Takes a memory as one end of a path, or else as the first that is free; with both it looks for the path. */
  function end(id: string, which: 'from' | 'to' | undefined = undefined) {
    const { from, to } = scene.state.ends
    const begins = from === undefined || to !== undefined
    const ends = which ? { from, to, [which]: id } : begins ? { from: id, to: undefined } : { from, to: id }
    scene.set('path', { ends, path: undefined })
    listeners.paths({ kind: 'ends' })
    if (ends.from && ends.to) return walk(ends.from, ends.to)
    status.announce(
      ends.from
        ? 'The path begins here. Choose where it ends.'
        : 'The path ends here. Choose where it begins.',
    )
    return undefined
  }

  const walk = (from: string, to: string) =>
    status.attempt('path', async signal => {
      if (from === to) return listeners.paths({ kind: 'found', paths: [], truncated: false })
      listeners.paths({ kind: 'waiting' })
      const found = await findPaths(from, to, scene.state.filter, signal).catch((error: unknown) => {
        listeners.paths({ kind: 'ends' })
        throw error
      })
      listeners.paths({ kind: 'found', ...found })
      const [best] = found.paths
      if (best) showPath(best)
      else status.announce('No path of at most five connections leads from one to the other.')
    })

  /** Draws a path, with what of it is not drawn yet, and brings it into view. */
  function showPath(path: Path) {
    toDrawing()
    const fresh = graph.add(path.memories, path.connections)
    scene.set('graph')
    scene.set('path', { path })
    if (fresh.length > 0) view.arrange({ all: false })
    view.stay()
    view.camera.fit(path.memories.flatMap(({ id }) => graph.nodes.get(id) ?? []))
    const types = path.connections.map(({ relationshipType }) => nameOf(relationshipType)).join(', ')
    status.announce(`A path of ${count(path.length, 'connection')}: ${types}.`)
  }

  function forgetPath() {
    scene.set('path', { path: undefined, ends: { from: undefined, to: undefined } })
    listeners.paths({ kind: 'ends' })
  }

  return { end, showPath, forgetPath }
}
