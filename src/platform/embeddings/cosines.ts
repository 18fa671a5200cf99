/** The cosine of two vectors of length one, in four sums, which a processor adds side by side. */
export function cosine(one: Float32Array, other: Float32Array): number {
  let [a, b, c, d] = [0, 0, 0, 0]
  const whole = one.length - (one.length % 4)
  for (let at = 0; at < whole; at += 4) {
    a += (one[at] as number) * (other[at] as number)
    b += (one[at + 1] as number) * (other[at + 1] as number)
    c += (one[at + 2] as number) * (other[at + 2] as number)
    d += (one[at + 3] as number) * (other[at + 3] as number)
  }
  for (let at = whole; at < one.length; at++) a += (one[at] as number) * (other[at] as number)
  return a + b + c + d
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
