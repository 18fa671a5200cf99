import type { ExplorerParts } from './listeners.ts'
import { type ConnectedNode, historyOf, lookAt, type MemoryView, refresh } from './queries.ts'
import { passes } from './types.ts'
import { count, titleOf } from './words.ts'

/** How many memories one expansion adds, strongest first. */
const AT_ONCE = 12

/** Looks at one memory, and draws what it is connected to. */
export function createLooking({ scene, view, status, listeners, toDrawing }: ExplorerParts) {
  const { graph } = scene
  scene.on(change => {
    if (change === 'selection' && !scene.state.selected) status.end('look')
  })

  /** Chooses a memory and shows all that is known of it; `expand` also draws its strongest neighbours. */
  function open(id: string, expand: boolean) {
    scene.set('selection', { selected: id, path: undefined })
    toDrawing()
    const node = graph.nodes.get(id)
    if (node) view.camera.reveal(node)
    return look(id, expand)
  }

  /** Reads the chosen memory again, with its history; nothing of that comes once another or none is chosen. */
  const look = (id: string, expand = false) =>
    status.attempt('look', async signal => {
      const seen = await lookAt(id, scene.state.filter, signal)
      if (!isChosen(id)) return
      if (!seen) return gone(id)
      join(seen)
      const added = expand ? drawNeighbours(seen) : 0
      listeners.details(seen)
      const { degree = 0 } = graph.nodes.get(id) ?? {}
      status.announce(
        `${titleOf(seen.memory)}. ${count(degree, 'connection')} drawn of ${seen.neighbours.length}${expand ? `, ${added} new memories` : ''}.`,
      )
      const history = await historyOf(id, signal)
      if (isChosen(id)) listeners.history(history)
    })

  const isChosen = (id: string) => scene.state.selected === id

  function gone(id: string) {
    hide(id)
    status.announce('This memory is not there any more.')
  }

  /** Takes the memory in as it is now; one that was found but not drawn comes into view. */
  function join({ memory, neighbours }: MemoryView) {
    const fresh = graph.add([memory], neighbours.map(connectionOf))
    scene.set('graph')
    if (fresh.length === 0) return
    view.arrange({ all: false })
    const node = graph.nodes.get(memory.id)
    if (node) view.camera.reveal(node)
  }

  /** Draws those neighbours that are not drawn yet, as far as the filter lets them. Answers how many. */
  function drawNeighbours({ neighbours }: MemoryView): number {
    const waiting = neighbours.filter(({ connection }) => passes(scene.state.filter, connection))
    const others = new Map(waiting.flatMap(({ memory }) => (memory ? [[memory.id, memory]] : [])))
    const chosen = [...others.values()].filter(({ id }) => !graph.nodes.has(id)).slice(0, AT_ONCE)
    if (chosen.length === 0) return 0
    const fresh = graph.add(chosen, neighbours.map(connectionOf))
    scene.set('graph')
    view.arrange({ all: false })
    void tieIn(fresh)
    return fresh.length
  }

  /** Draws what connects new memories with each other and with the rest. */
  const tieIn = (ids: readonly string[]) =>
    status.attempt('tie', async signal => {
      const { connections } = await refresh(ids, signal)
      graph.add([], connections)
      scene.set('graph')
      view.arrange({ all: false })
    })

  function hide(id: string) {
    graph.remove([id])
    scene.set('graph')
    scene.set('selection', { selected: undefined })
    view.arrange({ all: false })
  }

  return { open, look, hide }
}

const connectionOf = ({ connection }: ConnectedNode) => connection
