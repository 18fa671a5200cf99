import { Maximize, Minus, Plus } from 'lucide-react'
import { type KeyboardEvent, type RefObject, useEffect, useRef, useState } from 'react'
import Sigma from 'sigma'
import type { NodeHoverDrawingFunction, NodeLabelDrawingFunction } from 'sigma/rendering'
import type { CameraState, NodeDisplayData } from 'sigma/types'
import { calmPrograms, isLarge, watchMoves } from './calm.ts'
import { areNamed, nameClusters } from './clusters.ts'
import { arrange, placeAgain } from './layout.ts'
import { Moving } from './moving.ts'
import type { Edge, MemoryGraph, Node } from './reading.ts'

/** How memories and connections look. Undefined leaves one out. */
export type Look = {
  node: (id: string, node: Node) => { color: string; isLit: boolean; isNamed: boolean } | undefined
  edge: (id: string, edge: Edge) => { color: string; isLit: boolean } | undefined
  chosen: string | undefined
}

type Props = {
  graph: MemoryGraph
  /** Of the graph: with another one it is arranged again. */
  version: number
  look: Look
  choose: (id: string | undefined) => void
  /** Called when the communities of the graph are known. */
  grouped: () => void
  open: (id: string) => void
  renderer: RefObject<Sigma<Node, Edge> | undefined>
}

/** More connections than these have no arrows. */
const MANY_EDGES = 8_000
/** So few are all named, with room for the names at the edge. */
const FEW = 60
const ALL_NAMED = 12
const STEP = 1.4
/** Characters of a label. */
const LABEL = { few: 40, many: 26 }

/** Draws the graph on WebGL, by sigma, and a large one that moves by itself. Arrow keys lead from memory to memory. */
export function Drawing({ graph, version, look, choose, grouped, open, renderer }: Props) {
  const place = useRef<HTMLDivElement>(null)
  const discs = useRef<HTMLCanvasElement>(null)
  const names = useRef<HTMLDivElement>(null)
  const moving = useRef<Moving | undefined>(undefined)
  const lookNow = useRef(look)
  lookNow.current = look
  const chooseNow = useRef(choose)
  chooseNow.current = choose
  const isMoving = useRef(false)
  const camera = useRef<CameraState | undefined>(undefined)
  const [fault, setFault] = useState('')
  useEffect(() => {
    if (!place.current || !discs.current || !names.current) return
    placeAgain(graph)
    const colours = coloursOf(place.current)
    const now = { look: lookNow, isMoving, colours }
    const sigma = start(graph, place.current, now)
    if (!sigma)
      return setFault('This browser cannot draw the graph: WebGL is off. The lists next to it show the same.')
    renderer.current = sigma
    sigma.on('clickNode', ({ node }) => chooseNow.current(node))
    sigma.on('clickStage', () => chooseNow.current(undefined))
    moving.current = new Moving({
      ...{ sigma, canvas: discs.current, drawn: nameClusters(sigma, names.current) },
      paintOf: (id, node) => {
        const { color = '', zIndex = 0, size = 0 } = nodeOf(graph, id, node, now)
        return { color, size, isAbove: zIndex > 0 }
      },
    })
    const forgetMoves = watchMoves(sigma, is => {
      isMoving.current = is
    })
    if (camera.current) sigma.getCamera().setState(camera.current)
    const forget = onTheme(() => {
      Object.assign(colours, coloursOf(sigma.getContainer()))
      sigma.setSetting('labelColor', { color: colours.text })
    })
    return () => {
      forget()
      forgetMoves()
      moving.current?.end()
      moving.current = undefined
      camera.current = sigma.getCamera().getState()
      renderer.current = undefined
      sigma.kill()
    }
  }, [graph, renderer])
  useEffect(() => {
    moving.current?.begin()
    return arrange(graph, (isFirst, isDone) => {
      if (isFirst) grouped()
      moving.current?.step(isDone)
    })
  }, [graph, version, grouped])
  useEffect(() => {
    renderer.current?.refresh({ skipIndexation: true })
    if (look.chosen) bringIntoView(renderer.current, look.chosen)
  }, [look, renderer])
  const press = (event: KeyboardEvent) => {
    const sigma = renderer.current
    if (!sigma) return
    const direction = directions[event.key]
    if (direction) choose(nextOf(sigma, look, direction))
    else if (event.key === 'Enter' && look.chosen) open(look.chosen)
    else if (event.key === 'Escape') choose(undefined)
    else if (event.key === '+') void sigma.getCamera().animatedZoom(STEP)
    else if (event.key === '-') void sigma.getCamera().animatedUnzoom(STEP)
    else return
    event.preventDefault()
  }
  return (
    <div className="drawing">
      {fault !== '' && <p role="alert">{fault}</p>}
      <div
        ref={place}
        className="canvas"
        role="application"
        // biome-ignore lint/a11y/noNoninteractiveTabindex: it takes the arrow keys itself
        tabIndex={0}
        aria-label="Drawing of the memories. The arrow keys choose a memory, Enter opens it, + and - zoom, Escape chooses none."
        onKeyDown={press}
      />
      <canvas ref={discs} className="discs" hidden />
      <div ref={names} className="clusters" aria-hidden="true" />
      <fieldset className="zoom" aria-label="Zoom">
        <button
          type="button"
          className="icon"
          aria-label="Nearer"
          onClick={() => renderer.current?.getCamera().animatedZoom(STEP)}
        >
          <Plus size={14} aria-hidden />
        </button>
        <button
          type="button"
          className="icon"
          aria-label="Farther"
          onClick={() => renderer.current?.getCamera().animatedUnzoom(STEP)}
        >
          <Minus size={14} aria-hidden />
        </button>
        <button
          type="button"
          className="icon"
          aria-label="Show everything"
          onClick={() => renderer.current?.getCamera().animatedReset()}
        >
          <Maximize size={14} aria-hidden />
        </button>
      </fieldset>
    </div>
  )
}

