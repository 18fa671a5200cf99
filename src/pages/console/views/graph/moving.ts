import type Sigma from 'sigma'
import type { CameraState, Coordinates } from 'sigma/types'
import { isLarge, REST_MS } from './calm.ts'
import { placeOf } from './layout.ts'
import { between, type Dots, extentOf, hit, paint, type View } from './raster.ts'
import type { Edge, Node } from './reading.ts'

/** How a memory looks: its colour as the page writes it, empty to leave it out, and whether it is above others. */
type Paint = { color: string; isAbove: boolean; size: number }

type Props = {
  sigma: Sigma<Node, Edge>
  canvas: HTMLCanvasElement
  paintOf: (id: string, node: Node) => Paint
  /** Called after each picture. */
  drawn: (isArranging: boolean) => void
}

/** What a step takes in the picture. */
const STEP_MS = { least: 50, most: 1_500 }

/**
 * Draws a large graph as discs alone, pixel by pixel, while it moves or is arranged: sigma draws it when it rests. The memory
 * under the pointer is found by its place, not by its pixel, which WebGL would have to give back for each move.
 */
export class Moving {
  readonly #props: Props
  readonly #graph: ReturnType<Props['sigma']['getGraph']>
  readonly #picture: CanvasRenderingContext2D | null
  readonly #drawWhole: () => unknown
  readonly #drawAgain: () => unknown
  #seen: CameraState
  #resting: ReturnType<typeof setTimeout> | undefined
  #frame = 0
  #isMoving = false
  #isArranging = false
  /** Whether sigma has to read the graph again before it draws it. */
  #isStale = false
  /** Of how many memories the places are known. */
  #arranged: number
  #dots: Dots | undefined
  #places: Float32Array | undefined
  #way: Way | undefined

