/** Memories as discs. Colours are the bytes of a picture (alpha, blue, green, red); 0 is left out. */
export type Dots = {
  sizes: Float32Array
  colours: Uint32Array
  /** What is covered by others comes first. */
  order: Uint32Array
}

/** From a place in the graph to the picture: `a x + c y + e` and `b x + d y + f`; `scale` makes a size a radius. */
export type View = { a: number; b: number; c: number; d: number; e: number; f: number; scale: number }

/** Draws all discs, pixel by pixel: without a graphics card this is many times as quick as WebGL. */
export function paint(pixels: Uint32Array, width: number, dots: Dots, places: Float32Array, view: View) {
  pixels.fill(0)
  for (const at of dots.order) {
    const colour = dots.colours[at] as number
    if (colour === 0) continue
    const [x, y] = [xOf(places, at, view), yOf(places, at, view)]
    disc(pixels, width, x, y, radiusOf(dots, at, view), colour)
  }
}

/** The number of the uppermost disc at a point, with a margin around small ones. */
export function hit(x: number, y: number, dots: Dots, places: Float32Array, view: View) {
  return dots.order.findLast(at => {
    if (dots.colours[at] === 0) return false
    const radius = Math.max(LEAST_HIT, radiusOf(dots, at, view))
    return Math.hypot(xOf(places, at, view) - x, yOf(places, at, view) - y) <= radius
  })
}

const LEAST_HIT = 3
/** A disc is never smaller. */
const LEAST_RADIUS = 0.7

const xOf = (places: Float32Array, at: number, { a, c, e }: View) =>
  a * (places[2 * at] as number) + c * (places[2 * at + 1] as number) + e
const yOf = (places: Float32Array, at: number, { b, d, f }: View) =>
  b * (places[2 * at] as number) + d * (places[2 * at + 1] as number) + f
const radiusOf = ({ sizes }: Dots, at: number, { scale }: View) =>
  Math.max(LEAST_RADIUS, (sizes[at] as number) * scale)

/** With smooth edges. One that has no place yet is not drawn. */
function disc(pixels: Uint32Array, width: number, x: number, y: number, radius: number, colour: number) {
  const left = Math.max(0, Math.floor(x - radius - 0.5))
  const right = Math.min(width - 1, Math.ceil(x + radius))
  const top = Math.max(0, Math.floor(y - radius - 0.5))
  const bottom = Math.min(pixels.length / width - 1, Math.ceil(y + radius))
  const hue = colour & 0xffffff
  for (let row = top; row <= bottom; row++) {
    const down = row + 0.5 - y
    for (let column = left; column <= right; column++) {
      const along = column + 0.5 - x
      const cover = radius + 0.5 - Math.sqrt(along * along + down * down)
      if (cover <= 0) continue
      const alpha = cover >= 1 ? 255 : (255 * cover) | 0
      const at = row * width + column
      if (alpha >= (pixels[at] as number) >>> 24) pixels[at] = hue | (alpha << 24)
    }
  }
}

export type Extent = { x: readonly [number, number]; y: readonly [number, number] }

/** Between which places all memories are that have one. */
export function extentOf(places: Float32Array): Extent {
  let [left, right, top, bottom] = [Infinity, -Infinity, Infinity, -Infinity]
  for (let at = 0; at < places.length; at += 2) {
    const [x, y] = [places[at] as number, places[at + 1] as number]
    if (x < left) left = x
    if (x > right) right = x
    if (y < top) top = y
    if (y > bottom) bottom = y
  }
  return left > right ? { x: [0, 1], y: [0, 1] } : { x: [left, right], y: [top, bottom] }
}

/** Puts each place a part of its way from one to another; where it had none, it is there at once. */
export function between(places: Float32Array, from: Float32Array, to: Float32Array, part: number) {
  for (let at = 0; at < to.length; at++) {
    const [begin, end] = [from[at] ?? Number.NaN, to[at] as number]
    places[at] = Number.isNaN(begin) ? end : begin + part * (end - begin)
  }
}
