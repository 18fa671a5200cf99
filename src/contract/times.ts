import { z } from 'zod'

/** What RFC 3339 can write of a time in UTC. */
const years = { first: Date.parse('0000-01-01T00:00:00Z'), last: Date.parse('9999-12-31T23:59:59.999Z') }

const iso = z.iso.datetime({ offset: true })

const DAY = /^\d{4}-\d\d-\d\d$/
const WITHOUT_ZONE = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?$/
const WITHOUT_SECONDS = /T\d\d:\d\d(?=$|Z|[+-]\d\d)/
/** A query turns a plus that is not encoded into a blank. */
const LOST_PLUS = /^\d{4}-\d\d-\d\dT\d\d:\d\d\S* \d\d:\d\d$/

const WANTED =
  'must be a time such as 2026-11-23T08:30:00Z (RFC 3339), or a day such as 2026-11-23; both are in UTC unless they have a zone'
const ENCODED = 'has a blank where + stands. In an address, write + as %2B: 2026-11-23T08:30:00%2B01:00'
const TOO_FAR = 'must be between the years 0000 and 9999 in UTC'

/** The one reader of times: a day is its first moment, and what has no zone is in UTC. */
const inUtc = (text: string): string => {
  const time = text
    .replace(/^(\d{4}-\d\d-\d\d)[ t](?=\d\d:)/, '$1T')
    .replace(/z$/, 'Z')
    .replace(WITHOUT_SECONDS, '$&:00')
  if (DAY.test(time)) return `${time}T00:00:00Z`
  return WITHOUT_ZONE.test(time) ? `${time}Z` : time
}

/** A time, or one of these words. */
const moment = (words: readonly string[]) =>
  z
    .string()
    .overwrite(inUtc)
    .check(({ value, issues }) => {
      if (words.includes(value)) return
      const message = faultOf(value)
      if (message) issues.push({ code: 'invalid_format', format: 'datetime', input: value, message })
    })

function faultOf(time: string): string | undefined {
  if (!iso.safeParse(time).success) return LOST_PLUS.test(time) ? ENCODED : WANTED
  const at = Date.parse(time)
  return at < years.first || at > years.last ? TOO_FAR : undefined
}

export const timestamp = moment([])
  .meta({ format: 'date-time', examples: ['2026-11-20T09:15:30.412Z'] })
  .describe(
    'A time in RFC 3339 format, or a day. Both are in UTC unless they have a zone. Responses use UTC with milliseconds.',
  )

/** What may stand for a time at which something holds. */
export const momentWords = ['now', 'any'] as const

/** A time at which something holds. */
export const heldAt = moment(momentWords)
