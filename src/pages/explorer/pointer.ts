import type { Point } from './camera.ts'
import type { Node } from './graph.ts'
import type { Layout } from './layout.ts'
import type { Scene } from './scene.ts'
import type { View } from './view.ts'

/** How far a pointer moves before a click is a drag, in pixels. */
const STILL = 5

/** Mouse, pen and fingers on the drawing: click, drag, zoom, and what lies under the pointer. */
export function listenToPointer(
  canvas: HTMLCanvasElement,
  {
    scene,
    view,
    layout,
    open,
  }: { scene: Scene; view: View; layout: Layout; open: (id: string, expand: boolean) => void },
) {
  const down = new Map<number, Point>()
  let held: Node | undefined
  let start: Point | undefined
  let moved = false

  const at = ({ offsetX: x, offsetY: y }: MouseEvent): Point => ({ x, y })

  canvas.addEventListener('pointerdown', event => {
    if (event.button !== 0) return
    canvas.setPointerCapture(event.pointerId)
    down.set(event.pointerId, at(event))
    start = at(event)
    moved = down.size > 1
    held = view.nodeAt(start, event.pointerType === 'touch' ? 16 : 5)
  })

  canvas.addEventListener('pointermove', event => {
    const before = down.get(event.pointerId)
    if (!before || !start) return hover(at(event))
    const now = at(event)
    if (Math.hypot(now.x - start.x, now.y - start.y) > STILL) moved = true
    if (moved) drag(event.pointerId, before, now)
    down.set(event.pointerId, now)
  })

  canvas.addEventListener('pointerup', event => {
    if (!down.delete(event.pointerId)) return
    if (!moved && held) open(held.id, !event.shiftKey)
    else if (!moved && down.size === 0) scene.set('selection', { selected: undefined, path: undefined })
    release()
  })
  canvas.addEventListener('pointercancel', event => {
    down.delete(event.pointerId)
    release()
  })
  canvas.addEventListener('pointerleave', () => hover(undefined))
  canvas.addEventListener(
    'wheel',
    event => {
      event.preventDefault()
      view.stay()
      view.camera.zoom(2 ** (-event.deltaY / (event.ctrlKey ? 120 : 400)), at(event))
    },
    { passive: false },
  )

  function drag(pointer: number, before: Point, now: Point) {
    view.stay()
    const { camera } = view
    const other = [...down].find(([id]) => id !== pointer)?.[1]
    if (other) {
      const apart = (point: Point) => Math.hypot(point.x - other.x, point.y - other.y) || 1
      camera.zoom(apart(now) / apart(before), { x: (now.x + other.x) / 2, y: (now.y + other.y) / 2 })
    } else if (held) {
      const { x, y } = camera.toWorld(now)
      Object.assign(held, { fx: x, fy: y })
      layout.warm(0.15)
      view.ask()
    } else camera.move((before.x - now.x) / camera.at.k, (before.y - now.y) / camera.at.k)
  }

  /** What was dragged stays where it was put until the next arrangement takes it along. */
  function release() {
    if (held && moved) Object.assign(held, { fx: null, fy: null })
    held = undefined
    start = undefined
  }

  function hover(point: Point | undefined) {
    const id = point && view.nodeAt(point)?.id
    canvas.classList.toggle('on-node', id !== undefined)
    if (id !== scene.state.hovered) scene.set('hover', { hovered: id })
  }
}
