import type { Connection } from '../../../contract/connections.ts'
import type { Memory } from '../../../contract/memory.ts'

/** How a format writes a graph. Each page is written at once; edges of a page are of one type. */
export type GraphWriter = {
  readonly head: string
  nodes(page: readonly Memory[]): string
  /** Stands between the last memory and the first connection. */
  readonly between?: string
  edges(page: readonly Connection[]): string
  readonly tail: string
}
