const [SHORT, LONG] = [250, 4_000]
const TIMES = LONG / SHORT
/** So many microseconds of the processor tell a growth. For the long text, one step for each pair of its characters takes more. */
const TELLING = 1_000
const TRIES = 8
/** Linear work grows by 1 for each character, quadratic by `TIMES`. */
const MOST = 6

/**
 * Whether the work for a text grows faster than the text: the same number of characters is read once as one long text and
 * as many short ones, and the time of the processor is compared. Of several tries the least growth counts.
 */
export function growsFaster(work: (text: string) => unknown, textOf: (length: number) => string): boolean {
  const [short, long] = [textOf(SHORT), textOf(LONG)]
  if (timeOf(work, long, 1) < TELLING) return false
  for (let tried = 0; tried < TRIES; tried++) {
    const many = timeOf(work, short, TIMES)
    const one = timeOf(work, long, 1)
    if (one < MOST * many || one < TELLING) return false
  }
  return true
}

/** Microseconds of this thread. Other programs of the machine do not count. */
function timeOf(work: (text: string) => unknown, text: string, times: number): number {
  const began = process.threadCpuUsage()
  for (let at = 0; at < times; at++) work(text)
  const { user, system } = process.threadCpuUsage(began)
  return user + system
}
