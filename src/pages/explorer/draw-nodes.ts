import type { Emphases } from './emphasis.ts'
import type { Node } from './graph.ts'
import { radiusOf } from './layout.ts'
import type { Palette } from './palette.ts'
import type { Scene } from './scene.ts'

type Marks = Pick<Scene['state'], 'selected' | 'hovered' | 'hits' | 'ends'>

/** Draws the memories: coloured by their tag, hits of a search with a ring, the chosen one with a wide one. */
export function drawNodes(
  context: CanvasRenderingContext2D,
  nodes: Iterable<Node>,
  { emphases, palette, colourOf, marks, k, sketch }: Look,
) {
  context.setLineDash([])
  for (const node of nodes) {
    const radius = radiusOf(node)
    context.globalAlpha = emphases.ofNode(node.id) === 'back' ? 0.22 : 1
    disc(context, node, radius)
    context.fillStyle = colourOf(node)
    context.fill()
    if (!sketch) {
      context.lineWidth = 1.4
      context.strokeStyle = palette.ground
      context.stroke()
    }
    if (marks.hits.has(node.id)) ring(context, node, radius + 3, 2, palette.accent)
  }
  context.globalAlpha = 1
  for (const [id, width] of ringsOf(marks)) {
    const node = id === undefined ? undefined : [...nodes].find(each => each.id === id)
    if (node) ring(context, node, radiusOf(node) + 4 / k + 2, width / Math.sqrt(k), palette.text)
  }
}

export type Look = {
  emphases: Emphases
  palette: Palette
  colourOf: (node: Node) => string
  marks: Marks
  k: number
  /** Leaves out the rims, for a picture that is gone in a moment. */
  sketch: boolean
}

const ringsOf = ({ selected, hovered, ends }: Marks) =>
  [
    [hovered, 1.5],
    [ends.from, 2.5],
    [ends.to, 2.5],
    [selected, 3],
  ] as const

function ring(context: CanvasRenderingContext2D, node: Node, radius: number, width: number, colour: string) {
  disc(context, node, radius)
  context.lineWidth = width
  context.strokeStyle = colour
  context.stroke()
}

function disc(context: CanvasRenderingContext2D, { x, y }: Node, radius: number) {
  context.beginPath()
  context.arc(x, y, radius, 0, 2 * Math.PI)
}
