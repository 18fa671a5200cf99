import { pause } from '../shared/pause.ts'
import type { ExplorerParts } from './listeners.ts'
import { MEMORIES_AT_ONCE, refresh } from './queries.ts'
import { isWider } from './types.ts'

/** How long a filter stays as it is before anything is read: one that is drawn along changes with every step. */
const STILL_MS = 250

/** Draws what was left out so far, when a filter comes to let more pass. */
export function createWidening({ scene, view, status }: ExplorerParts) {
  const { graph } = scene
  let before = scene.state.filter
  scene.on(change => {
    if (change !== 'filter') return
    const { filter } = scene.state
    if (isWider(filter, before)) void widen()
    before = filter
  })

  const widen = () =>
    status.attempt('widen', async signal => {
      await pause(STILL_MS)
      signal.throwIfAborted()
      const ids = [...graph.nodes.keys()]
      for (let at = 0; at < ids.length; at += MEMORIES_AT_ONCE) {
        const { connections } = await refresh(
          ids.slice(at, at + MEMORIES_AT_ONCE),
          signal,
          scene.state.filter,
        )
        graph.add([], connections)
      }
      scene.set('graph')
      view.arrange({ all: false })
    })
}
