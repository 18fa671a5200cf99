import { constants, createReadStream, openSync, statSync } from 'node:fs'
import { Socket } from 'node:net'
import { LineError } from './line-error.ts'

/** A line with where the next one begins in the file, in bytes. */
export type FileLine = { text: string; end: number }

/** Longer than any line of a bundle that the service takes. */
const LONGEST_LINE = 1_000_000

type Reading = {
  from?: number
  signal?: AbortSignal
  /** Takes what an editor has added away again: a byte-order mark, the CR of each line end, empty lines. */
  repair?: boolean
}

/**
 * The lines of a file from an offset on, whatever its size.
 * @throws LineError for one that is too long, or the reason of the signal
 */
export async function* readLines(
  path: string,
  { from = 0, signal, repair = false }: Reading = {},
): AsyncGenerator<FileLine> {
  let rest: Buffer = Buffer.alloc(0)
  let end = from
  let count = 0
  const take = (bytes: Buffer, ending: number): FileLine => {
    count += 1
    end += bytes.length + ending
    const text = bytes.toString('utf8')
    return { text: repair ? text.replace(/^\uFEFF/, '').replace(/\r$/, '') : text, end }
  }
  const keeps = ({ text }: FileLine) => !repair || text !== ''
  for await (const chunk of chunksOf(path, from, signal ? { signal } : {})) {
    rest = rest.length === 0 ? chunk : Buffer.concat([rest, chunk])
    let start = 0
    for (let at = rest.indexOf(10); at !== -1; at = rest.indexOf(10, start)) {
      const line = take(rest.subarray(start, at), 1)
      if (keeps(line)) yield line
      start = at + 1
    }
    rest = rest.subarray(start)
    if (rest.length > LONGEST_LINE) throw new LineError(count + 1, `is longer than ${LONGEST_LINE} bytes`)
  }
  if (rest.length > 0) yield take(rest, 0)
}

function chunksOf(path: string, from: number, options: { signal?: AbortSignal }): AsyncIterable<Buffer> {
  if (!statSync(path).isFIFO()) return createReadStream(path, { start: from, ...options })
  // Read as a file, a pipe in which nothing comes could not be left.
  return new Socket({ fd: openSync(path, constants.O_RDONLY | constants.O_NONBLOCK), ...options })
}
