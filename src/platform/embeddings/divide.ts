import { BadVector, toUnit } from './unit.ts'

/** Where a text is best divided: behind a sentence or a line, else between two words. */
const BOUNDARIES = [/[.!?…]["')\]]?\s+|[。！？]|\n+/g, /\s+/g]

/** A text in so many parts of about the same length, or fewer; nothing but white space is left out. */
export function divide(text: string, count: number): string[] {
  const parts: string[] = []
  let rest = text
  for (let left = count; left > 1 && rest.length > 1; left--) {
    const end = boundaryBefore(rest, Math.ceil(rest.length / left))
    parts.push(rest.slice(0, end))
    rest = rest.slice(end)
  }
  return [...parts, rest].filter(part => part.trim() !== '')
}

/** The last boundary in the last quarter of so many characters; without one their end, whole characters only. */
function boundaryBefore(text: string, size: number): number {
  const from = size - (size >> 2)
  const window = text.slice(from, size)
  for (const boundary of BOUNDARIES) {
    const last = [...window.matchAll(boundary)].at(-1)
    if (last) return from + last.index + last[0].length
  }
  const splitsPair = (text.charCodeAt(size - 1) & 0xfc00) === 0xd800
  return Math.max(1, splitsPair ? size - 1 : size)
}

type Part = { readonly vector: Float32Array; readonly length: number }

/** The mean of unit vectors by the lengths of their texts, of length one; the first if they cancel each other out. */
export function weightedMean(parts: readonly Part[]): Float32Array {
  const [first] = parts as readonly [Part, ...Part[]]
  const sums = new Float64Array(first.vector.length)
  for (const { vector, length } of parts)
    for (let at = 0; at < sums.length; at++) sums[at] = (sums[at] as number) + length * (vector[at] as number)
  try {
    return toUnit(sums, sums.length)
  } catch (error) {
    if (error instanceof BadVector) return first.vector
    throw error
  }
}
