import { inNumbers, MONTH_AND_DAY, MONTH_OF_YEAR, smallNumber, yearIn, yearsAgo } from './dates.ts'
import { DAY_MS, type Granularity, type Interval, lastOf, type Mention, spanOf } from './span.ts'
import {
  DECADES,
  DECADES_UNSPACED,
  decadeOf,
  FEW,
  FEW_BEHIND,
  IN,
  LAST,
  LAST_AFTER,
  NEXT,
  ON,
  SPAN_MARK,
  seasonOf,
  TO,
  WEEKEND,
} from './vocabulary.ts'
import {
  anyOf,
  countedUnits,
  monthNames,
  plainForm,
  relativePhrases,
  shortMonths,
  stepsOf,
  weekdayNames,
} from './words.ts'

/** Words of another language that mean something else: they count in this one alone. */
const onlyIn: Readonly<Record<string, string>> = { hier: 'french', ma: 'hungarian' }

const OF = "(?:\\s*(?:de|del|di|do|d'|of|van|af|av|,)\\s*|\\s+)"
const YEAR = '(?<year>(?:19|20)\\d{2})'
const YEAR_ALONE = `${YEAR}(?![\\p{L}\\p{N}]|[-./:]\\d)`
const BEFORE = '(?<![\\p{L}\\p{N}])'
const WEEK_MS = 7 * DAY_MS
const YEAR_MS = 365 * DAY_MS
/** “Heute Morgen”, “la mañana”: a part of a day has the name of the next one. */
const NOT_MORNING = '(?<!(?:heute|gestern|am|jeden|guten|la|esta)\\s+(?=morgen|mañana))'
/** “1 year and 2 months ago”: the last part alone would be another time. */
const NOT_ADDED = '(?<!(?:\\d|half)\\s\\p{L}{3,7}\\sand\\s)'
/** A day of a month, or several: “3-5 May”. */
const DAYS = `(?<![\\p{L}\\p{N}]|\\d[.:/-])(?:(?<first>\\d{1,2})\\.?\\s*(?:${TO}|${SPAN_MARK})\\s*)?(?<day>\\d{1,2})`
/** “5 may” is as often a verb: it is a day where a sentence begins, after such a word, or with “of”. */
const DAY_BEFORE_MAY = '(?:on|since|before|after|until|by|from|the|between|and|to)\\s+'

type Found = { readonly text: string; readonly groups: Readonly<Record<string, string | undefined>> }

/** What finds a time in a plain text, and reads it as the last one until `now`; undefined if it is none. */
type Reader = {
  readonly pattern: RegExp
  readonly read: (found: Found, now: number) => Interval | undefined
  readonly bare?: boolean
  /** After so long it comes again, unless the text names its year. */
  readonly every?: number
}

let readers: readonly Reader[] | undefined

/** The times that a plain text names by words of the calendar, in any of the languages. */
export function calendarTimes(text: string, now: number, language: string | null): Mention[] {
  readers ??= [...phraseReaders(), ...dateReaders(), ...monthReaders(), ...weekdayReaders(), ...yearReaders()]
  return readers.flatMap(({ pattern, read, bare, every }) =>
    [...text.matchAll(pattern)].flatMap(({ 0: found, index, groups = {} }): Mention[] => {
      // “D'hier” is French whatever the other words tell.
      const only = text[index - 1] === "'" ? undefined : onlyIn[found]
      const until = (time: number) => read({ text: found, groups }, time)
      const span = only && only !== language ? undefined : until(now)
      if (!span) return []
      const recurring =
        every !== undefined && groups.year === undefined ? { recurring: { every, until } } : {}
      return [{ ...span, at: index, text: found, ...(bare && { bare }), ...recurring }]
    }),
  )
}

function phraseReaders(): Reader[] {
  const phrases = relativePhrases()
  const units = countedUnits(phrases)
  const fewUntil = (text: string, now: number) => {
    const few = stepsOf(units, text)
    return few && lastOf(now, few.unit, -few.steps)
  }
  return [
    reader(`${NOT_MORNING}${NOT_ADDED}${anyOf(phrases.keys())}`, ({ text }, now) => {
      const phrase = stepsOf(phrases, text)
      return phrase && spanOf(now, phrase.unit, phrase.steps)
    }),
    reader(`${BEFORE}${FEW}\\s+(?<units>${anyOf(units.keys())})`, ({ groups }, now) =>
      fewUntil(groups.units ?? '', now),
    ),
    reader(`(?<number>\\d{1,2}|\\p{L}+)\\s+${FEW_BEHIND}\\s+(?<unit>\\p{L}+)`, ({ groups }, now) =>
      fewUntil(`${groups.number} ${groups.unit}`, now),
    ),
  ]
}

