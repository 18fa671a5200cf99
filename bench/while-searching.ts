import { setTimeout as pause } from 'node:timers/promises'
import { percentiles } from './rounds.ts'

const SEARCHERS = 2

/** No search comes twice, in whichever part of the measurement: its vector would be remembered. */
let nextSearch = 5_000_000

/** Searches of two callers until something is over, at least so many. */
export async function searching(
  search: (call: number) => Promise<unknown>,
  until: Promise<unknown>,
  least: number,
) {
  const times: number[] = []
  let over = false
  void until.then(() => {
    over = true
  })
  await Promise.all(
    Array.from({ length: SEARCHERS }, async () => {
      while (!over || times.length < least) {
        const asked = performance.now()
        await search(nextSearch++)
        times.push(performance.now() - asked)
        await pause(20)
      }
    }),
  )
  return percentiles(times)
}
