import { calendarTimes } from './calendar.ts'
import { rangesIn } from './ranges.ts'
import type { Mention, NamedTime } from './span.ts'
import { AFTER, AFTER_IN_DUTCH, BEFORE, SINCE, UNTIL } from './vocabulary.ts'
import { plain } from './words.ts'

/** No more of a text is read: other requests wait in the meantime. */
const READ_CHARACTERS = 400

/** No word for a time is as long, and patterns for times take long for one. */
const NO_WORD = /[\p{sc=Latin}\p{M}]{41,}/gu

/**
 * The first time that a text names, in the language given: “last week”, “im Frühjahr 2023”, “between March and May”.
 * Relative ones count from `now`, in UTC. Of several ways to read the same words the one of most words counts.
 */
export function timeIn(text: string, now: number, language: string | null): NamedTime | undefined {
  const read = plain(text.slice(0, READ_CHARACTERS)).replaceAll(NO_WORD, run => ' '.repeat(run.length))
  const mentions = calendarTimes(read, now, language)
  const times = [...rangesIn(read, mentions), ...mentions.filter(({ bare }) => !bare)]
  const [first] = times.toSorted((a, b) => b.text.length - a.text.length || a.at - b.at)
  return first && opened(first, read.slice(0, first.at), { now, language })
}

/** “Since” and “before” leave an end of the span open. */
function opened(
  { at, text, from, until, isSpan }: Mention,
  before: string,
  { now, language }: { now: number; language: string | null },
): NamedTime {
  const time = { at, text, from, until }
  if (isSpan) return time
  if (SINCE.test(before)) return { ...time, until: Math.max(now, until ?? now) }
  if (BEFORE.test(before)) return { ...time, from: null, until: from }
  if (UNTIL.test(before)) return { ...time, from: null }
  const isAfter = AFTER.test(before) || (language === 'dutch' && AFTER_IN_DUTCH.test(before))
  return isAfter ? { ...time, from: until, until: null } : time
}
