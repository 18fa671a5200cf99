import type { Node } from './graph.ts'
import type { Scene } from './scene.ts'
import type { View } from './view.ts'

export type Actions = {
  open: (id: string, expand: boolean) => void
  hide: (id: string) => void
  end: (id: string) => void
  forgetPath: () => void
  search: () => void
  list: () => void
  help: () => void
}

/** What each key does while the drawing has the focus; the help shows the same. */
export const shortcuts = [
  ['← ↑ → ↓', 'Go to the next memory in that direction'],
  ['Enter', 'Expand the chosen memory'],
  ['P', 'Begin a path at the chosen memory, and the second time end it'],
  ['H', 'Take the chosen memory off the drawing'],
  ['+ −', 'Zoom'],
  ['F', 'Show everything'],
  ['L', 'Show it as a list'],
  ['/', 'Search'],
  ['Esc', 'Dismiss a notice, forget the path, then the choice'],
  ['?', 'Show this help'],
] as const

/** Makes the drawing usable without a pointer. Keys with a modifier stay the browser's. */
export function listenToKeys(canvas: HTMLCanvasElement, scene: Scene, view: View, actions: Actions) {
  canvas.addEventListener('keydown', event => {
    if (event.ctrlKey || event.metaKey || event.altKey) return
    const { selected } = scene.state
    const direction = directions[event.key]
    const done = direction ? go(direction) : act(event.key, selected)
    if (done !== false) event.preventDefault()
  })

  function go(direction: readonly [number, number]) {
    const next = towards(scene, direction)
    if (next) actions.open(next.id, false)
  }

  function act(key: string, selected: string | undefined): false | undefined {
    const plain: Record<string, () => void> = {
      '+': () => view.camera.zoom(1.25),
      '=': () => view.camera.zoom(1.25),
      '-': () => view.camera.zoom(0.8),
      f: () => view.camera.fit(scene.graph.nodes.values()),
      l: actions.list,
      '/': actions.search,
      '?': actions.help,
      Escape: () =>
        scene.state.path ? actions.forgetPath() : scene.set('selection', { selected: undefined }),
    }
    const onChosen: Record<string, (id: string) => void> = {
      Enter: id => actions.open(id, true),
      p: actions.end,
      h: actions.hide,
    }
    const name = key.length === 1 ? key.toLowerCase() : key
    if (plain[name]) plain[name]()
    else if (selected && onChosen[name]) onChosen[name](selected)
    else return false
    return undefined
  }
}

const directions: Record<string, readonly [number, number]> = {
  ArrowLeft: [-1, 0],
  ArrowRight: [1, 0],
  ArrowUp: [0, -1],
  ArrowDown: [0, 1],
}

/** The nearest memory that way, what lies straight ahead before what lies aside; without a choice the best connected. */
function towards({ graph, state }: Scene, [dx, dy]: readonly [number, number]): Node | undefined {
  const all = [...graph.nodes.values()]
  const from = state.selected === undefined ? undefined : graph.nodes.get(state.selected)
  if (!from) return all.sort((a, b) => b.degree - a.degree)[0]
  const cost = ({ x, y }: Node) => {
    const ahead = (x - from.x) * dx + (y - from.y) * dy
    const aside = Math.abs((x - from.x) * dy) + Math.abs((y - from.y) * dx)
    return ahead > aside * 0.5 ? ahead + aside * 2 : Number.POSITIVE_INFINITY
  }
  const reachable = all.filter(node => node !== from && Number.isFinite(cost(node)))
  return reachable.sort((a, b) => cost(a) - cost(b))[0]
}
