import type { LineOf } from '../../contract/bundle.ts'
import { toUnit } from '../../platform/embeddings/unit.ts'

/**
 * The vector of a bundle's line, which writes it as 32-bit floats, the least significant byte first, in Base64.
 * @throws BadVector
 */
export function valuesOf({ vector }: LineOf<'vectors'>): Float32Array {
  const values = new Float32Array(Uint8Array.from(Buffer.from(vector, 'base64')).buffer)
  return toUnit(values, values.length)
}
