import { type Granularity, type Interval, type NamedTime, spanOf } from './span.ts'
import { anyOf, monthNames, plainForm, relativePhrases } from './words.ts'

/** Words of another language that mean something else: they count in this one alone. */
const onlyIn: Readonly<Record<string, string>> = { hier: 'french', ma: 'hungarian' }

/** The first month of each season in the northern half of the earth. */
const seasons: readonly (readonly [month: number, names: string])[] = [
  [
    2,
    'spring frühling frühjahr printemps primavera lente voorjaar vår våren forår foråret весна весны весной',
  ],
  [5, 'summer sommer sommeren sommar sommaren été verano verão estate zomer лето лета летом'],
  [
    8,
    'autumn fall herbst automne otoño outono autunno herfst höst hösten efterår efteråret осень осени осенью',
  ],
  [11, 'winter hiver invierno inverno vinter vintern vinteren зима зимы зимой'],
]
const seasonOf = new Map(
  seasons.flatMap(([month, names]) => names.split(' ').map(name => [name, month] as const)),
)

const OF = "(?:\\s*(?:de|del|di|do|d'|of|van|af|av|,)\\s*|\\s+)"
const YEAR = '(?<year>(?:19|20)\\d{2})'
/** A year or a month on its own is one after such a word: a port or a price is not. */
const IN =
  '(?:in|im|en|em|nel|i|w|w\\s+|в|во|of|during|since|from|before|after|until|seit|depuis|desde|dal|sinds|avant|antes\\s+de|с|до)\\s+(?:(?:dem\\s+)?(?:jahr|år|anno|ano|año)\\s+)?'

/** What finds a time in a plain text, and reads it; undefined if it is none. */
type Reader = { readonly pattern: RegExp; readonly read: (found: Found, now: number) => Interval | undefined }
type Found = { readonly text: string; readonly groups: Readonly<Record<string, string | undefined>> }

let readers: readonly Reader[] | undefined

/** The times that a plain text names by words of the calendar, in any of the languages. */
export function calendarTimes(text: string, now: number, language: string | null): NamedTime[] {
  readers ??= makeReaders()
  return readers.flatMap(({ pattern, read }) =>
    [...text.matchAll(pattern)].flatMap(({ 0: found, index, groups = {} }) => {
      const only = onlyIn[found]
      const span = only && only !== language ? undefined : read({ text: found, groups }, now)
      return span ? [{ ...span, at: index, text: found }] : []
    }),
  )
}

function makeReaders(): Reader[] {
  const phrases = relativePhrases()
  const months = monthNames()
  const month = `(?<month>${anyOf(months.keys())})`
  const monthOf = ({ groups }: Found) => months.get(plainForm(groups.month ?? '')) ?? 0
  return [
    reader(anyOf(phrases.keys()), ({ text }, now) => {
      const phrase = phrases.get(plainForm(text))
      return phrase && spanOf(now, phrase.unit, phrase.steps ?? -Number(/\p{Nd}+/u.exec(text)?.[0]))
    }),
    reader(`(?<day>\\d{1,2})(?:\\.|er|º|th|st|nd|rd)?${OF}${month}(?:${OF}${YEAR})?`, (found, now) =>
      dayOf(found, monthOf(found), now),
    ),
    reader(`${month}${OF}${YEAR}`, found => unitAt('month', found, monthOf(found))),
    reader(`(?<=${BEFORE}${IN})${month}`, (found, now) => lately('month', now, monthOf(found))),
    reader(`(?<season>${anyOf(seasonOf.keys())})${OF}${YEAR}`, found =>
      unitAt('quarter', found, seasonOf.get(found.groups.season ?? '') ?? 0),
    ),
    reader(`q(?<quarter>[1-4])\\s*[/-]?\\s*${YEAR}`, found =>
      unitAt('quarter', found, 3 * Number(found.groups.quarter) - 3),
    ),
    reader(`(?<=${BEFORE}${IN})${YEAR}(?![\\p{L}\\p{N}]|[-./:]\\d)`, found => unitAt('year', found, 0)),
    reader(
      `${YEAR}\\s*[年년](?:\\s*(?<month>\\d{1,2})\\s*[月월](?:\\s*(?<day>\\d{1,2})\\s*[日일])?)?`,
      found =>
        unitAt(
          found.groups.day ? 'day' : found.groups.month ? 'month' : 'year',
          found,
          Number(found.groups.month ?? 1) - 1,
        ),
    ),
  ]
}

const BEFORE = '(?<![\\p{L}\\p{N}])'

const reader = (pattern: string, read: Reader['read']): Reader => ({
  pattern: new RegExp(pattern, 'gu'),
  read,
})

/** Of a quarter its first month counts: a season is one too. */
function unitAt(unit: Granularity, { groups }: Found, month: number): Interval {
  const start = Date.UTC(Number(groups.year), month, Number(groups.day ?? 1))
  return unit === 'quarter' ? threeMonths(start) : spanOf(start, unit)
}

const threeMonths = (start: number): Interval => ({ from: start, until: spanOf(start, 'month', 2).until })

/** A day without a year is the last one that was. */
function dayOf(found: Found, month: number, now: number): Interval | undefined {
  const day = Number(found.groups.day)
  const year = found.groups.year === undefined ? new Date(now).getUTCFullYear() : Number(found.groups.year)
  const date = Date.UTC(year, month, day)
  if (new Date(date).getUTCDate() !== day) return undefined
  const isAhead = found.groups.year === undefined && date > now
  return spanOf(isAhead ? Date.UTC(year - 1, month, day) : date, 'day')
}

function lately(unit: Granularity, now: number, month: number): Interval {
  const year = new Date(now).getUTCFullYear()
  const start = Date.UTC(year, month, 1)
  return spanOf(start > now ? Date.UTC(year - 1, month, 1) : start, unit)
}
