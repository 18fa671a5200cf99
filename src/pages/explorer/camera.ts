import type { Node } from './graph.ts'

export type Point = { x: number; y: number }

/** Room for the name of what stands at the right. */
const NAME = 150
const [SMALLEST, LARGEST] = [0.06, 5]

/** Which part of the plane is seen: `x` and `y` in the middle, `k` pixels for each unit. */
export function createCamera(changed: () => void) {
  const at = { x: 0, y: 0, k: 1 }
  const size = { width: 1, height: 1 }

  const toScreen = ({ x, y }: Point): Point => ({
    x: (x - at.x) * at.k + size.width / 2,
    y: (y - at.y) * at.k + size.height / 2,
  })
  const toWorld = ({ x, y }: Point): Point => ({
    x: (x - size.width / 2) / at.k + at.x,
    y: (y - size.height / 2) / at.k + at.y,
  })

  /** Zooms so that the point of the screen stays where it is. */
  function zoom(factor: number, around: Point = { x: size.width / 2, y: size.height / 2 }) {
    const before = toWorld(around)
    at.k = Math.min(LARGEST, Math.max(SMALLEST, at.k * factor))
    const after = toWorld(around)
    move(before.x - after.x, before.y - after.y)
  }

  function move(x: number, y: number) {
    at.x += x
    at.y += y
    changed()
  }

  /** Shows all of these. */
  function fit(nodes: Iterable<Node>) {
    const all = [...nodes]
    if (all.length === 0) return
    const [xs, ys] = [all.map(({ x }) => x), all.map(({ y }) => y)]
    const [left, right, top, bottom] = [Math.min(...xs), Math.max(...xs), Math.min(...ys), Math.max(...ys)]
    const name = Math.min(NAME, size.width / 4)
    const across = Math.min(
      (size.width - 60 - name) / (right - left + 1),
      (size.height - 110) / (bottom - top + 1),
    )
    at.k = Math.min(1.6, Math.max(SMALLEST, across))
    at.x = (left + right) / 2 + name / 2 / at.k
    at.y = (top + bottom) / 2
    changed()
  }

  /** Brings a point into view when it is near the edge or beyond it. */
  function reveal(point: Point) {
    const { x, y } = toScreen(point)
    const inside = x > 60 && y > 60 && x < size.width - 60 && y < size.height - 60
    if (!inside) move(point.x - at.x, point.y - at.y)
  }

  return { at, size, toScreen, toWorld, zoom, move, fit, reveal }
}

export type Camera = ReturnType<typeof createCamera>
