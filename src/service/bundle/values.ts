import type { LineOf } from '../../contract/bundle.ts'

/** The numbers of a vector as a bundle writes it: 32-bit floats, the least significant byte first, in Base64. */
export const valuesOf = ({ vector }: LineOf<'vectors'>): Float32Array =>
  new Float32Array(Uint8Array.from(Buffer.from(vector, 'base64')).buffer)

/** Whether numbers have a direction. */
export const isVector = (values: Float32Array): boolean =>
  values.every(Number.isFinite) && values.some(value => value !== 0)
