/** Of two vectors of length one. */
export const cosine = (one: Float32Array, other: Float32Array): number =>
  one.reduce((sum, value, at) => sum + value * other[at]!, 0)