  constructor(props: Props) {
    const { sigma, canvas } = props
    this.#props = props
    this.#graph = sigma.getGraph()
    this.#arranged = this.#graph.order
    this.#picture = canvas.getContext('2d')
    this.#seen = sigma.getCamera().getState()
    const refresh = sigma.refresh.bind(sigma)
    const scheduleRender = sigma.scheduleRender.bind(sigma)
    this.#drawWhole = refresh
    this.#drawAgain = scheduleRender
    sigma.scheduleRender = () => {
      this.#noteMove()
      return this.#isCalm ? this.#paintSoon() : scheduleRender()
    }
    sigma.refresh = options => {
      this.#dots = undefined
      if (!this.#isArranging) this.#places = undefined
      if (!this.#isCalm) return refresh(options)
      this.#isStale = true
      return this.#paintSoon()
    }
    this.#find(sigma)
  }

  /** The places of the memories begin to change. */
  begin() {
    this.#isArranging = true
    this.#arranged = this.#graph.order
    this.#places = Float32Array.from(this.#graph.nodes().flatMap(placeOf))
    this.#dots = undefined
  }

  /** They have changed, for the last time if it is done. */
  step(isDone: boolean) {
    const { sigma } = this.#props
    this.#isArranging = !isDone
    if (!isLarge(this.#graph)) {
      // Until it is done the places alone have changed.
      sigma.refresh(isDone ? {} : { partialGraph: {}, schedule: true })
      return
    }
    const to = placesOf(this.#graph)
    this.#isStale = true
    this.#way = isDone ? undefined : wayTo(this.#placesNow, to, this.#way)
    if (!isDone) {
      this.#paintSoon()
      return
    }
    this.#places = to
    this.#rest()
  }

  end() {
    clearTimeout(this.#resting)
    cancelAnimationFrame(this.#frame)
    this.#show(false)
  }

  get #isCalm() {
    const isGrowing = this.#graph.order !== this.#arranged
    return isLarge(this.#graph) && (this.#isMoving || this.#isArranging || isGrowing)
  }

  get #dotsNow() {
    this.#dots ??= dotsOf(this.#graph.mapNodes(this.#props.paintOf))
    return this.#dots
  }

  get #placesNow() {
    this.#places ??= placesOf(this.#graph)
    return this.#places
  }

  #noteMove() {
    const now = this.#props.sigma.getCamera().getState()
    if (!isLarge(this.#graph) || isSame(now, this.#seen)) return
    this.#seen = now
    this.#isMoving = true
    clearTimeout(this.#resting)
    this.#resting = setTimeout(() => {
      // Where frames come late, the last move is not drawn yet.
      if (this.#frame) this.#paint()
      this.#isMoving = false
      this.#rest()
    }, REST_MS)
  }

  #rest() {
    if (this.#isCalm) return
    this.#props.sigma.once('afterRender', () => {
      if (!this.#isCalm) this.#show(false)
    })
    if (this.#isStale) this.#drawWhole()
    else this.#drawAgain()
    this.#isStale = false
  }

  #show(are: boolean) {
    const { sigma, canvas } = this.#props
    sigma.getContainer().classList.toggle('calm', are)
    canvas.hidden = !are
  }

  #paintSoon() {
    this.#frame ||= requestAnimationFrame(() => this.#paint())
    return this.#props.sigma
  }

  #paint() {
    cancelAnimationFrame(this.#frame)
    this.#frame = 0
    if (!this.#isCalm || !this.#picture) return
    const { sigma, drawn } = this.#props
    sigma.resize()
    if (this.#way && goOn(this.#way, this.#placesNow)) this.#paintSoon()
    this.#show(true)
    paintOn(this.#picture, viewOf(sigma, this.#placesNow), this.#dotsNow, this.#placesNow)
    drawn(this.#isArranging)
  }

  /** In place of what sigma does for each move of the pointer. */
  #find(sigma: Props['sigma']) {
    const inside = sigma as unknown as { getNodeAtPosition: (at: Coordinates) => string | null }
    const pick = inside.getNodeAtPosition.bind(sigma)
    const [mouse, touch] = [sigma.getMouseCaptor(), sigma.getTouchCaptor()]
    inside.getNodeAtPosition = at => {
      if (!isLarge(this.#graph)) return pick(at)
      if ((mouse.isMouseDown && mouse.draggedEvents > 0) || touch.isMoving) return null
      const found = hit(at.x, at.y, this.#dotsNow, this.#placesNow, viewOf(sigma, this.#placesNow))
      return found === undefined ? null : (this.#graph.nodes()[found] ?? null)
    }
  }
}

/** From the places where the memories are seen to those where they belong, from a time on and within another. */
type Way = { from: Float32Array; to: Float32Array; since: number; takes: number }

/** A step takes in the picture as long as it took to compute. */
function wayTo(seen: Float32Array, to: Float32Array, before: Way | undefined): Way {
  const since = performance.now()
  const took = before ? since - before.since : 0
  return { from: seen.slice(), to, since, takes: Math.min(STEP_MS.most, Math.max(STEP_MS.least, took)) }
}

/** Whether there is more of the way. */
function goOn({ from, to, since, takes }: Way, places: Float32Array): boolean {
  const part = Math.min(1, (performance.now() - since) / takes)
  between(places, from, to, part)
  return part < 1
}

const isSame = (a: CameraState, b: CameraState) =>
  a.x === b.x && a.y === b.y && a.ratio === b.ratio && a.angle === b.angle

function placesOf(graph: ReturnType<Props['sigma']['getGraph']>): Float32Array {
  const places: number[] = []
  graph.forEachNode((_id, { x, y }) => void places.push(x, y))
  return Float32Array.from(places)
}

function dotsOf(paints: readonly Paint[]): Dots {
  const bytes = new Map<string, number>()
  const bytesOf = (color: string) => {
    const known = bytes.get(color) ?? (color === '' ? 0 : bytesOfColour(color))
    bytes.set(color, known)
    return known
  }
  const numbers = paints.map((_, at) => at)
  return {
    sizes: Float32Array.from(paints, ({ size }) => size),
    colours: Uint32Array.from(paints, ({ color }) => bytesOf(color)),
    order: Uint32Array.from([
      ...numbers.filter(at => !paints[at]?.isAbove),
      ...numbers.filter(at => paints[at]?.isAbove),
    ]),
  }
}

/** A colour as the page writes it, as a canvas draws it. */
function bytesOfColour(color: string): number {
  const canvas = new OffscreenCanvas(1, 1).getContext('2d')
  if (!canvas) return 0
  canvas.fillStyle = color
  canvas.fillRect(0, 0, 1, 1)
  return new Uint32Array(canvas.getImageData(0, 0, 1, 1).data.buffer)[0] ?? 0
}

/** Where sigma would draw, if the memories were at these places. */
function viewOf(sigma: Sigma<Node, Edge>, places: Float32Array): View {
  const { x, y } = extentOf(places)
  const graphDimensions = { width: x[1] - x[0] || 1, height: y[1] - y[0] || 1 }
  const longest = Math.max(graphDimensions.width, graphDimensions.height)
  const override = { cameraState: sigma.getCamera().getState(), graphDimensions }
  const at = (right: number, up: number) =>
    sigma.framedGraphToViewport(
      { x: 0.5 + (right - (x[0] + x[1]) / 2) / longest, y: 0.5 + (up - (y[0] + y[1]) / 2) / longest },
      override,
    )
  const [origin, right, up] = [at(0, 0), at(1, 0), at(0, 1)]
  return {
    ...{ a: right.x - origin.x, b: right.y - origin.y, c: up.x - origin.x, d: up.y - origin.y },
    ...{ e: origin.x, f: origin.y, scale: sigma.scaleSize(1) },
  }
}

let image: ImageData | undefined

/** In the pixels of the screen. */
function paintOn(picture: CanvasRenderingContext2D, view: View, dots: Dots, places: Float32Array) {
  const { canvas } = picture
  const ratio = devicePixelRatio
  const [width, height] = [Math.round(canvas.clientWidth * ratio), Math.round(canvas.clientHeight * ratio)]
  if (width === 0 || height === 0) return
  if (canvas.width !== width || canvas.height !== height) Object.assign(canvas, { width, height })
  if (image?.width !== width || image.height !== height) image = new ImageData(width, height)
  const { a, b, c, d, e, f, scale } = view
  const onScreen = {
    ...{ a: a * ratio, b: b * ratio, c: c * ratio, d: d * ratio },
    ...{ e: e * ratio, f: f * ratio, scale: scale * ratio },
  }
  paint(new Uint32Array(image.data.buffer), width, dots, places, onScreen)
  picture.putImageData(image, 0, 0)
}
