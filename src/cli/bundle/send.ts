import type { Client } from '../../client.ts'
import type { Input, Output } from '../../contract/index.ts'
import { type RetryOptions, withRetry } from '../../retry.ts'
import { given } from '../shell/command.ts'

type Answer = Output<'importBundle'>

export type Sending = Pick<Input<'importBundle'>, 'mode' | 'dry_run' | 'on_duplicate'> &
  RetryOptions & {
    /** Where an earlier run was, and the lines begin; nothing for the beginning. */
    from?: { cursor: string; end: number } | undefined
    /** Called after each part that the service has stored. */
    onPart: (answer: Answer, end: number) => Promise<void> | void
  }

/** A part stays well below what a request may hold. */
const MOST_LINES = 1_000
const MOST_BYTES = 2_000_000

/**
 * Sends the lines of a bundle part by part until the service reports that the import is complete. If an earlier run has
 * sent all lines, it only requests that the service continues.
 */
export async function sendBundle(
  client: Client,
  lines: AsyncIterable<{ text: string; end: number }>,
  { from, onPart, mode, dry_run, on_duplicate, ...limit }: Sending,
): Promise<Answer> {
  let next = from?.cursor
  const send = async (part: string[], end: number) => {
    const input = { lines: part, ...given({ cursor: next, mode, dry_run, on_duplicate }) }
    const answer = await withRetry(limit, signal => client.importBundle(input, { signal }))
    next = answer.cursor ?? undefined
    await onPart(answer, end)
    return answer
  }
  let answer: Answer | undefined
  let last = from?.end ?? 0
  for await (const { part, end } of partsOf(lines)) {
    last = end
    answer = await send(part, end)
  }
  if (!answer && !next) throw new Error('There is nothing to send.')
  while (!answer?.done) answer = await send([], last)
  return answer
}

/** Lines in parts; a vector stays with its memory, and the policies stay together. */
async function* partsOf(lines: AsyncIterable<{ text: string; end: number }>) {
  let part: string[] = []
  let size = 0
  let end = 0
  for await (const line of lines) {
    const full = part.length >= MOST_LINES || size + line.text.length > MOST_BYTES
    if (full && !BOUND.test(line.text)) {
      yield { part, end }
      part = []
      size = 0
    }
    part.push(line.text)
    size += line.text.length
    end = line.end
  }
  if (part.length > 0) yield { part, end }
}

const BOUND = /^\{"section":"(vectors|policies)"/
