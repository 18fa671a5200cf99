import * as chrono from 'chrono-node'
import { DOTTED } from './dates.ts'
import { DAY_MS, type Granularity, type Mention, spanOf } from './span.ts'

const blanks = (text: string) => ' '.repeat(text.length)

type Parser = { parse(text: string, reference: chrono.ParsingReference): chrono.ParsedResult[] }

const parsers: Readonly<Record<string, Parser>> = {
  arabic: chrono.ar,
  dutch: chrono.nl,
  english: chrono.en,
  finnish: chrono.fi,
  french: chrono.fr,
  german: chrono.de,
  italian: chrono.it,
  portuguese: chrono.pt,
  russian: chrono.ru,
  spanish: chrono.es,
  swedish: chrono.sv,
}
const AHEAD = /next|coming|nächst|kommend|prochain|próxim|prossim|volgend|nästa|следующ/u
const COUNTED =
  /(?:last|past|letzten|vergangenen|derniers|dernières|últim[oa]s|ultim[ie]|laatste|последни[ех])\s+\S/u

/**
 * The times that a plain text names in the sentences of its language, as chrono reads them. It takes dates with dots for
 * American ones.
 */
export function spokenTimes(text: string, now: number, language: string | null): Mention[] {
  const parser = parsers[language ?? 'english'] ?? chrono.en
  return parser
    .parse(text.replaceAll(DOTTED, blanks), { instant: new Date(now), timezone: 0 })
    .filter(({ index, text: found }) => !isInWord(text, index, found) && !OTHERWISE.test(found))
    .flatMap(result => toTime(result, now))
}

/**
 * An identifier (`6may`), a word (`sun`), a fraction (`1/2`), a length (“for three days”) or how often something is (“in a
 * week”) far more often than a time. Months alone are read by the calendar, next to a word that makes them times.
 */
const OTHERWISE =
  /^(?:\d+\p{L}+|\p{L}{1,3}|\d{1,2}\/\d{1,2}|\d{1,2}\s+may|for\s.*|within\s.*|in\s+(?:a|an|one|the)\s+\p{L}+|march|april|june|july|august|segunda|terça|quarta|quinta|sexta)$/u

/** Letters of other alphabets than ASCII end a word for chrono. */
const isInWord = (text: string, at: number, found: string) =>
  /^\p{L}{2}$/u.test(text.slice(at + found.length - 1, at + found.length + 1)) ||
  /^\p{L}{2}$/u.test(text.slice(at - 1, at + 1))

function toTime({ index, text, start, end }: chrono.ParsedResult, now: number): Mention[] {
  const unit = unitOf(start, text)
  if (!unit) return []
  const from = pastOf(start, unit, text, now)
  const named = { at: index, text }
  if (end) return [{ ...named, ...spanTo(end, unit, from, now), isSpan: true }]
  if (COUNTED.test(text) && /\d|\s\S+\s/u.test(text))
    return [{ ...named, from: spanOf(from, 'day').from, until: now }]
  return [{ ...named, ...(WEEKEND.test(text) ? weekendOf(from) : spanOf(from, unit)) }]
}

/** What ends in the future by its name alone ended in the past. */
function spanTo(end: chrono.ParsedComponents, unit: Granularity, from: number, now: number) {
  const last = unitOf(end, '') ?? unit
  const until = spanOf(pastOf(end, last, '', now), last).until
  const isAfter = spanOf(from, unit).from >= until
  const first = isAfter ? from - (end.isCertain('month') ? 365 : 7) * DAY_MS : from
  return { from: spanOf(first, unit).from, until }
}

const WEEKEND = /week-?end|wochenende|fin de semana|fim de semana|helg/u
const weekendOf = (time: number) => ({
  from: spanOf(spanOf(time, 'week').from + 5 * DAY_MS, 'day').from,
  until: spanOf(time, 'week').until,
})

/** The finest unit of the calendar that the text names; none if it names a time of day alone. */
function unitOf(date: chrono.ParsedComponents, text: string): Granularity | undefined {
  if (date.isCertain('hour') && date.isCertain('second')) return undefined
  if (
    date.tags().has('result/relativeDate') &&
    /week|woche|semaine|seman|settiman|weken|veck|недел/u.test(text)
  )
    return 'week'
  if (date.isCertain('day') || date.isCertain('weekday')) return 'day'
  if (date.isCertain('month')) return 'month'
  if (date.isCertain('year')) return 'year'
  return PART_OF_DAY.test(text) ? 'day' : undefined
}

const PART_OF_DAY = /^this\s+(?:morning|afternoon|evening)$/u

const timeOf = (date: chrono.ParsedComponents) =>
  Date.UTC(date.get('year') ?? 0, (date.get('month') ?? 1) - 1, date.get('day') ?? 1)

/** Memories are of the past: a day or month without a year is the last one that was, unless the text says otherwise. */
function pastOf(date: chrono.ParsedComponents, unit: Granularity, text: string, now: number): number {
  const time = timeOf(date)
  if (time <= now || date.isCertain('year') || AHEAD.test(text)) return time
  if (date.isCertain('weekday') && !date.isCertain('month')) return time - 7 * DAY_MS
  return Date.UTC(
    (date.get('year') ?? 0) - 1,
    (date.get('month') ?? 1) - 1,
    unit === 'month' ? 1 : (date.get('day') ?? 1),
  )
}