type Now = {
  look: RefObject<Look>
  isMoving: RefObject<boolean>
  colours: Colours
}

/** Nothing where there is no WebGL. */
function start(graph: MemoryGraph, place: HTMLElement, now: Now) {
  const { look, isMoving, colours } = now
  const names: Names = { drawn: [], isOff: false }
  try {
    const sigma = new Sigma<Node, Edge>(graph, place, {
      allowInvalidContainer: true,
      defaultEdgeType: 'arrow',
      ...calmPrograms(graph, () => isMoving.current),
      labelColor: { color: colours.text },
      defaultDrawNodeHover: hoverOn(colours),
      defaultDrawNodeLabel: labelOn(colours, names),
      labelFont: 'system-ui, sans-serif',
      labelSize: 13,
      // At every zoom the largest memory of each cell of the picture is named.
      labelRenderedSizeThreshold: 0,
      labelDensity: 1,
      labelGridCellSize: graph.order <= FEW ? 70 : 150,
      stagePadding: graph.order <= FEW ? Math.min(90, place.clientWidth / 10) : 40,
      zIndex: true,
      minCameraRatio: 0.01,
      maxCameraRatio: 4,
      nodeReducer: (id, node) => nodeOf(graph, id, node, now),
      edgeReducer: (id, edge) => {
        const shown = look.current.edge(id, edge)
        const type = graph.size > MANY_EDGES ? 'line' : 'arrow'
        if (!shown) return { ...edge, type, hidden: true }
        return {
          ...edge,
          type,
          color: shown.isLit ? shown.color : colours.dim,
          size: scaleOf(graph) * (shown.isLit ? 0.6 + 1.4 * (edge.strength ?? 0.5) : 0.4),
          zIndex: shown.isLit ? 1 : 0,
        }
      },
    })
    sigma.on('beforeRender', () => {
      names.drawn = []
      names.isOff = isLarge(graph) && areNamed(sigma)
    })
    return sigma
  } catch {
    return undefined
  }
}

/** A memory as it is drawn. */
function nodeOf(
  graph: MemoryGraph,
  id: string,
  node: Node,
  { look, colours }: Now,
): Partial<NodeDisplayData> {
  const shown = look.current.node(id, node)
  if (!shown) return { ...node, hidden: true }
  const isChosen = look.current.chosen === id
  return {
    ...node,
    label: shown.isLit ? labelOf(node, isChosen, graph.order) : null,
    color: shown.isLit ? shown.color : colours.dim,
    zIndex: shown.isLit ? 1 : 0,
    highlighted: isChosen,
    forceLabel: isChosen || shown.isNamed || graph.order <= ALL_NAMED,
    size: scaleOf(graph) * node.size + (isChosen ? 3 : 0),
  }
}

function labelOf({ title }: Node, isWhole: boolean, count: number) {
  const most = count <= ALL_NAMED ? LABEL.few : LABEL.many
  return isWhole || title.length <= most ? title : `${title.slice(0, most)}…`
}

/** The more memories there are, the smaller each is drawn. */
const scaleOf = ({ order }: MemoryGraph) =>
  order <= FEW ? 1.6 : Math.min(1, Math.max(0.3, Math.sqrt(600 / Math.max(order, 1))))

const directions: Readonly<Record<string, readonly [number, number]>> = {
  ArrowLeft: [-1, 0],
  ArrowRight: [1, 0],
  ArrowUp: [0, -1],
  ArrowDown: [0, 1],
}

