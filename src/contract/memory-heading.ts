import type { Memory } from './memory.ts'

type Said = Pick<Memory, 'speaker' | 'kind' | 'created_at' | 'valid_from' | 'valid_until'>
type Headed = Said & Pick<Memory, 'id' | 'policy' | 'source' | 'owner'>

const LONGEST_NAME = 100

/** Who said a memory, on which day it was said or became valid, and until when it holds, as every text form says it. */
export function whenSaid({ speaker, kind, created_at, valid_from, valid_until }: Said): string {
  const isTurn = kind === 'turn' && valid_from !== null
  const said = dayOf(isTurn ? valid_from : created_at)
  const from = isTurn ? null : valid_from
  const by = speaker === null ? said : `said by ${nameOf(speaker)} on ${said}`
  const holds = [
    ...(from === null ? [] : [`from ${dayOf(from)}`]),
    ...(valid_until === null ? [] : [`until ${dayOf(valid_until)}`]),
  ]
  return holds.length === 0 ? by : `${by}, valid ${holds.join(' ')},`
}

/** The line above the content of a memory. `short` shortens the source. */
export function headingOf(
  memory: Headed,
  tags: readonly string[],
  short: (source: string) => string,
): string {
  const { id, policy, source, owner } = memory
  return [
    id,
    whenSaid(memory),
    policy,
    ...tags.map(tag => `#${onOneLine(tag)}`),
    ...(source === null ? [] : [`from ${short(onOneLine(source))}`]),
    ...(owner === null ? [] : ['(private)']),
  ].join(' ')
}

/** A time of the ISO form in UTC, whose year may have a sign and six digits. */
const dayOf = (time: string) => time.slice(0, time.indexOf('T'))

/** A name that cannot be mistaken for what stands around it. */
const nameOf = (speaker: string) => onOneLine(Array.from(speaker).slice(0, LONGEST_NAME).join(''))

const onOneLine = (text: string) => text.replaceAll(/\s+/g, ' ')
