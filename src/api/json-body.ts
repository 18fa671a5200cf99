import { type ReadJson, readJson, readJsonInSteps } from '../contract/json.ts'
import { timeSlices } from '../platform/time-slices.ts'

const SMALL_BYTES = 65_536

let last: Promise<unknown> = Promise.resolve()

/**
 * Reads the JSON of a request. Large ones are read one after another, and in slices: a short request waits for one slice
 * of one of them, however many there are.
 */
export function readJsonBody(bytes: Uint8Array): Promise<ReadJson> | ReadJson {
  if (bytes.length <= SMALL_BYTES) return readJson(bytes)
  const nextSlice = timeSlices()
  const reading = last.then(() => readJsonInSteps(bytes, nextSlice))
  last = reading
  return reading
}
