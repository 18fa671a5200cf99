import type { Interval, Mention } from './span.ts'
import { joinsBoth, joinsFrom, opensBoth, opensFrom } from './vocabulary.ts'

/** The spans between two times of a plain text: “between March and May”, “von Montag bis Mittwoch”. */
export function rangesIn(text: string, times: readonly Mention[]): Mention[] {
  return times.flatMap(first =>
    times.flatMap(second => {
      const end = first.at + first.text.length
      if (second.at < end || !isJoined(text, first, second)) return []
      const span = between(first, second)
      const whole = text.slice(first.at, second.at + second.text.length)
      return span ? [{ ...span, at: first.at, text: whole, isSpan: true }] : []
    }),
  )
}

/** Longer than any word that joins two times. */
const LONGEST_JOINT = 24

/** “To” joins two times after “from”, or if one of them is a time without it. */
function isJoined(text: string, first: Mention, second: Mention): boolean {
  const end = first.at + first.text.length
  if (second.at - end > LONGEST_JOINT) return false
  const joint = text.slice(end, second.at)
  const before = text.slice(Math.max(0, first.at - LONGEST_JOINT), first.at)
  const named = !first.bare || !second.bare
  return (
    (joinsBoth.test(joint) && opensBoth.test(before)) ||
    (joinsFrom.test(joint) && (opensFrom.test(before) || named))
  )
}

/** What comes again is the one next to the other end. */
function between(first: Mention, second: Mention): Interval | undefined {
  const late =
    second.recurring && namesYear(first) && first.from !== null
      ? (second.recurring.until(first.from + second.recurring.every - 1) ?? second)
      : second
  const isAfter = first.from !== null && late.until !== null && first.from >= late.until
  const early =
    first.recurring && late.from !== null && (isAfter || namesYear(second))
      ? (first.recurring.until(late.from) ?? first)
      : first
  const span = { from: early.from, until: late.until }
  return span.from !== null && span.until !== null && span.from < span.until ? span : undefined
}

const namesYear = ({ text }: Mention) => /(?:19|20)\d{2}/.test(text)
