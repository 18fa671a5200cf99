import type { History, MemoryView, SearchFound } from './queries.ts'
import type { Scene } from './scene.ts'
import type { Status } from './status.ts'
import type { Memory, Path, SearchType } from './types.ts'
import type { View } from './view.ts'

/** The result of a search, or of the first load. */
export type SearchState =
  | { kind: 'newest'; total: number; newest: Memory[] }
  | { kind: 'none' }
  | { kind: 'waiting' }
  | { kind: 'failed' }
  | ({ kind: 'found'; query: string; type: SearchType } & SearchFound)

/** The result of a search for paths. */
export type Paths =
  | { kind: 'ends' }
  | { kind: 'waiting' }
  | { kind: 'found'; paths: Path[]; truncated: boolean }

/** Listeners for the responses of the service; each panel sets its own when it is created. */
export const createListeners = () => ({
  results: (_: SearchState) => {},
  details: (_: MemoryView) => {},
  history: (_: History) => {},
  paths: (_: Paths) => {},
})

/** What the actions of the explorer share. */
export type ExplorerParts = {
  scene: Scene
  view: View
  status: Status
  listeners: ReturnType<typeof createListeners>
  /** How many memories a drawing holds at most. */
  most: () => number
  /** Shows the drawing on screens that show one part of the page at a time. */
  toDrawing: () => void
}
