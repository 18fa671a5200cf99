/** Why a vector cannot be stored. `length` is the provider's fault, `values` may be that of one text. */
export class BadVector extends Error {
  override readonly name = 'BadVector'
  readonly fault: 'length' | 'values'

  constructor(fault: 'length' | 'values', message: string) {
    super(message)
    this.fault = fault
  }
}

/** A vector this close to length one is kept as it is, because it was scaled before. */
const ROUNDING = 1e-5

/**
 * Checks every vector: it has the expected length, is finite, and is scaled to length one.
 * Neo4j would store any other vector silently and never find it.
 * @throws BadVector
 */
export function toUnit(values: unknown, dimensions: number): Float32Array {
  if (!isNumberList(values)) throw new BadVector('values', 'the vector is missing')
  if (values.length !== dimensions)
    throw new BadVector('length', `the vector has ${values.length} dimensions, not ${dimensions}`)
  // By index: iterators take ten times as long, and every create pays for it.
  let squares = 0
  for (let at = 0; at < dimensions; at++) {
    const value: unknown = values[at]
    squares += typeof value === 'number' ? value * value : Number.NaN
  }
  if (!Number.isFinite(squares)) throw new BadVector('values', 'the vector is not finite')
  if (squares < 1e-30) throw new BadVector('values', 'the vector is zero')
  const norm = Math.sqrt(squares)
  if (values instanceof Float32Array && Math.abs(norm - 1) < ROUNDING) return values
  const unit = new Float32Array(dimensions)
  for (let at = 0; at < dimensions; at++) unit[at] = (values[at] as number) / norm
  return unit
}

const isNumberList = (values: unknown): values is ArrayLike<number> =>
  Array.isArray(values) || values instanceof Float32Array || values instanceof Float64Array
