import { hash } from 'node:crypto'

/** What other tools write where they mean a text, a list of texts or a time. */

/** A text with something in it, or a number as one. */
export function readTextOf(value: unknown): string | undefined {
  if (typeof value === 'number') return String(value)
  return typeof value === 'string' && value.trim() !== '' ? value : undefined
}

/** The texts of a list, or of a text that is divided by commas. */
export function textsOf(value: unknown): string[] {
  const items = typeof value === 'string' ? value.split(',') : Array.isArray(value) ? value : []
  return items.flatMap(item => readTextOf(item)?.trim() ?? [])
}

/** Seconds since 1970 stay below this until the year 5138; milliseconds are above it since 1973. */
const LARGEST_SECONDS = 1e11
const LAST = Date.parse('9999-12-31T23:59:59.999Z')

/** The end of the day of a date, in UTC; of a time the time itself. */
export function readEnd(value: unknown): string | undefined {
  const time = readTime(value)
  if (!time?.endsWith('T00:00:00.000Z')) return time
  return new Date(Math.min(Date.parse(time) + DAY_MS, LAST)).toISOString()
}

const DAY_MS = 86_400_000

/** A time between 1970 and 9999: a text, in UTC unless it names a zone, or seconds or milliseconds since 1970. */
export function readTime(value: unknown): string | undefined {
  const number = typeof value === 'number' ? value : numberIn(value)
  const time =
    number !== undefined
      ? Math.round(number * (Math.abs(number) < LARGEST_SECONDS ? 1_000 : 1))
      : typeof value === 'string'
        ? Date.parse(withZone(value.trim()))
        : Number.NaN
  return time >= 0 && time <= LAST ? new Date(time).toISOString() : undefined
}

const numberIn = (value: unknown) =>
  typeof value === 'string' && /^\d{9,13}(\.\d+)?$/.test(value.trim()) ? Number(value) : undefined

/** Neo4j writes the name of the zone behind the time; JavaScript takes a time without a zone as local. */
function withZone(text: string): string {
  const bare = text.replace(/\[[^[\]]*\]$/, '')
  const [, day, time, zone = ''] =
    /^(\d{4}-\d{2}-\d{2})[ T](\d{2}:\d{2}(?::\d{2}(?:[.,]\d+)?)?) ?(Z|UTC|[+-]\d{2}:?\d{2})?$/i.exec(bare) ??
    []
  if (day === undefined || time === undefined) return bare
  return `${day}T${time.replace(',', '.')}${zone === '' || /utc/i.test(zone) ? 'Z' : zone.toUpperCase()}`
}

/** The beginning of the SHA-256 of a text, by which it is known again in the next run. */
export const digest = (text: string, characters = 64) => hash('sha256', text).slice(0, characters)
