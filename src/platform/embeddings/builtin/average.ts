/** The mean of vectors of the same length. */
export function createMean(dimensions: number) {
  const sum = new Float64Array(dimensions)
  let count = 0
  return {
    add(vector: Float32Array): void {
      for (let at = 0; at < dimensions; at++) sum[at] = (sum[at] ?? 0) + (vector[at] ?? 0)
      count++
    },
    value: (): Float64Array => sum.map(value => value / count),
  }
}
