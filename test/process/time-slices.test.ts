import { expect, test } from 'vitest'
import { timeSlices } from '../../src/platform/time-slices.ts'

const WORKS = 5
const STEPS = 4

/** Longer than a slice. */
function work() {
  const until = performance.now() + 6
  while (performance.now() < until);
}

test('of all that is cut into slices, one slice runs in a turn of the event loop', async () => {
  let turn = 0
  let isOver = false
  const count = () => {
    turn++
    if (!isOver) setImmediate(count)
  }
  setImmediate(count)
  const turns: number[] = []
  const cut = async () => {
    const nextSlice = timeSlices()
    for (let step = 0; step < STEPS; step++) {
      work()
      await nextSlice()
      turns.push(turn)
    }
  }
  await Promise.all(Array.from({ length: WORKS }, cut))
  isOver = true
  expect(turns).toHaveLength(WORKS * STEPS)
  expect(new Set(turns).size).toBe(WORKS * STEPS)
})
