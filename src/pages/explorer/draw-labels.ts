import type { Camera } from './camera.ts'
import { middleOf } from './draw-edges.ts'
import type { Emphases } from './emphasis.ts'
import type { Edge, Node } from './graph.ts'
import { radiusOf } from './layout.ts'
import type { Palette } from './palette.ts'
import type { Scene } from './scene.ts'
import { formatFraction, nameOf, titleOf } from './words.ts'

/** As many names as can be read at a time; what matters more comes first, and none covers another. */
const MOST_NAMES = 70
const MOST_NAMES_OF_SKETCH = 15
const MOST_TYPES = 60
const HEIGHT = 15

type Drawing = {
  camera: Camera
  emphases: Emphases
  palette: Palette
  state: Scene['state']
  sketch: boolean
}
type Box = { left: number; right: number; top: number }

/** Writes the names of memories and the types of connections, in pixels of the screen. */
export function drawLabels(
  context: CanvasRenderingContext2D,
  nodes: readonly Node[],
  edges: readonly Edge[],
  drawing: Drawing,
) {
  const taken: Box[] = []
  context.globalAlpha = 1
  context.textBaseline = 'middle'
  context.lineJoin = 'round'
  context.strokeStyle = drawing.palette.ground
  context.lineWidth = 3.5
  nameNodes(context, nodes, taken, drawing)
  if (!drawing.sketch) nameEdges(context, edges, taken, drawing)
}

function nameNodes(
  context: CanvasRenderingContext2D,
  nodes: readonly Node[],
  taken: Box[],
  { camera, emphases, palette, state, sketch }: Drawing,
) {
  const matters = ({ id, degree }: Node) =>
    (id === state.selected || id === state.hovered ? 4000 : 0) +
    (emphases.front.has(id) ? 2000 : 0) +
    (state.hits.has(id) ? 1000 : 0) +
    degree
  let left = sketch ? MOST_NAMES_OF_SKETCH : MOST_NAMES
  for (const node of nodes.toSorted((a, b) => matters(b) - matters(a))) {
    if (left === 0) break
    if (emphases.ofNode(node.id) === 'back') continue
    const at = camera.toScreen(node)
    if (!inside(at, camera)) continue
    const strong = node.id === state.selected || node.id === state.hovered
    const hit = state.hits.get(node.id)
    const text = titleOf(node.memory, strong ? 48 : 30) + (hit ? `  ${formatFraction(hit.score)}` : '')
    context.font = `${strong ? 650 : hit ? 600 : 450} 12px system-ui, sans-serif`
    context.textAlign = 'left'
    const x = at.x + (radiusOf(node) + (hit || strong ? 5 : 0)) * camera.at.k + (strong ? 9 : 6)
    if (!take(taken, { left: x, right: x + context.measureText(text).width, top: at.y - HEIGHT / 2 }, strong))
      continue
    left--
    write(context, text, x, at.y, palette.text)
  }
}

/** Of what stands out all types, else those of the connections that callers asserted, as soon as there is room. */
function nameEdges(
  context: CanvasRenderingContext2D,
  edges: readonly Edge[],
  taken: Box[],
  { camera, emphases, palette }: Drawing,
) {
  context.font = '500 10.5px system-ui, sans-serif'
  context.textAlign = 'center'
  let left = MOST_TYPES
  for (const edge of edges) {
    if (left === 0) break
    const emphasis = emphases.ofEdge(edge)
    const isNamed =
      emphasis === 'front' ||
      (emphasis === 'normal' && (edge.connection.origin === 'ASSERTED' || edges.length < 40))
    if (!isNamed) continue
    const at = camera.toScreen(middleOf(edge))
    const length = Math.hypot(edge.target.x - edge.source.x, edge.target.y - edge.source.y) * camera.at.k
    const text = nameOf(edge.connection.relationshipType)
    const width = context.measureText(text).width
    if (length < width + 18 || !inside(at, camera)) continue
    if (!take(taken, { left: at.x - width / 2, right: at.x + width / 2, top: at.y - HEIGHT / 2 }, false))
      continue
    left--
    write(context, text, at.x, at.y, palette.types[edge.connection.relationshipType])
  }
}

function write(context: CanvasRenderingContext2D, text: string, x: number, y: number, colour: string) {
  context.strokeText(text, x, y)
  context.fillStyle = colour
  context.fillText(text, x, y)
}

const inside = ({ x, y }: { x: number; y: number }, { size }: Camera) =>
  x > -20 && y > 0 && x < size.width + 20 && y < size.height

/** Reserves a box unless another name occupies it. */
function take(taken: Box[], { left, right, top }: Box, always: boolean): boolean {
  const free = taken.every(
    other => right + 6 < other.left || left - 6 > other.right || Math.abs(top - other.top) > HEIGHT,
  )
  if (!free && !always) return false
  taken.push({ left, right, top })
  return true
}
