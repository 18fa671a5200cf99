/** No message that the service takes is longer; twice as much is kept to find out which message it was. */
export const LONGEST_LINE = 16 * 1024 * 1024

const NEWLINE = 0x0a

/** The lines of a stream of bytes, as bytes; `undefined` for one that is too long, which is skipped. */
export async function* splitLines(input: AsyncIterable<Buffer>): AsyncGenerator<Buffer | undefined> {
  let parts: Buffer[] = []
  let length = 0
  for await (const chunk of input) {
    let begin = 0
    for (let end = chunk.indexOf(NEWLINE); end >= 0; end = chunk.indexOf(NEWLINE, begin)) {
      keep(chunk.subarray(begin, end))
      yield take()
      begin = end + 1
    }
    keep(chunk.subarray(begin))
  }
  if (length > 0) yield take()

  function keep(part: Buffer) {
    length += part.length
    if (length > LONGEST_LINE) parts = []
    else parts.push(part)
  }

  function take(): Buffer | undefined {
    const line = length > LONGEST_LINE ? undefined : Buffer.concat(parts)
    parts = []
    length = 0
    return line
  }
}
