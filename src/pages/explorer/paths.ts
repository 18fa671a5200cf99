import { byId, type Child, element, replaceContent } from '../shared/element.ts'
import type { Explorer } from './explorer.ts'
import type { Paths } from './listeners.ts'
import type { Scene } from './scene.ts'
import type { Memory, Path } from './types.ts'
import { count, formatFraction, nameOf, titleOf } from './words.ts'

/** The two ends of a path, and the ways that were found between them. */
export function createPaths(scene: Scene, explorer: Explorer) {
  const panel = byId('paths')
  const known = new Map<string, Memory>()
  explorer.listeners.paths = show
  scene.on(change => change === 'path' && isIdle() && show({ kind: 'ends' }))

  const isIdle = () => !scene.state.ends.from && !scene.state.ends.to

  function show(paths: Paths) {
    const { from, to } = scene.state.ends
    for (const id of [from, to]) {
      const memory = id && scene.graph.nodes.get(id)?.memory
      if (memory) known.set(memory.id, memory)
    }
    panel.hidden = isIdle()
    if (isIdle()) return known.clear()
    byId('finding').scrollTo({ top: 0 })
    replaceContent(
      panel,
      element('h2', {}, 'Path'),
      element('dl', { class: 'ends' }, ...endOf('From', from), ...endOf('To', to)),
      ...body(paths),
      element(
        'button',
        { type: 'button', class: 'quiet', click: () => explorer.forgetPath() },
        'Forget the path',
      ),
    )
  }

  const endOf = (label: string, id: string | undefined): Child[] => {
    const memory = id === undefined ? undefined : known.get(id)
    return [
      element('dt', {}, label),
      element('dd', {}, memory ? titleOf(memory, 70) : 'Choose a memory, then “Path” in its details, or P'),
    ]
  }

  function body(paths: Paths): Child[] {
    if (paths.kind === 'waiting') return [element('div', { class: 'skeleton' })]
    if (paths.kind === 'ends') return []
    if (paths.paths.length === 0)
      return [
        element(
          'p',
          { class: 'hint' },
          'No way of at most five connections leads from one to the other. Fewer filters may show one.',
        ),
      ]
    return [
      paths.truncated &&
        element('p', { class: 'hint' }, 'The bound on work was reached: there may be better ones.'),
      element('ol', { class: 'ways' }, ...paths.paths.map(way)),
    ]
  }

  const way = (path: Path) =>
    element(
      'li',
      {},
      element(
        'button',
        { type: 'button', class: 'way', click: () => explorer.showPath(path) },
        element('strong', {}, `${count(path.length, 'connection')}, score ${formatFraction(path.score)}`),
        ...path.memories.flatMap((memory, place) => step(memory, path, place)),
      ),
    )

  return {}
}

/** A memory on the way, and by what it goes on from there. The arrow says which way the connection itself points. */
function step(memory: Memory, path: Path, place: number): Child[] {
  const connection = path.connections[place]
  const arrow = connection?.sourceId === memory.id ? '↓' : '↑'
  return [
    element('span', { class: 'stop' }, titleOf(memory, 52)),
    connection &&
      element(
        'span',
        { class: `type-name type-${connection.relationshipType}` },
        `${arrow} ${nameOf(connection.relationshipType)}${connection.strength === null ? '' : ` ${formatFraction(connection.strength)}`}`,
      ),
  ]
}
