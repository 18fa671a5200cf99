/** A span of time in milliseconds, from inclusive to exclusive; null is without an end. */
export type Interval = { readonly from: number | null; readonly until: number | null }

/** A time that a text names, with the place and the words that name it. */
export type NamedTime = Interval & { readonly at: number; readonly text: string }

/** What may name a time in a text. */
export type Mention = NamedTime & {
  /** A word such as “March” alone: it names a time as an end of a span only. */
  readonly bare?: boolean
  /** It has both ends already. */
  readonly isSpan?: boolean
  /** What comes again each week or year: the last one until a time. */
  readonly recurring?: { readonly every: number; readonly until: (time: number) => Interval | undefined }
}

export type Granularity = 'day' | 'week' | 'month' | 'quarter' | 'year' | 'decade'

export const DAY_MS = 86_400_000

/** The calendar unit, in UTC, in which a time lies, or one so many units later. Weeks begin on Monday. */
export function spanOf(time: number, unit: Granularity, steps = 0): { from: number; until: number } {
  const start = startOf(time, unit)
  return { from: moved(start, unit, steps), until: moved(start, unit, steps + 1) }
}

function startOf(time: number, unit: Granularity): Date {
  const date = new Date(time)
  const [year, month, day] = [date.getUTCFullYear(), date.getUTCMonth(), date.getUTCDate()]
  if (unit === 'day') return utc(year, month, day)
  if (unit === 'week') return utc(year, month, day - ((date.getUTCDay() + 6) % 7))
  if (unit === 'decade') return utc(year - (year % 10), 0, 1)
  return utc(year, unit === 'year' ? 0 : unit === 'quarter' ? month - (month % 3) : month, 1)
}

/** The day so many units before a time, until that time. */
export const lastOf = (now: number, unit: Granularity, count: number) => ({
  from: moved(startOf(now, 'day'), unit, -count),
  until: now,
})

function moved(start: Date, unit: Granularity, steps: number): number {
  const [year, month, day] = [start.getUTCFullYear(), start.getUTCMonth(), start.getUTCDate()]
  if (unit === 'day' || unit === 'week') return +utc(year, month, day + steps * (unit === 'week' ? 7 : 1))
  return +utc(year, month + steps * { month: 1, quarter: 3, year: 12, decade: 120 }[unit], day)
}

const utc = (year: number, month: number, day: number) => new Date(Date.UTC(year, month, day))
