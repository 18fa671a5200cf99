import type Sigma from 'sigma'
import { createEdgeArrowProgram, EdgeRectangleProgram, NodeCircleProgram } from 'sigma/rendering'
import type { RenderParams } from 'sigma/types'
import type { Edge, MemoryGraph, Node } from './reading.ts'

/** How long after its last move a picture rests. */
export const REST_MS = 120
/** With more connections than these, a picture that moves leaves them out. */
const MANY = 1_000
/** With more memories than these, a picture that moves has them alone. */
const LARGE = 400

export const isLarge = ({ order }: Pick<MemoryGraph, 'order'>) => order > LARGE

/** Draws less while the picture moves: no connections, and nothing that finds the memory under the pointer. */
export function calmPrograms(graph: MemoryGraph, isMoving: () => boolean) {
  class Memories extends NodeCircleProgram<Node, Edge> {
    override render(params: RenderParams) {
      const { pickProgram } = this
      if (isMoving() || isLarge(graph)) this.pickProgram = null
      super.render(params)
      this.pickProgram = pickProgram
    }
  }
  class Lines extends EdgeRectangleProgram<Node, Edge> {
    override render(params: RenderParams) {
      if (!isMoving()) super.render(params)
    }
  }
  class Arrows extends createEdgeArrowProgram<Node, Edge>() {
    override render(params: RenderParams) {
      if (!isMoving()) super.render(params)
    }
  }
  return {
    nodeProgramClasses: { circle: Memories },
    edgeProgramClasses: { line: Lines, arrow: Arrows },
  }
}

/** Says whether a picture of many connections moves, and draws it whole when it rests. Returns how to end that. */
export function watchMoves(sigma: Sigma<Node, Edge>, say: (isMoving: boolean) => void): () => void {
  let resting: ReturnType<typeof setTimeout> | undefined
  sigma.getCamera().on('updated', () => {
    if (sigma.getGraph().size <= MANY || isLarge(sigma.getGraph())) return
    clearTimeout(resting)
    say(true)
    resting = setTimeout(() => {
      say(false)
      sigma.scheduleRender()
    }, REST_MS)
  })
  return () => {
    clearTimeout(resting)
    say(false)
  }
}
