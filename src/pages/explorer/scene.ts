import { createGraph } from './graph.ts'
import { everything, type Hit, type Path } from './types.ts'

export type SceneChange = 'graph' | 'selection' | 'hover' | 'filter' | 'hits' | 'path'

/** What is on the page, and who hears of its changes. */
export function createScene() {
  const graph = createGraph()
  const listeners: ((change: SceneChange) => void)[] = []
  const state = { filter: everything, ...nothing() }
  graph.narrow(state.filter)

  function set(change: SceneChange, next: Partial<typeof state> = {}) {
    Object.assign(state, next)
    if (change === 'filter') graph.narrow(state.filter)
    for (const listener of listeners) listener(change)
  }

  /** Leaves nothing but the filter. */
  function clear() {
    graph.clear()
    Object.assign(state, nothing())
    for (const change of ['graph', 'selection', 'hover', 'hits', 'path'] as const) set(change)
  }

  return {
    graph,
    state: state as Readonly<typeof state>,
    set,
    clear,
    on: (listener: (typeof listeners)[number]) => void listeners.push(listener),
  }
}

export type Scene = ReturnType<typeof createScene>

const nothing = () => ({
  selected: undefined as string | undefined,
  hovered: undefined as string | undefined,
  hits: new Map<string, Hit>(),
  ends: { from: undefined as string | undefined, to: undefined as string | undefined },
  path: undefined as Path | undefined,
})
