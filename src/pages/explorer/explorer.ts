import { keyOf } from './graph.ts'
import {
  beginning,
  findPaths,
  lookAt,
  type Neighbour,
  refresh,
  type Surroundings,
  search,
  surroundings,
} from './queries.ts'
import type { Scene } from './scene.ts'
import type { Status } from './status.ts'
import { type Memory, type Path, passes, type SearchType } from './types.ts'
import type { View } from './view.ts'
import { count, memories, nameOf, titleOf } from './words.ts'

/** How many memories one expansion adds, strongest first. */
const AT_ONCE = 12

type Parts = { scene: Scene; view: View; status: Status; most: () => number }

/** What a reader can do: each asks the service, changes the scene and says what has come of it. */
export function createExplorer({ scene, view, status, most }: Parts) {
  const { graph } = scene
  let looked: Neighbour[] = []
  const heard = { results: (_: Outcome) => {}, details: (_: Look | undefined) => {}, paths: (_: Paths) => {} }

  /** The newest memories with their surroundings: what there is to see before anything is asked. */
  const begin = () =>
    status.attempt('draw', async signal => {
      const { ids, total, newest } = await beginning(40, signal)
      scene.set('hits', { hits: new Map() })
      if (ids.length === 0) return empty()
      draw(await around(ids, 2, signal))
      heard.results({ kind: 'newest', total, newest })
      status.announce(`${memories(graph.nodes.size)} drawn, around the newest of ${total}.`)
    })

  const find = (query: string, type: SearchType) =>
    status.attempt('draw', async signal => {
      heard.results({ kind: 'waiting' })
      const found = await search(query, type, signal).catch((error: unknown) => {
        heard.results({ kind: 'failed' })
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

  /** Chooses a memory and shows all that is known of it; `expand` also draws its strongest neighbours. */
  const open = (id: string, expand: boolean) => {
    scene.set('selection', { selected: id, path: undefined })
    const node = graph.nodes.get(id)
    if (node) view.camera.reveal(node)
    return status.attempt('look', async signal => {
      const look = await lookAt(id, scene.state.filter, signal)
      if (!look) return gone(id)
      looked = look.neighbours
      join(look)
      heard.details(look)
      const added = expand ? drawNeighbours(AT_ONCE) : 0
      const { degree = 0 } = graph.nodes.get(id) ?? {}
      status.announce(
        `${titleOf(look.memory)}. ${count(degree, 'connection')} drawn of ${look.neighbours.length}${expand ? `, ${added} new memories` : ''}.`,
      )
    })
  }

  function gone(id: string) {
    graph.remove([id])
    heard.details(undefined)
    scene.set('graph')
    scene.set('selection', { selected: undefined })
    status.announce('This memory is not there any more.')
  }

  function join({ memory, neighbours }: Look) {
    const fresh = graph.add(
      [memory],
      neighbours.map(({ connection }) => connection),
    )
    scene.set('graph')
    if (fresh.length > 0) {
      view.arrange({ all: false })
      const node = graph.nodes.get(memory.id)
      if (node) view.camera.reveal(node)
    }
  }

  /** Draws neighbours of the chosen memory that are not drawn yet, strongest first. Answers how many. */
  function drawNeighbours(limit: number): number {
    const waiting = looked.filter(
      ({ memory, connection }) =>
        memory && !graph.nodes.has(memory.id) && passes(scene.state.filter, connection),
    )
    const added = new Map(waiting.flatMap(({ memory }) => (memory ? [[memory.id, memory] as const] : [])))
    const chosen = [...added.values()].slice(0, limit)
    if (chosen.length === 0) return 0
    const fresh = graph.add(
      chosen,
      looked.map(({ connection }) => connection),
    )
    scene.set('graph')
    view.arrange({ all: false })
    void tieIn(fresh)
    return fresh.length
  }

  /** Draws what connects new memories with each other and with the rest. */
  const tieIn = (ids: readonly string[]) =>
    status.attempt('tie', async signal => {
      if (ids.length === 0) return
      const { connections } = await refresh(ids, signal)
      graph.add([], connections)
      scene.set('graph')
      view.arrange({ all: false })
    })

  /** Takes a memory as one end of a path: the first, or else the last, and then looks for it. */
  function end(id: string, which: 'from' | 'to' | undefined = undefined) {
    const { from, to } = scene.state.ends
    const as = which ?? (from === undefined || to !== undefined ? 'from' : 'to')
    const ends = which
      ? { from, to, [as]: id }
      : as === 'from'
        ? { from: id, to: undefined }
        : { from, to: id }
    scene.set('path', { ends, path: undefined })
    heard.paths({ kind: 'ends' })
    if (ends.from && ends.to) return walk(ends.from, ends.to)
    status.announce(
      as === 'from'
        ? 'The path begins here. Choose where it ends.'
        : 'The path ends here. Choose where it begins.',
    )
    return undefined
  }

  const walk = (from: string, to: string) =>
    status.attempt('path', async signal => {
      if (from === to) return heard.paths({ kind: 'found', paths: [], truncated: false })
      heard.paths({ kind: 'waiting' })
      const { paths, truncated } = await findPaths(from, to, scene.state.filter, signal).catch(
        (error: unknown) => {
          heard.paths({ kind: 'ends' })
          throw error
        },
      )
      heard.paths({ kind: 'found', paths, truncated })
      const [best] = paths
      if (best) showPath(best)
      else status.announce('No path of at most five connections leads from one to the other.')
    })

  function showPath(path: Path) {
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
    heard.paths({ kind: 'ends' })
  }

  function hide(id: string) {
    graph.remove([id])
    scene.set('graph')
    scene.set('selection', { selected: undefined })
    heard.details(undefined)
    view.arrange({ all: false })
  }

  /** Whether a connection's both ends are drawn, so that it is too. */
  const isDrawn = (key: string) => graph.edges().some(edge => keyOf(edge.connection) === key)

  return { begin, find, open, drawNeighbours, end, walk, showPath, forgetPath, hide, isDrawn, heard }
}

export type Explorer = ReturnType<typeof createExplorer>
export type Look = NonNullable<Awaited<ReturnType<typeof lookAt>>>
export type Outcome =
  | { kind: 'newest'; total: number; newest: Memory[] }
  | { kind: 'waiting' }
  | { kind: 'failed' }
  | ({ kind: 'found'; query: string; type: SearchType } & Awaited<ReturnType<typeof search>>)
export type Paths =
  | { kind: 'ends' }
  | { kind: 'waiting' }
  | { kind: 'found'; paths: Path[]; truncated: boolean }
