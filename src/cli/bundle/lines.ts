import { createReadStream } from 'node:fs'
import { LineError } from './verify.ts'

/** A line with where the next one begins in the file, in bytes. */
export type FileLine = { text: string; end: number }

/** Longer than any line of a bundle that the service takes. */
const LONGEST_LINE = 1_000_000

/**
 * The lines of a file from an offset on, whatever its size.
 * @throws LineError for one that is too long, or the reason of the signal
 */
export async function* linesOf(
  path: string,
  { from = 0, signal }: { from?: number; signal?: AbortSignal } = {},
): AsyncGenerator<FileLine> {
  let rest: Buffer = Buffer.alloc(0)
  let end = from
  let count = 0
  const take = (bytes: Buffer, ending: number): FileLine => {
    count += 1
    end += bytes.length + ending
    return { text: bytes.toString('utf8'), end }
  }
  // A pipe has no places to begin at.
  const place = from > 0 ? { start: from } : {}
  const chunks: AsyncIterable<Buffer> = createReadStream(path, { ...place, ...(signal ? { signal } : {}) })
  for await (const chunk of chunks) {
    rest = rest.length === 0 ? chunk : Buffer.concat([rest, chunk])
    let start = 0
    for (let at = rest.indexOf(10); at !== -1; at = rest.indexOf(10, start)) {
      yield take(rest.subarray(start, at), 1)
      start = at + 1
    }
    rest = rest.subarray(start)
    if (rest.length > LONGEST_LINE) throw new LineError(count + 1, `is longer than ${LONGEST_LINE} bytes`)
  }
  if (rest.length > 0) yield take(rest, 0)
}
