/** A word, number or sign of a text, and how it is compared. */
export type Token = {
  readonly text: string
  readonly key: string
  readonly kind: 'word' | 'name' | 'number' | 'date' | 'unit' | 'negation'
}

const NUMBERS = 'zero one two three four five six seven eight nine ten eleven twelve'.split(' ')
const DAYS = 'monday tuesday wednesday thursday friday saturday sunday'.split(' ')
const MONTHS = 'january february march april may june july august september october november december'.split(
  ' ',
)
const SHORT_MONTHS = MONTHS.map(month => month.slice(0, 3))
const NEGATIONS = new Set(['not', 'no', 'never', 'without', 'neither', 'nobody', 'nothing', 'none'])

/** Units by one name, and how many of the smallest of their kind they are. */
const UNITS: Readonly<Record<string, readonly [string, number]>> = Object.fromEntries(
  (
    [
      ['s', 1, 'second seconds sec secs s'],
      ['s', 60, 'minute minutes min mins'],
      ['s', 3_600, 'hour hours h hrs'],
      ['s', 86_400, 'day days'],
      ['s', 604_800, 'week weeks'],
      ['month', 1, 'month months'],
      ['month', 12, 'year years'],
      ['ms', 1, 'ms millisecond milliseconds'],
      ['m', 1, 'm metre metres meter meters'],
      ['m', 1_000, 'km kilometre kilometres kilometer kilometers'],
      ['m', 1_609, 'mile miles'],
      ['g', 1, 'g gram grams'],
      ['g', 1_000, 'kg kilo kilos kilogram kilograms'],
      ['byte', 1e6, 'mb megabyte megabytes mib'],
      ['byte', 1e9, 'gb gigabyte gigabytes gib'],
      ['byte', 1e12, 'tb terabyte terabytes tib'],
      ['percent', 1, '% percent'],
      ['eur', 1, '€ eur euro euros'],
      ['usd', 1, '$ usd dollar dollars'],
      ['gbp', 1, '£ gbp pound pounds'],
      ['celsius', 1, 'celsius °c'],
      ['fahrenheit', 1, 'fahrenheit °f'],
    ] as const
  ).flatMap(([name, size, words]) => words.split(' ').map(word => [word, [name, size]])),
)

const TOKEN =
  /\d{4}-\d{2}-\d{2}|\d{1,2}:\d{2}|\d+(?:[.,]\d+)*|°[cf]|\p{L}[\p{L}\p{M}]*(?:['’.-]\p{L}+)*|[%€$£]/giu

/** The tokens of a text, with numbers, dates, times and contractions in one form. */
export function comparedTokens(text: string): Token[] {
  const tokens: Token[] = []
  for (const { 0: piece, index } of text.matchAll(TOKEN)) {
    const lower = piece.toLowerCase().replace('’', "'")
    const contraction = /^(\w+?)(?:n't)$/.exec(lower)?.[1]
    if (contraction !== undefined) {
      const verb = { ca: 'can', wo: 'will', sha: 'shall' }[contraction] ?? contraction
      tokens.push(word(verb, verb), { text: 'not', key: 'not', kind: 'negation' })
    } else if (lower === 'cannot')
      tokens.push(word('can', 'can'), { text: piece, key: 'not', kind: 'negation' })
    else tokens.push(tokenOf(piece, lower, startsSentence(text, index)))
  }
  return joined(tokens)
}

const word = (text: string, key: string): Token => ({ text, key, kind: 'word' })

const startsSentence = (text: string, at: number) =>
  /(?:^|[.!?:]\s*)$/.test(text.slice(Math.max(0, at - 3), at))

function tokenOf(text: string, lower: string, isFirst: boolean): Token {
  if (NEGATIONS.has(lower)) return { text, key: 'not', kind: 'negation' }
  if (/^\d{4}-\d/.test(lower)) return { text, key: lower, kind: 'date' }
  if (/^\d/.test(lower)) return { text, key: numberIn(lower), kind: 'number' }
  if (NUMBERS.includes(lower)) return { text, key: String(NUMBERS.indexOf(lower)), kind: 'number' }
  if (DAYS.some(day => lower === day || lower === `${day}s`))
    return { text, key: lower.replace(/s$/, ''), kind: 'date' }
  const month = MONTHS.indexOf(lower) >= 0 ? MONTHS.indexOf(lower) : SHORT_MONTHS.indexOf(lower)
  if (month >= 0 && /^\p{Lu}/u.test(text)) return { text, key: MONTHS[month] as string, kind: 'date' }
  if (lower in UNITS) return { text, key: lower, kind: 'unit' }
  if (!isFirst && /^\p{Lu}/u.test(text) && text !== 'I') return { text, key: lower, kind: 'name' }
  return word(text, stemOf(lower))
}

const numberIn = (text: string) =>
  text.includes(':')
    ? text.replace(/^0/, '')
    : String(Number(text.replaceAll(/,(?=\d{3}\b)/g, '').replace(',', '.')))

/** So that a verb is the same with and without its ending. */
const stemOf = (lower: string) => (lower.length > 4 ? lower.replace(/(?<=[^s])s$/, '') : lower)

/** Hours with am or pm as times of the day, days and months as one date, and amounts in the smallest unit of their kind. */
function joined(tokens: readonly Token[]): Token[] {
  const out: Token[] = []
  for (const token of tokens) {
    const last = out.at(-1)
    const half = /^(a|p)\.?m$/.exec(token.key)?.[1]
    if (last?.kind === 'number' && half !== undefined)
      out.splice(-1, 1, { ...last, key: inDay(last.key, half) })
    else if (last?.kind === 'number' && MONTHS.includes(token.key))
      out.splice(-1, 1, { text: `${last.text} ${token.text}`, key: `${token.key} ${last.key}`, kind: 'date' })
    else if (last && MONTHS.includes(last.key) && token.kind === 'number' && Number(token.key) <= 31)
      out.splice(-1, 1, { text: `${last.text} ${token.text}`, key: `${last.key} ${token.key}`, kind: 'date' })
    else out.push(token)
  }
  return out
}

function inDay(time: string, half: string): string {
  const [hour = '0', minute = '00'] = time.split(':')
  return `${(Number(hour) % 12) + (half === 'p' ? 12 : 0)}:${minute}`
}

/** An amount in the smallest unit of its kind; undefined if the tokens are no number and unit. */
export function amountOf([number, unit]: readonly Token[]): { amount: number; kind: string } | undefined {
  const [kind, size] = (unit?.kind === 'unit' && UNITS[unit.key]) || []
  if (number?.kind !== 'number' || kind === undefined || size === undefined) return undefined
  return { amount: Number(number.key) * size, kind }
}
