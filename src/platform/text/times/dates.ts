/** Dates that are written in numbers. */

const DAY = '(?<day>3[01]|[12]\\d|0?[1-9])'
const MONTH = '(?<month>1[0-2]|0?[1-9])'
const ALONE = '(?<![\\p{L}\\p{N}]|[\\p{L}\\p{N}][.:/-])'
const ENDS = '(?![\\p{L}\\p{N}]|[.:/-][\\p{L}\\p{N}])'

/** With dots the day stands first, or the year; with slashes the month. Without a year it is a date after such a word alone. */
export const inNumbers: readonly string[] = [
  `${ALONE}(?<year>(?:19|20)\\d\\d)-${MONTH}-${DAY}${ENDS}`,
  `${ALONE}${MONTH}/${DAY}/(?<year>(?:19|20)?\\d\\d)${ENDS}`,
  `${ALONE}${DAY}\\.\\s?${MONTH}\\.\\s?(?<year>(?:19|20)?\\d\\d)${ENDS}`,
  `${ALONE}(?<year>(?:19|20)\\d\\d)\\.\\s?${MONTH}\\.\\s?${DAY}${ENDS}`,
  `(?<=${ALONE}(?:am|dem|den|vom|zum|seit|ab|bis)\\s)${DAY}\\.${MONTH}\\.?${ENDS}`,
]

const SMALL = '[一二三四五六七八九]'
const DAY_SPOKEN = `(?<day>[12]\\d|3[01]|0?[1-9]|[二三]?十${SMALL}?|${SMALL})`
const MONTH_SPOKEN = `(?<![\\p{N}一二三四五六七八九十]\\s?)(?<month>1[0-2]|0?[1-9]|十[一二]?|${SMALL})\\s*[月월]`

/** A day of a month in Chinese, Japanese and Korean. */
export const MONTH_AND_DAY = `${MONTH_SPOKEN}\\s*${DAY_SPOKEN}\\s*[日号號일]`

const years: Readonly<Record<string, number>> = {
  ...{ 今年: 0, 올해: 0, 去年: 1, 昨年: 1, 작년: 1, 지난해: 1, 前年: 2, 一昨年: 2, 재작년: 2 },
}
const AGO = `(?<ago>${Object.keys(years).join('|')})の?\\s*`

/** A month of a year that is named by how long ago it was, or a day of it. */
export const MONTH_OF_YEAR = `${AGO}(?:${MONTH_AND_DAY}|${MONTH_SPOKEN.replace('month', 'whole')}(?![曜\\p{N}]))`

export const yearsAgo = (name = '') => years[name] ?? 0

/** Two digits of a year are of this century. */
export const yearIn = (text: string | undefined) => text && (text.length === 2 ? `20${text}` : text)

/** A number of one or two places, in digits or in Chinese signs. */
export function smallNumber(text = ''): number {
  if (/^\d+$/.test(text)) return Number(text)
  const [tens, ones] = text.includes('十') ? text.split('十') : ['0', text]
  const digit = (sign = '', otherwise = 0) => '一二三四五六七八九'.indexOf(sign) + 1 || otherwise
  return 10 * (tens === '0' ? 0 : tens === '' ? 1 : digit(tens)) + (ones === '' ? 0 : digit(ones))
}
