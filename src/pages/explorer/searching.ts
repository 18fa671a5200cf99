import type { Parts } from './hearers.ts'
import { beginning, type Surroundings, search, surroundings } from './queries.ts'
import type { SearchType } from './types.ts'
import { count, memories } from './words.ts'

/** Draws something new: where one begins, or what a search finds, each with its surroundings. */
export function createSearching({ scene, view, status, heard, most }: Parts) {
  const { graph } = scene

  /** The newest memories with their surroundings: what there is to see before anything is asked. */
  const begin = () =>
    status.attempt('draw', async signal => {
      const { ids, total, newest } = await beginning(40, signal)
      scene.set('hits', { hits: new Map() })
      if (ids.length === 0) return empty()
      draw(await around(ids, 5, signal))
      heard.results({ kind: 'newest', total, newest })
      status.announce(`${memories(graph.nodes.size)} drawn, around the newest of ${total}.`)
    })

  const find = (query: string, type: SearchType) =>
    status.attempt('draw', async signal => {
      heard.results({ kind: 'waiting' })
      const found = await search(query, type, signal).catch((error: unknown) => {
        if (!signal.aborted) heard.results({ kind: 'failed' })
        throw error
      })
      scene.set('hits', { hits: new Map(found.results.map(hit => [hit.memory.id, hit])) })
      heard.results({ kind: 'found', query, type, ...found })
      const ids = found.results.map(({ memory }) => memory.id)
      if (ids.length > 0) draw(await around(ids, 1, signal))
      status.announce(`${count(ids.length, 'result')} for ${query}. ${memories(graph.nodes.size)} drawn.`)
    })

  const around = (ids: readonly string[], depth: number, signal: AbortSignal) =>
    surroundings(ids, { depth, limit: most(), filter: scene.state.filter }, signal)

  function draw({ memories: all, connections }: Surroundings) {
    status.quiet()
    graph.clear()
    graph.add(all, connections)
    scene.set('path', { path: undefined, selected: undefined })
    heard.details(undefined)
    scene.set('graph')
    view.arrange({ all: true })
  }

  function empty() {
    graph.clear()
    scene.set('graph')
    heard.results({ kind: 'newest', total: 0, newest: [] })
    status.tell({
      title: 'No memories yet',
      text: 'This tenant has none. `npm run demo` fills the tenant “demo”, `npm run ingest` loads your own texts; or choose another tenant above.',
      steps: [{ label: 'Look again', take: () => void begin() }],
    })
  }

  return { begin, find }
}
