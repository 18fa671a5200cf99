import { Refusal } from '../shared/ask.ts'
import { byId, fill } from '../shared/element.ts'
import { eventsOf } from '../shared/events.ts'
import type { Explorer } from './explorer.ts'
import { refresh } from './queries.ts'
import type { Scene } from './scene.ts'
import type { Status } from './status.ts'
import type { RelationshipType } from './types.ts'
import type { View } from './view.ts'
import { count } from './words.ts'

/** How long changes are gathered before they are drawn together. */
const GATHER_MS = 250
/** How long it waits before it asks again for a stream that ended. */
const AGAIN_MS = 2_000

/** A change as the stream of events tells it. */
type Told = {
  kind: string
  memory_id: string | null
  connection: { source_id: string; target_id: string; relationship_type: string } | null
}

/** Keeps the drawing up to date by the feed of changes. */
export function createLive(parts: { scene: Scene; view: View; status: Status; explorer: Explorer }) {
  const { scene, view, status, explorer } = parts
  const { graph } = scene
  const sign = byId('live')
  let following = new AbortController()
  let after: string | undefined
  let gathered: Told[] = []
  let drawn = 0

  /** Follows the tenant whose key is given now, from now on. */
  function start() {
    following.abort()
    following = new AbortController()
    after = undefined
    drawn = 0
    void follow(following.signal)
  }

  async function follow(signal: AbortSignal) {
    while (!signal.aborted) {
      try {
        const place = after === undefined ? '' : `?after=${encodeURIComponent(after)}`
        for await (const { name, data, id } of eventsOf(`/api/v1/events${place}`, { signal })) {
          show('on', drawn === 0 ? 'Live' : `Live · ${count(drawn, 'change')}`)
          after = id ?? after
          if (name === 'error') break
          if (data !== '') gather(JSON.parse(data) as Told)
        }
      } catch (error) {
        if (error instanceof Refusal && [401, 403].includes(error.status)) return show('off', '')
        if (error instanceof Refusal && error.status >= 400 && error.status < 500) after = undefined
      }
      if (!signal.aborted) show('off', 'Connecting …')
      await new Promise(resolve => setTimeout(resolve, AGAIN_MS))
    }
  }

  function gather(change: Told) {
    if (gathered.length === 0) setTimeout(() => void draw(), GATHER_MS)
    gathered.push(change)
  }

  async function draw() {
    const changes = gathered
    const wasEmpty = graph.nodes.size === 0
    gathered = []
    for (const { kind, memory_id: id, connection } of changes) {
      if (kind === 'archived' || kind === 'removed') graph.remove([id as string])
      if (kind === 'disconnected' && connection) graph.disconnect(connectionOf(connection))
    }
    const ids = [...new Set(changes.flatMap(concerned))]
    await status.attempt('live', async signal => {
      for (let at = 0; at < ids.length; at += 50) {
        const { memories, connections } = await refresh(ids.slice(at, at + 50), signal)
        graph.add(memories, connections)
      }
    })
    drawn += changes.length
    show('on', `Live · ${count(drawn, 'change')}`)
    scene.set('graph')
    if (wasEmpty && graph.nodes.size > 0) status.quiet()
    view.arrange({ all: wasEmpty })
    const { selected, path } = scene.state
    if (selected && !graph.nodes.has(selected)) scene.set('selection', { selected: undefined })
    else if (selected && !path && ids.includes(selected)) void explorer.look(selected)
  }

  /** What has to be read anew: what is drawn, what came to be connected with it, and what is new where nothing is sought. */
  function concerned({ kind, memory_id: id, connection }: Told): string[] {
    if (connection) {
      const ends = [connection.source_id, connection.target_id]
      return kind === 'connected' && ends.some(end => graph.nodes.has(end)) ? ends : []
    }
    if (id === null || kind === 'archived' || kind === 'removed') return []
    return graph.nodes.has(id) || (kind === 'created' && scene.state.hits.size === 0) ? [id] : []
  }

  function show(state: 'on' | 'off', text: string) {
    sign.classList.toggle('on', state === 'on')
    fill(sign, text)
  }

  return { start }
}

const connectionOf = ({ source_id, target_id, relationship_type }: NonNullable<Told['connection']>) => ({
  sourceId: source_id,
  targetId: target_id,
  relationshipType: relationship_type.toUpperCase() as RelationshipType,
})
