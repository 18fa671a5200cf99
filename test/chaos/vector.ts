import { createHash } from 'node:crypto'
import { seededRandom } from '../../tools/seeded-random.ts'

/**
 * The model of the chaos runs. The first word of a text is its theme: texts of one theme lie about the threshold of
 * discovery to each other, some above and some below; texts of two themes are far apart. Length one, and another
 * space for another length.
 */
export function chaosVector(text: string, dimensions: number): number[] {
  const theme = direction(text.split(' ', 1)[0] as string, dimensions)
  const own = direction(text, dimensions)
  return normal(theme.map((value, at) => value + SPREAD * (own[at] as number)))
}

const SPREAD = 0.62

function direction(seed: string, dimensions: number): number[] {
  const random = seededRandom(createHash('sha256').update(`${dimensions} ${seed}`).digest().readUInt32LE())
  const gauss = () => Math.sqrt(-2 * Math.log(1 - random())) * Math.cos(2 * Math.PI * random())
  return normal(Array.from({ length: dimensions }, gauss))
}

/** As the service stores it: 32-bit floats of length one. */
function normal(values: number[]): number[] {
  const norm = Math.hypot(...values)
  return Array.from(Float32Array.from(values, value => value / norm))
}

/** As Neo4j computes it, from 32-bit floats. */
export function cosineOf(one: readonly number[], other: readonly number[]): number {
  let dot = 0
  let first = 0
  let second = 0
  for (let at = 0; at < one.length; at++) {
    const a = one[at] as number
    const b = other[at] as number
    dot += a * b
    first += a * a
    second += b * b
  }
  return dot / Math.sqrt(first * second)
}
