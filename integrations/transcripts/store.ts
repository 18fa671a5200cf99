import type { Client } from '../../src/client.ts'
import type { Input } from '../../src/contract/index.ts'
import { type RetryOptions, withRetry } from '../../src/retry.ts'
import type { FoundTurn } from './reading.ts'

const AT_A_TIME = 500
/** No character takes more than three bytes for each of its code units, so that a part fits into a memory. */
const LONGEST = 33_000
const LONGEST_NAME = 200

/** Of all turns that are stored. */
export type TurnFields = Pick<Input<'addTurns'>, 'policy' | 'ttl_seconds' | 'tags'>

type StoreOptions = RetryOptions & { fields?: TurnFields; onProgress?: (sent: number) => void }

/** Stores turns by their sessions, each turn once: what is stored already is left as it is. Returns how many are new. */
export async function storeTurns(
  client: Client,
  host: string,
  turns: readonly FoundTurn[],
  { fields, onProgress, ...retry }: StoreOptions,
): Promise<number> {
  let stored = 0
  let sent = 0
  for (const [session, all] of Map.groupBy(turns, each => each.session)) {
    const project = all.find(each => each.project !== undefined)?.project
    for (const part of batches(all.flatMap(inParts))) {
      const input = {
        session_id: session.slice(0, LONGEST_NAME),
        turns: part,
        source: host,
        metadata: { host, ...(project !== undefined && { project }) },
        ...fields,
      }
      stored += (await withRetry(retry, signal => client.addTurns(input, { signal }))).stored
      sent += part.length
      onProgress?.(sent)
    }
  }
  return stored
}

type Turn = Input<'addTurns'>['turns'][number]

/** A turn that is longer than a memory may be is stored in parts. */
function inParts({ speaker, text, time }: FoundTurn): Turn[] {
  const plain = text.replaceAll('\0', '').toWellFormed()
  const parts: string[] = []
  for (let from = 0; from < plain.length; ) {
    const end = from + LONGEST
    const isInside = /[\uD800-\uDBFF]/.test(plain[end - 1] ?? '')
    parts.push(plain.slice(from, isInside ? end - 1 : end))
    from = isInside ? end - 1 : end
  }
  const start = Date.parse(time)
  return parts
    .map((part, at) => ({
      speaker: speaker.slice(0, LONGEST_NAME),
      text: part,
      time: at === 0 ? time : new Date(start + at).toISOString(),
    }))
    .filter(part => part.text.trim() !== '')
}

/** At most 500 turns a call, and well below what a request may have. */
function batches(turns: readonly Turn[]): Turn[][] {
  const all: Turn[][] = []
  let room = 0
  for (const turn of turns) {
    const last = all.at(-1)
    room -= turn.text.length
    if (last === undefined || last.length === AT_A_TIME || room < 0) {
      all.push([turn])
      room = MOST_CHARACTERS - turn.text.length
    } else last.push(turn)
  }
  return all
}

const MOST_CHARACTERS = 1_000_000
