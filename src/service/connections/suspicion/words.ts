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

/** Units by each name: the kind, how many of the smallest of the kind they are, and the first name. */
const UNITS: Readonly<Record<string, readonly [string, number, string]>> = Object.fromEntries(
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
  ).flatMap(([name, size, all]) => {
    const words = all.split(' ')
    return words.map(word => [word, [name, size, words[0] as string]])
  }),
)
const MONEY = new Set(['€', '$', '£'])
const FACTORS: Readonly<Record<string, number>> = { k: 1e3, thousand: 1e3, million: 1e6, billion: 1e9 }
const FACTORS_OF_MONEY: Readonly<Record<string, number>> = { m: 1e6, mn: 1e6, b: 1e9, bn: 1e9 }

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
  return joined(multiplied(tokens))
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
  const [, , unit] = UNITS[lower] ?? []
  if (unit !== undefined) return { text, key: unit, kind: 'unit' }
  if (!isFirst && /^\p{Lu}/u.test(text) && text !== 'I') return { text, key: lower, kind: 'name' }
  return word(text, stemOf(lower))
}

const numberIn = (text: string) =>
  text.includes(':')
    ? text.replace(/^0/, '')
    : String(Number(text.replaceAll(/,(?=\d{3}\b)/g, '').replace(',', '.')))

/** So that a verb is the same with and without its ending. */
const stemOf = (lower: string) => (lower.length > 4 ? lower.replace(/(?<=[^s])s$/, '') : lower)

/** Numbers with what multiplies them as one number, and signs of money behind their number. */
function multiplied(tokens: readonly Token[]): Token[] {
  const out: Token[] = []
  for (const [at, token] of tokens.entries()) {
    const last = out.at(-1)
    const isMoney = [out.at(-2), tokens[at + 1]].some(near => near?.kind === 'unit' && MONEY.has(near.key))
    const factor = FACTORS[token.key] ?? (isMoney ? FACTORS_OF_MONEY[token.key] : undefined)
    if (last?.kind === 'number' && factor !== undefined && !last.key.includes(':'))
      out.splice(-1, 1, {
        ...last,
        text: `${last.text}${token.key.length > 2 ? ' ' : ''}${token.text}`,
        key: times(last.key, factor),
      })
    else out.push(token)
  }
  for (const [at, { key }] of out.entries()) {
    const number = out[at + 1]
    if (MONEY.has(key) && number?.kind === 'number' && out[at - 1]?.kind !== 'number')
      out.splice(at, 2, number, out[at] as Token)
  }
  return out
}

const times = (number: string, factor: number) => String(Number((Number(number) * factor).toPrecision(12)))

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
