import type { Output } from '../../../contract/index.ts'
import { client } from './client.ts'

type Answer = Output<'importBundle'>

/** A part stays well below what a request may hold. */
const MOST_LINES = 1_000
const MOST_CHARACTERS = 2_000_000
/** A vector stays with its memory, and the policies stay together. */
const BOUND = /^\{"section":"(vectors|policies)"/

function partsOf(lines: readonly string[]): string[][] {
  const parts: string[][] = [[]]
  let size = 0
  for (const line of lines) {
    const part = parts.at(-1) ?? []
    size += line.length
    if ((part.length >= MOST_LINES || size > MOST_CHARACTERS) && !BOUND.test(line)) {
      parts.push([line])
      size = line.length
    } else part.push(line)
  }
  return parts
}

/** Sends a bundle part by part; `moved` hears which share has been stored. An abort ends it between two parts. */
export async function sendBundle(
  text: string,
  moved: (share: number) => void,
  signal?: AbortSignal,
): Promise<Answer | undefined> {
  const parts = partsOf(text.split('\n').filter(line => line.trim() !== ''))
  let answer: Answer | undefined
  for (const [at, lines] of parts.entries()) {
    signal?.throwIfAborted()
    answer = await client().importBundle({ lines, ...(answer?.cursor ? { cursor: answer.cursor } : {}) })
    moved((at + 1) / parts.length)
  }
  while (answer?.cursor && !answer.done)
    answer = await client().importBundle({ lines: [], cursor: answer.cursor })
  return answer
}