function dateReaders(): Reader[] {
  const ofDay = ({ text, groups }: Found, now: number) =>
    dayOf({ text, groups: { ...groups, year: yearIn(groups.year) } }, smallNumber(groups.month) - 1, now)
  const ofYear = ({ text, groups }: Found, now: number) => {
    const year = new Date(now).getUTCFullYear() - yearsAgo(groups.ago)
    if (groups.whole) return spanOf(Date.UTC(year, smallNumber(groups.whole) - 1), 'month')
    return ofDay({ text, groups: { ...groups, year: String(year) } }, now)
  }
  return [
    ...inNumbers.map(pattern => reader(pattern, ofDay)),
    reader(MONTH_AND_DAY, ofDay, { every: YEAR_MS }),
    reader(MONTH_OF_YEAR, ofYear),
  ]
}

function monthReaders(): Reader[] {
  const long = monthNames()
  const months = new Map([...long, ...shortMonths])
  const month = `(?<month>${anyOf(long.keys())})`
  const anyMonth = `(?<month>${anyOf(months.keys())})`
  const monthOf = ({ groups }: Found) => months.get(plainForm(groups.month ?? groups.late ?? '')) ?? 0
  const last = (found: Found, now: number) => lately(now, monthOf(found), 'month')
  const day = (found: Found, now: number) => dayOf(found, monthOf(found), now)
  const yearly = { every: YEAR_MS }
  return [
    reader(
      `${DAYS}(?<ordinal>\\.|er|º|th|st|nd|rd)?${OF}(?!(?<=(?<!^|\\d|${DAY_BEFORE_MAY})\\d{1,2}\\s+)may\\s+(?!of|in|\\d)\\p{L})${anyMonth}(?:${OF}${YEAR})?`,
      day,
      yearly,
    ),
    reader(`${anyMonth}\\.?\\s+${DAYS}(?:th|st|nd|rd)?(?!\\p{L}|[.:]?\\p{N})(?:,?\\s+${YEAR})?`, day, yearly),
    reader(`${anyMonth}\\.?${OF}${YEAR}`, found => unitAt('month', found, monthOf(found))),
    reader(`(?<=${BEFORE}${IN})(?!(?<=${BEFORE}i\\s+)(?:march|may))${month}`, last, yearly),
    reader(`${BEFORE}${LAST}\\s+${month}|${month.replace('month', 'late')}\\s+${LAST_AFTER}`, last),
    reader(month, last, { ...yearly, bare: true }),
    reader(
      '(?<![\\p{N}一二三四五六七八九十年]\\s?)(?<month>1[0-2]|[1-9]|十[一二]?|[一二三四五六七八九])\\s*[月월](?![曜\\p{N}])',
      ({ groups }, now) => lately(now, smallNumber(groups.month) - 1, 'month'),
      yearly,
    ),
  ]
}

function weekdayReaders(): Reader[] {
  const weekdays = weekdayNames()
  const [spaced, unspaced] = [false, true].map(kind =>
    anyOf([...weekdays.keys()].filter(name => /[\p{sc=Han}\p{sc=Hangul}]/u.test(name) === kind)),
  ) as [string, string]
  const day = `(?<weekday>${spaced})`
  const dayOfWeek = (name: string | undefined) => weekdays.get(plainForm(name ?? '')) ?? 0
  const last = ({ groups }: Found, now: number) => weekdayUntil(now, dayOfWeek(groups.weekday))
  const weekly = { every: WEEK_MS }
  return [
    reader(`(?<=${BEFORE}${ON}\\s+)${day}`, last, weekly),
    reader(`(?<weekday>${unspaced})`, last, weekly),
    reader(`${day}\\s+(?:morning|afternoon|evening|night)`, last, weekly),
    reader(`${BEFORE}${NEXT}\\s+${day}`, ({ groups }, now) =>
      weekdayUntil(now + WEEK_MS, dayOfWeek(groups.weekday)),
    ),
    reader(`${BEFORE}(?:${LAST}|this)\\s+${WEEKEND}|${WEEKEND}\\s+${LAST_AFTER}`, (_, now) => ({
      from: weekdayUntil(now - DAY_MS, 5).from,
      until: spanOf(weekdayUntil(now - DAY_MS, 5).from as number, 'week').until,
    })),
    reader(
      `${BEFORE}${LAST}\\s+${day}|${day.replace('weekday', 'late')}\\s+${LAST_AFTER}`,
      ({ groups }, now) => weekdayUntil(now - DAY_MS, dayOfWeek(groups.weekday ?? groups.late)),
    ),
    reader(day, last, { ...weekly, bare: true }),
  ]
}

