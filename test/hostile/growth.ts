const TIMES = 16
const [SHORT, LONG, LONGER] = [250, 4_000, 64_000]
/** So many microseconds of the processor tell a growth. For the long text, one step for each pair of its characters takes more. */
const TELLING = 1_000
const TRIES = 3
/** A try with so little growth ends the question. */
const CLEARLY = 1.5
/** The time for each character grows by 1 where the work is linear, and by `TIMES` where it is quadratic. */
const MOST = 6

/**
 * Whether the work for a text grows faster than the text, from a short text to a long one and on to a longer one. The same
 * number of characters is read once as one text and as several shorter ones, and the time of the processor is compared. Of
 * several tries the least time of each counts.
 */
export function growsFaster(work: (text: string) => unknown, textOf: (length: number) => string): boolean {
  const [short, long] = [textOf(SHORT), textOf(LONG)]
  if (timeOf(work, long, 1) < TELLING) return false
  return growsBetween(work, short, long) && growsBetween(work, long, textOf(LONGER))
}

function growsBetween(work: (text: string) => unknown, short: string, long: string): boolean {
  const least = { many: Infinity, one: Infinity }
  for (let tried = 0; tried < TRIES; tried++) {
    least.many = Math.min(least.many, timeOf(work, short, TIMES))
    least.one = Math.min(least.one, timeOf(work, long, 1))
    if (least.one < TELLING || least.one < CLEARLY * least.many) return false
  }
  return least.one >= MOST * least.many
}

/** Microseconds of this thread. Other programs of the machine do not count. */
function timeOf(work: (text: string) => unknown, text: string, times: number): number {
  const began = process.threadCpuUsage()
  for (let at = 0; at < times; at++) work(text)
  const { user, system } = process.threadCpuUsage(began)
  return user + system
}
