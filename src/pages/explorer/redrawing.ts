import type { Explorer } from './explorer.ts'
import { MEMORIES_AT_ONCE, refresh, type Surroundings } from './queries.ts'
import type { Scene } from './scene.ts'
import type { Status } from './status.ts'
import type { RelationshipType } from './types.ts'
import type { View } from './view.ts'

/** How long changes are gathered before they are drawn together. */
const GATHER_MS = 250

/** A change as the stream of events sends it. */
export type ChangeEvent = {
  kind: string
  memory_id: string | null
  connection: { source_id: string; target_id: string; relationship_type: string } | null
}

/** Draws what has changed elsewhere: what is gone is taken off, what is concerned is read again. `drawing` hears how many. */
export function createRedrawing(
  { scene, view, status, explorer }: { scene: Scene; view: View; status: Status; explorer: Explorer },
  drawing: (changes: number) => void,
) {
  const { graph } = scene
  let gathered: ChangeEvent[] = []
  let gathering: ReturnType<typeof setTimeout> | undefined
  /** What is to be read again; `isNew` is what was not drawn when it changed. Another change makes another entry. */
  const pending = new Map<string, { isNew: boolean }>()

  function gather(change: ChangeEvent) {
    gathered.push(change)
    gathering ??= setTimeout(draw, GATHER_MS)
  }

  /** Forgets what has not been drawn yet. */
  function forget() {
    clearTimeout(gathering)
    gathering = undefined
    gathered = []
    pending.clear()
  }

  function draw() {
    const changes = gathered
    gathered = []
    gathering = undefined
    for (const change of changes) takeOff(change)
    scene.set('graph')
    view.arrange({ all: false })
    for (const id of changes.flatMap(concerned)) {
      // A memory that keeps changing moves to the end, so that all others are read.
      pending.delete(id)
      pending.set(id, { isNew: !graph.nodes.has(id) })
    }
    drawing(changes.length)
    if (pending.size > 0 && !status.isRunning('live')) void readPending()
  }

  function takeOff({ kind, memory_id: id, connection }: ChangeEvent) {
    if (kind === 'disconnected' && connection) graph.disconnect(connectionOf(connection))
    if (id === null || (kind !== 'archived' && kind !== 'removed')) return
    pending.delete(id)
    graph.remove([id])
    if (scene.state.selected === id) scene.set('selection', { selected: undefined })
  }

  /** What has to be read again: what is drawn, what came to be connected with it, and what is new where nothing is sought. */
  function concerned({ kind, memory_id: id, connection }: ChangeEvent): string[] {
    const isHere = (each: string) => graph.nodes.has(each) || pending.get(each)?.isNew === true
    if (connection) {
      const ends = [connection.source_id, connection.target_id]
      return kind === 'connected' && ends.some(isHere) ? ends : []
    }
    if (id === null || kind === 'archived' || kind === 'removed') return []
    return isHere(id) || (kind === 'created' && scene.state.hits.size === 0) ? [id] : []
  }

  /** Goes on until nothing is left. What fails, or changes once more while it is read, is left for the next time. */
  const readPending = () =>
    status.attempt('live', async signal => {
      while (pending.size > 0) {
        const page = [...pending].slice(0, MEMORIES_AT_ONCE)
        const ids = page.map(([id]) => id)
        take(await refresh(ids, signal), ids)
        for (const [id, entry] of page) if (pending.get(id) === entry) pending.delete(id)
      }
    })

  /** Draws what was read, without what was taken off or hidden meanwhile. */
  function take({ memories, connections }: Surroundings, ids: readonly string[]) {
    const wasEmpty = graph.nodes.size === 0
    const wanted = memories.filter(({ id }) => graph.nodes.has(id) || pending.get(id)?.isNew)
    graph.add(wanted, connections)
    scene.set('graph')
    if (wasEmpty && graph.nodes.size > 0) status.quiet()
    view.arrange({ all: wasEmpty })
    const { selected, path } = scene.state
    if (selected && !path && ids.includes(selected)) void explorer.look(selected)
  }

  return { gather, forget }
}

const connectionOf = ({
  source_id,
  target_id,
  relationship_type,
}: NonNullable<ChangeEvent['connection']>) => ({
  sourceId: source_id,
  targetId: target_id,
  relationshipType: relationship_type.toUpperCase() as RelationshipType,
})
