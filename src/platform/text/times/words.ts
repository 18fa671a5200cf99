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
export type Phrase = { readonly unit: Granularity; readonly steps: number | undefined }

const units: readonly Granularity[] = ['day', 'week', 'month', 'quarter', 'year']
/** Their forms differ in languages with several plurals. */
const numbers = [1, 2, 5]

/** What people call the units around the present one in each language, with # for a number: “last week”, “hace # semanas”. */
export function relativePhrases(): ReadonlyMap<string, Phrase> {
  const phrases = new Map<string, Phrase>()
  for (const locale of locales) {
    const named = new Intl.RelativeTimeFormat(locale, { numeric: 'auto' })
    const counted = new Intl.RelativeTimeFormat(locale, { numeric: 'always' })
    for (const unit of units) {
      for (const number of numbers) add(counted.format(-number, unit), { unit, steps: undefined })
      for (const steps of [-2, -1, 0]) add(named.format(steps, unit), { unit, steps })
    }
  }
  return phrases

  function add(text: string, phrase: Phrase) {
    const key = plainForm(text)
    if (key.includes('#') === (phrase.steps === undefined) && !phrases.has(key)) phrases.set(key, phrase)
  }
}

/** The months by their names, as they stand alone and next to a day. */
export function monthNames(): ReadonlyMap<string, number> {
  const names = new Map<string, number>()
  for (const locale of locales)
    for (const form of [{ month: 'long' }, { month: 'long', day: 'numeric' }] as const) {
      const format = new Intl.DateTimeFormat(locale, { ...form, timeZone: 'UTC' })
      for (let month = 0; month < 12; month++) {
        const parts = format.formatToParts(Date.UTC(2023, month, 15))
        const name = parts.find(({ type }) => type === 'month')?.value ?? ''
        if (/\p{L}{3}/u.test(name)) names.set(plainForm(name), month)
      }
    }
  return names
}

/** A phrase without what may differ where it is used: its number, its case, its kind of blanks. */
export const plainForm = (text: string) =>
  plain(text)
    .replaceAll(/\s+/gu, ' ')
    .replace(/\p{Nd}+/u, '#')

export const plain = (text: string) => text.normalize('NFC').replaceAll('’', "'").toLowerCase()

/** What finds one of the phrases in a plain text. Scripts without spaces have no ends of words. */
export function anyOf(phrases: Iterable<string>): string {
  const keys = [...phrases]
  const [unspaced, spaced] = [keys.filter(isUnspaced), keys.filter(key => !isUnspaced(key))]
  const either = (all: string[]) =>
    all
      .sort((a, b) => b.length - a.length)
      .map(toPattern)
      .join('|')
  return `(?:(?<![\\p{L}\\p{N}])(?:${either(spaced)})(?![\\p{L}\\p{N}])|${either(unspaced) || '(?!)'})`
}

const isUnspaced = (key: string) => /[\p{sc=Han}\p{sc=Hiragana}\p{sc=Hangul}]/u.test(key)

const toPattern = (key: string) =>
  key
    .replaceAll(/[.*+?^${}()|[\]\\]/g, '\\$&')
    .replaceAll(' ', '\\s+')
    .replaceAll('#', '\\d{1,2}')
