import { type Camera, createCamera, type Point } from './camera.ts'
import { drawStroke, type Stroke, sketchStroke, strokesOf } from './draw-edges.ts'
import { drawLabels } from './draw-labels.ts'
import { drawNodes } from './draw-nodes.ts'
import { type Emphases, emphasisOf } from './emphasis.ts'
import type { Node } from './graph.ts'
import { type Layout, radiusOf } from './layout.ts'
import { type Palette, readPalette } from './palette.ts'
import type { Scene } from './scene.ts'
import type { TagColours } from './tags.ts'

/** With more connections than this, what moves is sketched, and drawn in full once it has been at rest for a while. */
const MANY = 250
const REST_MS = 160

const calm = matchMedia('(prefers-reduced-motion: reduce)')

/** The drawing: shows the scene on the canvas, and draws only when something has changed. */
export function createView(canvas: HTMLCanvasElement, scene: Scene, layout: Layout, tags: TagColours) {
  const context = canvas.getContext('2d') as CanvasRenderingContext2D
  const camera: Camera = createCamera(ask)
  let palette: Palette = readPalette()
  let emphases: Emphases = emphasisOf(scene)
  let strokes: Stroke[] = []
  let asked = false
  let rested = true
  let rest: ReturnType<typeof setTimeout> | undefined
  let following = false

  scene.on(() => restyle())
  new ResizeObserver(resize).observe(canvas)

  /** What is where changes nothing of how it looks: this alone is done for each picture. */
  function draw() {
    asked = false
    const moving = layout.step()
    if (moving && following) camera.fit(scene.graph.nodes.values())
    const { k, x, y } = camera.at
    const dots = devicePixelRatio
    context.setTransform(dots, 0, 0, dots, 0, 0)
    context.clearRect(0, 0, camera.size.width, camera.size.height)
    context.setTransform(
      dots * k,
      0,
      0,
      dots * k,
      dots * (camera.size.width / 2 - x * k),
      dots * (camera.size.height / 2 - y * k),
    )
    const nodes = [...scene.graph.nodes.values()]
    const edges = scene.graph.edges()
    const sketch = edges.length > MANY && !rested
    for (const stroke of strokes)
      if (sketch && stroke.alpha < 1) sketchStroke(context, stroke, k)
      else drawStroke(context, stroke, k, true)
    drawNodes(context, nodes, { emphases, palette, colourOf, marks: scene.state, k, sketch })
    context.setTransform(dots, 0, 0, dots, 0, 0)
    drawLabels(context, nodes, edges, { camera, emphases, palette, state: scene.state, sketch })
    if (moving) ask()
  }

  function colourOf({ memory }: Node): string {
    const place = tags.placeOf(memory)
    return place === undefined ? palette.node : (palette.tags[place] ?? palette.node)
  }

  /** Asks for a new picture, and for one in full once nothing has asked for a while. */
  function ask() {
    rested = false
    clearTimeout(rest)
    rest = setTimeout(finish, REST_MS)
    request()
  }

  function finish() {
    rested = true
    request()
  }

  function request() {
    if (asked) return
    asked = true
    requestAnimationFrame(draw)
  }

  function restyle() {
    emphases = emphasisOf(scene)
    strokes = strokesOf(scene.graph.edges(), emphases, palette)
    ask()
  }

  function resize() {
    const { clientWidth, clientHeight } = canvas
    if (clientWidth === 0) return
    Object.assign(camera.size, { width: clientWidth, height: clientHeight })
    canvas.width = Math.round(clientWidth * devicePixelRatio)
    canvas.height = Math.round(clientHeight * devicePixelRatio)
    ask()
  }

  /** Takes up that the graph has changed; `all` brings everything into view and keeps it there until it is at rest. */
  function arrange({ all }: { all: boolean }) {
    layout.update({ calm: !all })
    if (calm.matches) layout.settle()
    following = all
    if (all) camera.fit(scene.graph.nodes.values())
    ask()
  }

  /** The memory at a place of the screen; the nearest within a finger's reach. */
  function nodeAt(point: Point, reach = 6): Node | undefined {
    const { x, y } = camera.toWorld(point)
    const distance = (node: Node) => Math.hypot(node.x - x, node.y - y) - radiusOf(node) - reach / camera.at.k
    const near = [...scene.graph.nodes.values()].filter(node => distance(node) <= 0)
    return near.sort((a, b) => distance(a) - distance(b))[0]
  }

  return {
    camera,
    arrange,
    nodeAt,
    ask,
    /** From now on the reader decides what is in view. */
    stay() {
      following = false
    },
    recolour() {
      palette = readPalette()
      restyle()
    },
  }
}

export type View = ReturnType<typeof createView>
