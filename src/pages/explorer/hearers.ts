import type { Found, History, Look } from './queries.ts'
import type { Scene } from './scene.ts'
import type { Status } from './status.ts'
import type { Memory, Path, SearchType } from './types.ts'
import type { View } from './view.ts'

/** What a search or the beginning has come to. */
export type Outcome =
  | { kind: 'newest'; total: number; newest: Memory[] }
  | { kind: 'none' }
  | { kind: 'waiting' }
  | { kind: 'failed' }
  | ({ kind: 'found'; query: string; type: SearchType } & Found)

/** What a walk between two memories has come to. */
export type Paths =
  | { kind: 'ends' }
  | { kind: 'waiting' }
  | { kind: 'found'; paths: Path[]; truncated: boolean }

/** The panels that show what the service answered; each sets its own when it is made. */
export const createHearers = () => ({
  results: (_: Outcome) => {},
  details: (_: Look) => {},
  history: (_: History) => {},
  paths: (_: Paths) => {},
})

/** What all that a reader can do works with. */
export type Parts = {
  scene: Scene
  view: View
  status: Status
  heard: ReturnType<typeof createHearers>
  /** How many memories a drawing holds at most. */
  most: () => number
  /** Brings the drawing forth where one part of the page shows at a time. */
  toDrawing: () => void
}
