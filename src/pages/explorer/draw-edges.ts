import type { Emphases, Emphasis } from './emphasis.ts'
import type { Edge } from './graph.ts'
import { radiusOf } from './layout.ts'
import type { Palette } from './palette.ts'

/** Connections that are drawn with one stroke, because they look the same. */
export type Stroke = { colour: string; dashed: boolean; width: number; alpha: number; edges: Edge[] }

const alphas = { back: 0.1, normal: 0.5, front: 1 } as const satisfies Record<Emphasis, number>
const order = ['back', 'normal', 'front'] as const

/** Puts connections that look the same together, those that stand out last. Rebuilt when a look changes. */
export function strokesOf(edges: readonly Edge[], emphases: Emphases, palette: Palette): Stroke[] {
  const strokes = new Map<string, Stroke & { rank: number }>()
  for (const edge of edges) {
    const { relationshipType, origin } = edge.connection
    const emphasis = emphases.ofEdge(edge)
    const step = Math.min(3, Math.floor(edge.weight * 4))
    const key = `${relationshipType} ${origin} ${emphasis} ${step}`
    const known = strokes.get(key)
    if (known) known.edges.push(edge)
    else
      strokes.set(key, {
        colour: palette.types[relationshipType],
        dashed: origin === 'DISCOVERED',
        width: 0.8 + step * 0.55 + (emphasis === 'front' ? 0.5 : 0),
        alpha: alphas[emphasis],
        edges: [edge],
        rank: order.indexOf(emphasis),
      })
  }
  return [...strokes.values()].sort((a, b) => a.rank - b.rank)
}

/**
 * Draws in the plane's own units; `k` is how many pixels one has. Each line is traced by itself: dashes and arrows that
 * make one large shape take several times as long.
 */
export function drawStroke(context: CanvasRenderingContext2D, stroke: Stroke, k: number, arrows: boolean) {
  const scale = 1 / Math.sqrt(k)
  context.globalAlpha = stroke.alpha
  context.strokeStyle = context.fillStyle = stroke.colour
  context.lineWidth = stroke.width * scale
  context.setLineDash(stroke.dashed ? [5 * scale, 4 * scale] : [])
  for (const { source, target, bendFactor } of stroke.edges) {
    context.beginPath()
    context.moveTo(source.x, source.y)
    if (bendFactor === 0) context.lineTo(target.x, target.y)
    else {
      const bend = bendOf(source, target, bendFactor)
      context.quadraticCurveTo(bend.x, bend.y, target.x, target.y)
    }
    context.stroke()
  }
  if (!arrows) return
  for (const edge of stroke.edges) {
    context.beginPath()
    traceArrow(context, edge, (5 + stroke.width) * scale)
    context.fill()
  }
}

/** Draws the same as thin lines, for a picture that is gone in a moment; what is dashed is fainter. */
export function sketchStroke(context: CanvasRenderingContext2D, stroke: Stroke, k: number) {
  context.globalAlpha = stroke.alpha * (stroke.dashed ? 0.6 : 1)
  context.strokeStyle = stroke.colour
  context.lineWidth = 1 / k
  context.setLineDash([])
  for (const { source, target } of stroke.edges) {
    context.beginPath()
    context.moveTo(source.x, source.y)
    context.lineTo(target.x, target.y)
    context.stroke()
  }
}

/** The point that a bent connection is drawn towards. */
const bendOf = (source: Edge['source'], target: Edge['target'], bendFactor: number) => ({
  x: (source.x + target.x) / 2 - (target.y - source.y) * bendFactor * 0.24,
  y: (source.y + target.y) / 2 + (target.x - source.x) * bendFactor * 0.24,
})

/** The middle of a connection, where its name is written. */
export function middleOf({ source, target, bendFactor }: Edge) {
  const bend = bendOf(source, target, bendFactor)
  return { x: (source.x + 2 * bend.x + target.x) / 4, y: (source.y + 2 * bend.y + target.y) / 4 }
}

function traceArrow(context: CanvasRenderingContext2D, { source, target, bendFactor }: Edge, size: number) {
  const from = bendFactor === 0 ? source : bendOf(source, target, bendFactor)
  const [dx, dy] = [target.x - from.x, target.y - from.y]
  const length = Math.hypot(dx, dy) || 1
  const [ux, uy] = [dx / length, dy / length]
  const reach = radiusOf(target) + 1.5
  const [x, y] = [target.x - ux * reach, target.y - uy * reach]
  context.moveTo(x, y)
  context.lineTo(x - ux * size * 1.5 - uy * size * 0.5, y - uy * size * 1.5 + ux * size * 0.5)
  context.lineTo(x - ux * size * 1.5 + uy * size * 0.5, y - uy * size * 1.5 - ux * size * 0.5)
  context.closePath()
}