/** The nearest memory on that side of the chosen one; the largest where none is chosen. */
function nextOf(sigma: Sigma<Node, Edge>, look: Look, [right, down]: readonly [number, number]) {
  const graph = sigma.getGraph()
  const shown = graph.filterNodes((id, node) => look.node(id, node) !== undefined)
  const from = look.chosen === undefined ? undefined : sigma.getNodeDisplayData(look.chosen)
  if (!from)
    return shown.toSorted((a, b) => graph.getNodeAttribute(b, 'size') - graph.getNodeAttribute(a, 'size'))[0]
  const here = sigma.framedGraphToViewport(from)
  let best: { id: string; cost: number } | undefined
  for (const id of shown) {
    const there = sigma.framedGraphToViewport(sigma.getNodeDisplayData(id) ?? from)
    const [x, y] = [there.x - here.x, there.y - here.y]
    const ahead = x * right + y * down
    const aside = Math.abs(x * down) + Math.abs(y * right)
    const cost = ahead + 2 * aside
    if (ahead > 0 && aside <= ahead && cost < (best?.cost ?? Number.POSITIVE_INFINITY)) best = { id, cost }
  }
  return best?.id ?? look.chosen
}

/** Moves the picture only where the memory is not in it. */
function bringIntoView(sigma: Sigma<Node, Edge> | undefined, id: string) {
  const at = sigma?.getNodeDisplayData(id)
  if (!sigma || !at) return
  const { x, y } = sigma.framedGraphToViewport(at)
  const { width, height } = sigma.getDimensions()
  const isInside = x > 0 && y > 0 && x < width && y < height
  if (!isInside) void sigma.getCamera().animate({ x: at.x, y: at.y }, { duration: 300 })
}

type Colours = { text: string; dim: string; ground: string }

/** The colours of the page where the drawing is: the canvas cannot read them from the style sheet itself. */
function coloursOf(place: HTMLElement): Colours {
  const { color, borderTopColor, backgroundColor } = getComputedStyle(place)
  return { text: color, dim: borderTopColor, ground: backgroundColor }
}

type Box = { x: number; y: number; width: number }
type Names = { drawn: Box[]; isOff: boolean }

/** The name of a memory, on a rim of the ground. One that would cover another one is left out. */
const labelOn =
  (colours: Colours, names: Names): NodeLabelDrawingFunction<Node, Edge> =>
  (canvas, { x, y, size, label }, { labelSize, labelFont }) => {
    if (!label || names.isOff) return
    canvas.font = `${labelSize}px ${labelFont}`
    const { text, ...box } = besides(canvas, label, { x, y, size })
    const isCovered = names.drawn.some(
      other =>
        Math.abs(other.y - y) < labelSize + 3 && other.x < box.x + box.width && box.x < other.x + other.width,
    )
    if (isCovered) return
    names.drawn.push(box)
    canvas.lineWidth = 3
    canvas.lineJoin = 'round'
    canvas.strokeStyle = colours.ground
    canvas.strokeText(text, box.x, y + labelSize / 3)
    canvas.fillStyle = colours.text
    canvas.fillText(text, box.x, y + labelSize / 3)
  }

const GAP = 4

/** Right of a memory, or left of it where it fits better there; cut where it fits nowhere. */
function besides(
  canvas: CanvasRenderingContext2D,
  label: string,
  at: { x: number; y: number; size: number },
) {
  const { x, y, size } = at
  const [left, right] = [x - size - GAP, canvas.canvas.clientWidth - x - size - GAP]
  const share = Math.max(left, right) / canvas.measureText(label).width
  const text = share >= 1 ? label : `${label.slice(0, Math.max(1, Math.floor(share * label.length) - 2))}…`
  const { width } = canvas.measureText(text)
  return { text, x: width <= right ? x + size + GAP : x - size - GAP - width, y, width }
}

/** The label of a memory that is pointed at or chosen, on the ground of the page. */
const hoverOn =
  (colours: Colours): NodeHoverDrawingFunction<Node, Edge> =>
  (canvas, { x, y, size, label, color }, { labelSize, labelFont }) => {
    canvas.font = `600 ${labelSize}px ${labelFont}`
    const text = (label ?? '').slice(0, 80)
    canvas.fillStyle = colours.ground
    canvas.strokeStyle = colours.dim
    canvas.beginPath()
    canvas.roundRect(x + size + 2, y - labelSize, canvas.measureText(text).width + 12, 2 * labelSize, 6)
    canvas.fill()
    canvas.stroke()
    canvas.beginPath()
    canvas.arc(x, y, size + 3, 0, 2 * Math.PI)
    canvas.strokeStyle = color
    canvas.lineWidth = 2
    canvas.stroke()
    canvas.fillStyle = colours.text
    canvas.fillText(text, x + size + 8, y + labelSize / 3)
  }

/** Calls back when the colours of the page have been switched. Returns how to end that. */
function onTheme(changed: () => void): () => void {
  const observer = new MutationObserver(changed)
  observer.observe(document.documentElement, { attributes: true, attributeFilter: ['data-theme'] })
  const dark = matchMedia('(prefers-color-scheme: dark)')
  dark.addEventListener('change', changed)
  return () => {
    observer.disconnect()
    dark.removeEventListener('change', changed)
  }
}