function yearReaders(): Reader[] {
  const season = `(?<season>${anyOf(seasonOf.keys())})`
  const seasonIn = ({ groups }: Found) => seasonOf.get(groups.season ?? groups.late ?? '') ?? 0
  const inDecade = ({ groups }: Found) => spanOf(Date.UTC(decadeOf(groups.decade ?? ''), 0, 1), 'decade')
  return [
    reader(`${season}${OF}${YEAR}`, found => unitAt('quarter', found, seasonIn(found))),
    reader(
      `${BEFORE}${LAST}\\s+${season}|${season.replace('season', 'late')}\\s+${LAST_AFTER}`,
      (found, now) => lately(now, seasonIn(found), 'quarter'),
    ),
    reader(`q(?<quarter>[1-4])\\s*[/-]?\\s*${YEAR}`, found =>
      unitAt('quarter', found, 3 * Number(found.groups.quarter) - 3),
    ),
    reader(`(?<quarter>first|second|third|fourth|1st|2nd|3rd|4th)\\s+quarter${OF}${YEAR}`, found =>
      unitAt('quarter', found, 3 * ordinals.indexOf((found.groups.quarter ?? '').slice(0, 2)) - 3),
    ),
    reader(`(?<=${BEFORE}(?:${IN}|mid[\\s-]))${YEAR_ALONE}`, found => unitAt('year', found, 0)),
    reader(`${BEFORE}${YEAR_ALONE}`, found => unitAt('year', found, 0), { bare: true }),
    reader(
      `${YEAR}\\s*[年년](?:\\s*(?<month>\\d{1,2})\\s*[月월](?:\\s*(?<day>\\d{1,2})\\s*[日일])?)?`,
      found =>
        unitAt(
          found.groups.day ? 'day' : found.groups.month ? 'month' : 'year',
          found,
          Number(found.groups.month ?? 1) - 1,
        ),
    ),
    ...DECADES.map(pattern => reader(`${BEFORE}${pattern}(?![\\p{L}\\p{N}])`, inDecade)),
    reader(DECADES_UNSPACED, inDecade),
  ]
}

const ordinals = ['', 'fi', 'se', 'th', 'fo']

const reader = (
  pattern: string,
  read: Reader['read'],
  traits: Pick<Reader, 'bare' | 'every'> = {},
): Reader => ({ pattern: new RegExp(pattern, 'gu'), read, ...traits })

/** Of a quarter its first month counts: a season is one too. */
function unitAt(unit: Granularity, { groups }: Found, month: number): Interval {
  const start = Date.UTC(Number(groups.year), month, Number(groups.day ?? 1))
  return unit === 'quarter' ? threeMonths(start) : spanOf(start, unit)
}

const threeMonths = (start: number) => ({ from: start, until: spanOf(start, 'month', 2).until })

/** A day without a year is the last one that was. */
function dayOf(found: Found, month: number, now: number): Interval | undefined {
  const day = smallNumber(found.groups.day)
  const year = found.groups.year === undefined ? new Date(now).getUTCFullYear() : Number(found.groups.year)
  const date = Date.UTC(year, month, day)
  if (new Date(date).getUTCDate() !== day) return undefined
  const isAhead = found.groups.year === undefined && date > now
  const { from, until } = spanOf(isAhead ? Date.UTC(year - 1, month, day) : date, 'day')
  const days = day - Number(found.groups.first ?? day)
  return days < 0 ? undefined : { from: from - days * DAY_MS, until }
}

/** The last month that has begun, or the last season that is over. */
function lately(now: number, month: number, unit: 'month' | 'quarter'): Interval {
  const year = new Date(now).getUTCFullYear()
  const spans = [year, year - 1].map(each => {
    const start = Date.UTC(each, month, 1)
    return unit === 'quarter' ? threeMonths(start) : spanOf(start, unit)
  })
  const isPast = ({ from, until }: { from: number; until: number }) =>
    (unit === 'quarter' ? until : from) <= now
  return spans.find(isPast) ?? (spans[1] as Interval)
}

function weekdayUntil(now: number, weekday: number): Interval {
  const days = (new Date(now).getUTCDay() + 6 - weekday) % 7
  return spanOf(now - days * DAY_MS, 'day')
}
