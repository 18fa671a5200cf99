import type { Memory, RelationshipType } from './types.ts'

/** How a type is called: `CAUSED_BY` is “caused by”. */
export const nameOf = (type: RelationshipType) => type.toLowerCase().replaceAll('_', ' ')

/** The first words of a memory, as its name in a drawing or a list. */
export function titleOf({ content }: Pick<Memory, 'content'>, length = 60): string {
  const lines = content.split('\n').map(each =>
    each
      .replaceAll(/<[^>]*>?/g, ' ')
      .replace(/^[\s#>*\-=`]+/, '')
      .trim(),
  )
  const line = lines.find(each => /[\p{L}\p{N}]/u.test(each)) ?? content.trim()
  return line.length > length ? `${line.slice(0, length - 1).trimEnd()}…` : line
}

/** Two digits for what lies between 0 and 1. */
export const formatFraction = (value: number) => value.toFixed(2)

export const count = (amount: number, one: string, many = `${one}s`) =>
  `${amount.toLocaleString('en')} ${amount === 1 ? one : many}`

export const memories = (amount: number) => count(amount, 'memory', 'memories')

const relative = new Intl.RelativeTimeFormat('en', { numeric: 'auto' })
const steps = [
  ['second', 60],
  ['minute', 60],
  ['hour', 24],
  ['day', 30],
  ['month', 12],
  ['year', Number.POSITIVE_INFINITY],
] as const

/** A time as seen from now: “3 hours ago”, “in 2 days”. */
export function whenever(time: string): string {
  let amount = (Date.parse(time) - Date.now()) / 1000
  for (const [unit, size] of steps) {
    if (Math.abs(amount) < size) return relative.format(Math.round(amount), unit)
    amount /= size
  }
  return time
}
