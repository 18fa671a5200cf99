/** Milliseconds of work after which other requests run. */
const SLICE_MS = 5

const waiting: (() => void)[] = []

/** One slice runs in each turn of the event loop, however much work is cut: a short request waits for one of them, not for all. */
const nextTurn = () =>
  new Promise<void>(resolve => {
    if (waiting.push(resolve) === 1) setImmediate(runOne)
  })

function runOne() {
  waiting.shift()?.()
  if (waiting.length > 0) setImmediate(runOne)
}

/**
 * Cuts long work into slices: what it returns is awaited between two steps of the work, and lets other requests run when
 * the slice is used up.
 */
export function timeSlices(): () => Promise<void> {
  let ends = performance.now() + SLICE_MS
  return async () => {
    if (performance.now() < ends) return
    await nextTurn()
    ends = performance.now() + SLICE_MS
  }
}

/** Maps a long list; other requests run in between. */
export async function mapInSlices<Item, Result>(
  items: readonly Item[],
  map: (item: Item) => Result,
): Promise<Result[]> {
  const nextSlice = timeSlices()
  const results: Result[] = []
  for (const item of items) {
    await nextSlice()
    results.push(map(item))
  }
  return results
}
