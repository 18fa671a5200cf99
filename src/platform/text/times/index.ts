import { calendarTimes } from './calendar.ts'
import { spokenTimes } from './sentences.ts'
import type { NamedTime } from './span.ts'
import { plain } from './words.ts'

/** No more of a text is read: other requests wait in the meantime. */
const READ_CHARACTERS = 400

const SINCE =
  /(?:since|seit|depuis|desde|dal|dalla|sinds|sedan|siden|с)\s*(?:the\s+|dem\s+|le\s+|el\s+|il\s+)?$/u
const BEFORE =
  /(?:before|until|avant|antes\s+de|antes\s+do|prima\s+del|voor|före|før|до)\s*(?:the\s+|dem\s+|le\s+|el\s+|il\s+)?$/u
const AFTER =
  /(?:after|nach|après|después\s+de|depois\s+de|dopo|na|efter|etter|после)\s*(?:the\s+|dem\s+|le\s+|el\s+|il\s+)?$/u

/**
 * The first time that a text names, in the language given: “last week”, “im Frühjahr 2023”, “on 3 May”. Relative ones
 * count from `now`, in UTC. Of several ways to read the same words the one of most words counts.
 */
export function timeIn(text: string, now: number, language: string | null): NamedTime | undefined {
  const read = plain(text.slice(0, READ_CHARACTERS))
  const times = [...calendarTimes(read, now, language), ...spokenTimes(read, now, language)]
  const [first] = times.toSorted((a, b) => b.text.length - a.text.length || a.at - b.at)
  return first && opened(first, read.slice(0, first.at), now)
}

/** “Since” and “before” leave an end of the span open. */
function opened(time: NamedTime, before: string, now: number): NamedTime {
  if (SINCE.test(before)) return { ...time, until: Math.max(now, time.until ?? now) }
  if (BEFORE.test(before)) return { ...time, from: null, until: time.from }
  return AFTER.test(before) ? { ...time, from: time.until, until: null } : time
}
