export { cosine } from '../../src/platform/embeddings/cosines.ts'

/** The numbers in a text as its vector, in place of a model: `0.8 0.6` has the cosine 0.8 with `1 0`. */
export function vectorOfNumbers(text: string, dimensions: number): number[] {
  const numbers = (text.match(/-?\d+(?:\.\d+)?/g) ?? []).map(Number).slice(0, dimensions)
  const vector = [...numbers, ...new Array<number>(dimensions - numbers.length).fill(0)]
  return vector.some(number => number !== 0) ? vector : vector.with(-1, 1)
}

/** Cosine of two lists of numbers of the same length. */
export function exactCosine(one: readonly number[], other: readonly number[]): number {
  const dot = (a: readonly number[], b: readonly number[]) =>
    a.reduce((sum, value, at) => sum + value * (b[at] ?? 0), 0)
  return dot(one, other) / Math.sqrt(dot(one, one) * dot(other, other))
}
