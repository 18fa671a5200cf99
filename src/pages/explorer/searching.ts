import type { ExplorerParts } from './listeners.ts'
import { beginning, type Surroundings, searchGraph, surroundings } from './queries.ts'
import { isWider, type SearchType } from './types.ts'
import { count, memories } from './words.ts'

/** Whether the choice is kept that is there when a new drawing is asked for; one that is made meanwhile always is. */
type Choice = { keeps?: boolean }

/** Draws something new: where one begins, or what a search finds, each with its surroundings. */
export function createSearching({ scene, view, status, listeners, most }: ExplorerParts) {
  const { graph } = scene
  let last: (choice: Choice) => Promise<unknown> = begin

  /** Begins with another key or tenant, without anything of the one before. */
  function enter() {
    status.endAll()
    scene.clear()
    listeners.results({ kind: 'none' })
    return begin()
  }

  /** The newest memories with their surroundings: what there is to see before anything is asked. */
  function begin({ keeps = false }: Choice = {}) {
    const left = keeps ? undefined : scene.state.selected
    last = begin
    return status.attempt('draw', async signal => {
      const { ids, total, newest } = await beginning(40, signal)
      scene.set('hits', { hits: new Map() })
      if (ids.length === 0) return empty(left)
      draw(await around(ids, 5, signal), left)
      listeners.results({ kind: 'newest', total, newest })
      status.announce(`${memories(graph.nodes.size)} drawn, around the newest of ${total}.`)
    })
  }

  function find(query: string, type: SearchType, { keeps = false }: Choice = {}) {
    const left = keeps ? undefined : scene.state.selected
    last = choice => find(query, type, choice)
    return status.attempt('draw', async signal => {
      listeners.results({ kind: 'waiting' })
      const found = await searchGraph(query, type, signal).catch((error: unknown) => {
        if (!signal.aborted) listeners.results({ kind: 'failed' })
        throw error
      })
      scene.set('hits', { hits: new Map(found.results.map(hit => [hit.memory.id, hit])) })
      listeners.results({ kind: 'found', query, type, ...found })
      const ids = found.results.map(({ memory }) => memory.id)
      if (ids.length > 0) draw(await around(ids, 1, signal), left)
      status.announce(`${count(ids.length, 'result')} for ${query}. ${memories(graph.nodes.size)} drawn.`)
    })
  }

  /** Reads again what was last asked for, as it is now. */
  const readAnew = () => last({ keeps: true })

  /** Asks once more when the filter has come to let more pass meanwhile. */
  async function around(ids: readonly string[], depth: number, signal: AbortSignal): Promise<Surroundings> {
    const { filter } = scene.state
    const found = await surroundings(ids, { depth, limit: most(), filter }, signal)
    return isWider(scene.state.filter, filter) ? around(ids, depth, signal) : found
  }

  /** `left` is the choice that goes with the drawing before; another one stays, and stays drawn. */
  function draw({ memories: all, connections }: Surroundings, left: string | undefined) {
    const { selected } = scene.state
    const chosen = selected === undefined || selected === left ? undefined : graph.nodes.get(selected)
    status.quiet()
    graph.clear()
    graph.add(chosen ? [chosen.memory, ...all] : all, connections)
    scene.set('path', { path: undefined })
    if (selected === left) scene.set('selection', { selected: undefined })
    scene.set('graph')
    view.arrange({ all: true })
  }

  function empty(left: string | undefined) {
    draw({ memories: [], connections: [] }, left)
    listeners.results({ kind: 'newest', total: 0, newest: [] })
    status.show({
      title: 'No memories yet',
      text: 'This tenant has none. `npm run demo` fills the tenant “demo”, `npm run ingest` loads your own texts; or choose another tenant above.',
      steps: [{ label: 'Look again', take: () => void begin() }],
    })
  }

  return { enter, begin, find, readAnew }
}
