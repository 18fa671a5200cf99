/** Why a vector cannot be stored. `length` is the provider's fault, `values` may be that of one text. */
export class BadVector extends Error {
  override readonly name = 'BadVector'
  readonly fault: 'length' | 'values'

  constructor(fault: 'length' | 'values', message: string) {
    super(message)
    this.fault = fault
  }
}

/** So near to length one a vector is left as it is: it was scaled before, and keeps its last bits. */
const ROUNDING = 1e-5

/**
 * The one gate through which every vector passes: of the expected length, all finite, scaled to length one.
 * The graph would store any other without a word and never find it again.
 * @throws BadVector
 */
export function toUnit(values: unknown, dimensions: number): Float32Array {
  if (!isNumberList(values)) throw new BadVector('values', 'the vector is missing')
  if (values.length !== dimensions)
    throw new BadVector('length', `the vector has ${values.length} dimensions, not ${dimensions}`)
  // By index: with iterators it takes ten times as long, and stands in every create.
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
