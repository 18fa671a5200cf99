import type { Granularity } from './span.ts'

/** The languages whose words of time are read, as Unicode names them. */
const locales = [
  ...[
    'ar',
    'da',
    'nl',
    'en',
    'fi',
    'fr',
    'de',
    'el',
    'hi',
    'hu',
    'it',
    'nb',
    'pt',
    'ro',
    'ru',
    'es',
    'sv',
    'tr',
  ],
  ...['zh', 'ja', 'ko'],
]

/** A unit of the calendar, so many after the present one; without steps a number in the text says how many before it. */
export type Phrase = {
  readonly unit: Granularity
  readonly steps: number | undefined
  readonly isAhead?: boolean
}

const units = ['day', 'week', 'month', 'quarter', 'year'] as const
/** Their forms differ in languages with several plurals. */
const numbers = [1, 2, 5]

/** What ICU does not name. */
const english: readonly (readonly [name: string, unit: Phrase['unit'], steps: number])[] = [
  ['this morning', 'day', 0],
  ['this afternoon', 'day', 0],
  ['this evening', 'day', 0],
  ['tonight', 'day', 0],
  ['last night', 'day', -1],
  ['the day before yesterday', 'day', -2],
  ['a couple of days ago', 'day', -2],
  ['a couple of weeks ago', 'week', -2],
  ['half a year ago', 'month', -6],
]

/** What people call the units around the present one in each language, with # for a number: “last week”, “hace # semanas”. */
export function relativePhrases(): ReadonlyMap<string, Phrase> {
  const phrases = new Map<string, Phrase>(english.map(([name, unit, steps]) => [name, { unit, steps }]))
  for (const locale of locales) {
    const named = new Intl.RelativeTimeFormat(locale, { numeric: 'auto' })
    const counted = new Intl.RelativeTimeFormat(locale, { numeric: 'always' })
    for (const unit of units) {
      for (const number of numbers) {
        add(counted.format(-number, unit), { unit, steps: undefined })
        add(counted.format(number, unit), { unit, steps: undefined, isAhead: true })
      }
      for (const steps of [-2, -1, 0, 1]) add(named.format(steps, unit), { unit, steps })
    }
  }
  return phrases

  function add(text: string, phrase: Phrase) {
    const key = plainForm(text)
    if (key.includes('#') === (phrase.steps === undefined) && !phrases.has(key)) phrases.set(key, phrase)
    if (key.startsWith('last ')) phrases.set(key.replace('last', 'past'), phrase)
  }
}

/** The units behind a number, from the phrases: “# semanas”. */
export const countedUnits = (phrases: ReadonlyMap<string, Phrase>): ReadonlyMap<string, Phrase> =>
  new Map(
    [...phrases].flatMap(([key, phrase]) => {
      const unit = /#\s[\p{L}\p{M}]+/u.exec(key)?.[0]
      return unit && !phrase.isAhead ? [[unit, phrase] as const] : []
    }),
  )

/** The months by their names, as they stand alone and next to a day. */
export function monthNames(): ReadonlyMap<string, number> {
  const names = new Map<string, number>()
  for (const locale of locales)
    for (const form of [{ month: 'long' }, { month: 'long', day: 'numeric' }] as const) {
      const format = new Intl.DateTimeFormat(locale, { ...form, timeZone: 'UTC' })
      for (let month = 0; month < 12; month++) {
        const parts = format.formatToParts(Date.UTC(2023, month, 15))
        const name = parts.find(({ type }) => type === 'month')?.value ?? ''
        if (/\p{L}{3}/u.test(name)) for (const each of casesOf(plainForm(name))) names.set(each, month)
      }
    }
  return names
}

/** As English shortens the months, next to a day or a year alone. */
export const shortMonths: ReadonlyMap<string, number> = new Map(
  'jan feb mar apr may jun jul aug sep oct nov dec sept'
    .split(' ')
    .map((name, at) => [name, at === 12 ? 8 : at]),
)

/** A phrase without what may differ where it is used: its number, its case, its kind of blanks. */
export const plainForm = (text: string) =>
  plain(text)
    .replaceAll(/\s+/gu, ' ')
    .replace(/\p{Nd}+/u, '#')

export const plain = (text: string) =>
  text
    .normalize('NFC')
    .replaceAll('’', "'")
    .replaceAll(/[０-９]/g, digit => String.fromCharCode(digit.charCodeAt(0) - 0xfee0))
    .toLowerCase()

