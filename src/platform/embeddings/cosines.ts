/** Cosine of two vectors of length one, fast enough for all pairs of hundreds. */
export function cosine(one: Float32Array, other: Float32Array): number {
  let sum = 0
  for (let at = 0; at < one.length; at++) sum += (one[at] as number) * (other[at] as number)
  return sum
}

/** Of each pair of vectors of length one. */
export const cosinesOf = (vectors: readonly Float32Array[]): Float64Array =>
  Float64Array.from(
    vectors.flatMap((vector, at) => vectors.slice(at + 1).map(other => cosine(vector, other))),
  )

/** Zeros for no values. */
export function spreadOf(values: Float64Array): { readonly mean: number; readonly deviation: number } {
  const mean = meanOf(values)
  return { mean, deviation: Math.sqrt(meanOf(values.map(value => (value - mean) ** 2))) }
}

const meanOf = (values: Float64Array) =>
  values.reduce((sum, value) => sum + value, 0) / Math.max(1, values.length)