/** A Russian name in the cases in which it stands next to a preposition; any other as it is. */
function casesOf(name: string): string[] {
  if (!/^\p{sc=Cyrillic}+$/u.test(name)) return [name]
  const [, stem = '', end = ''] = /^(.*?)([ьйаея]?)$/u.exec(name) ?? []
  return [name, ...(endings[end] ?? []).map(each => `${stem}${each}`)]
}

const endings: Readonly<Record<string, readonly string[]>> = {
  ь: ['я', 'ю', 'ем', 'е'],
  й: ['я', 'ю', 'ем', 'е'],
  а: ['у', 'ы', 'ой', 'е'],
  е: ['я', 'ю', 'ем'],
  '': ['а', 'у', 'ом', 'е'],
}

/** The days of the week by their names, Monday first. */
export function weekdayNames(): ReadonlyMap<string, number> {
  const names = new Map<string, number>()
  for (const locale of locales) {
    const format = new Intl.DateTimeFormat(locale, { weekday: 'long', timeZone: 'UTC' })
    for (let day = 0; day < 7; day++)
      for (const each of casesOf(plainForm(format.format(Date.UTC(2024, 0, 1 + day))))) names.set(each, day)
  }
  return names
}

/** Small numbers as people write them out. */
const spoken = [
  'one a an ein eine einem einer einen un une una uno um uma een één ett et один одну одна yksi yhden 一',
  'two zwei deux dos dois duas due twee två to два две kaksi 二 两 兩',
  'three few several einige quelques unos unas algunos drei trois tres três tre drie три kolme 三',
  'four vier quatre cuatro quatro quattro fyra fire четыре neljä 四',
  'five fünf cinq cinco cinque vijf fem пять viisi 五',
  'six sechs seis sei zes sex seks шесть kuusi 六',
  'seven sieben sept siete sete sette zeven sju syv семь seitsemän 七',
  'eight acht huit ocho oito otto åtta otte восемь kahdeksan 八',
  'nine neun neuf nueve nove negen nio ni девять yhdeksän 九',
  'ten zehn dix diez dez dieci tien tio ti десять kymmenen 十',
]
const numberOf = new Map(spoken.flatMap((words, at) => words.split(' ').map(word => [word, at + 1] as const)))

/** A number in digits or in words. */
const toNumber = (text: string): number | undefined =>
  /^\p{Nd}+$/u.test(text) ? Number(text) : numberOf.get(text)

/** How many units from the present a found phrase is; undefined for one whose number is none. */
export function stepsOf(
  phrases: ReadonlyMap<string, Phrase>,
  found: string,
): { unit: Granularity; steps: number } | undefined {
  const key = plainForm(found)
  const named = phrases.get(key)
  if (named?.steps !== undefined) return { unit: named.unit, steps: named.steps }
  for (const word of plain(found).match(/\p{Nd}+|[一二三四五六七八九十两兩]|[\p{L}\p{M}]+/gu) ?? []) {
    const number = toNumber(word)
    const phrase = number === undefined ? undefined : phrases.get(plainForm(found).replace(word, '#'))
    const counted = phrase ?? (number === undefined ? undefined : named)
    if (!counted || number === undefined) continue
    // “In a week” is as often how often something is.
    if (counted.isAhead) return number > 1 ? { unit: counted.unit, steps: number } : undefined
    return { unit: counted.unit, steps: -number }
  }
  return undefined
}

/** What finds one of the phrases in a plain text. Scripts without spaces have no ends of words. */
export function anyOf(phrases: Iterable<string>): string {
  const keys = [...phrases]
  const [unspaced, spaced] = [keys.filter(isUnspaced), keys.filter(key => !isUnspaced(key))]
  const either = (all: string[]) =>
    all
      .sort((a, b) => b.length - a.length)
      .map(toPattern)
      .join('|')
  return `(?:(?<![\\p{L}\\p{N}])(?:${either(spaced) || '(?!)'})(?![\\p{L}\\p{N}])|${either(unspaced) || '(?!)'})`
}

const isUnspaced = (key: string) => /[\p{sc=Han}\p{sc=Hiragana}\p{sc=Hangul}]/u.test(key)

const toPattern = (key: string) =>
  key
    .replaceAll(/[.*+?^${}()|[\]\\]/g, '\\$&')
    .replaceAll(' ', '\\s+')
    .replaceAll('#', isUnspaced(key) ? '(?:\\d{1,2}|[一二三四五六七八九十两兩])' : `(?:\\d{1,2}|${NUMERAL})`)

/** A word that may be a number. V8 compiles each place of a class of all letters for a millisecond, and there are 300. */
const NUMERAL = '[^\\s!-@\\[-`{-\u00bf\u2000-\u206f\u3000-\u303f]+'
