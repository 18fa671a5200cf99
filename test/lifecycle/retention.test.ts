import fc from 'fast-check'
import { expect, test } from 'vitest'
import { computeChange } from '../../src/service/lifecycle/compute.ts'
import type { PolicyInForce } from '../../src/service/lifecycle/policies.ts'
import type { LifecycleRow } from '../../src/store/lifecycle/figures.ts'
import { afterRun, BIRTH, builtIn, DAY, somePolicy, someRow } from '../support/lifecycle.ts'

const HORIZON = 60 * DAY

/** Three policies of which each may lead to another. */
const somePolicies = fc
  .array(
    fc.record({
      health_decay: fc.oneof(fc.constantFrom(0, 2, 8), fc.double({ min: 0, max: 50, noNaN: true })),
      recall_boost: fc.integer({ min: 0, max: 40 }),
      importance_decay: fc.constantFrom(1, 0.995, 0.9),
      archive_at_health: fc.constantFrom(undefined, 0, 25),
      promote_at_recalls: fc.integer({ min: 1, max: 6 }),
    }),
    { minLength: 3, maxLength: 3 },
  )
  .map(
    rules =>
      new Map(
        rules.map((each, index): [string, PolicyInForce] => {
          const to = ['b', 'c', undefined][index]
          const { archive_at_health, promote_at_recalls, ...rest } = each
          const name = ['a', 'b', 'c'][index] as string
          return [
            name,
            somePolicy(name, {
              ...rest,
              ...(archive_at_health === undefined ? {} : { archive_at_health }),
              ...(to ? { promote_to: to, promote_at_recalls } : {}),
            }),
          ]
        }),
      ),
  )

const someTime = fc.integer({ min: 1, max: HORIZON }).map(offset => BIRTH + offset)
const someTimes = fc.array(someTime, { maxLength: 12 }).map(times => times.sort((a, b) => a - b))

const story = fc.record({
  policies: somePolicies,
  recalls: someTimes,
  runs: someTimes,
  expiresAt: fc.option(someTime, { freq: 3 }),
  importance: fc.double({ min: 0, max: 1, noNaN: true }),
  health: fc.integer({ min: 1, max: 100 }),
})

type Story = typeof story extends fc.Arbitrary<infer T> ? T : never

/** Lets maintenance run at these times; each finds the recalls that came since the one before. */
function live({ policies, recalls, expiresAt, importance, health }: Story, runs: readonly number[]) {
  let row: LifecycleRow = someRow({ policy: 'a', expiresAt, importance, health })
  let from = 0
  for (const run of runs) {
    const found = recalls.filter(recall => recall > from && recall <= run)
    row = { ...row, recalls: found, recallCount: row.recallCount + found.length }
    row = afterRun(row, computeChange(row, policies, run))
    from = run
  }
  return row
}

test('any number of runs on the way comes to the same as one at the end', () => {
  fc.assert(
    fc.property(story, each => {
      const end = BIRTH + HORIZON
      const often = live(each, [...each.runs, end])
      const once = live(each, [end])
      expect({ state: often.state, policy: often.policy, folded: often.foldedRecalls ?? 0 }).toEqual({
        state: once.state,
        policy: once.policy,
        folded: once.foldedRecalls ?? 0,
      })
      expect(often.health).toBeCloseTo(once.health, 6)
      expect(often.importance).toBeCloseTo(once.importance, 9)
    }),
    { numRuns: 2000 },
  )
})

test('health stays between 0 and 100, importance between 0 and 1, and time alone never lifts either', () => {
  fc.assert(
    fc.property(story, each => {
      let before = live(each, [])
      for (const [index] of each.runs.entries()) {
        const after = live(each, each.runs.slice(0, index + 1))
        expect(after.health).toBeGreaterThanOrEqual(0)
        expect(after.health).toBeLessThanOrEqual(100)
        expect(after.importance).toBeGreaterThanOrEqual(0)
        expect(after.importance).toBeLessThanOrEqual(before.importance)
        if (after.foldedRecalls === before.foldedRecalls)
          expect(after.health).toBeLessThanOrEqual(before.health)
        before = after
      }
    }),
    { numRuns: 500 },
  )
})

/** Whole days count from the last recall on: with it a part of one more day has counted. */
test('a recall leaves a memory with at most a day of decay less health than it would have without', () => {
  fc.assert(
    fc.property(story, someTime, (each, recall) => {
      const one = new Map([['a', { ...(each.policies.get('a') as PolicyInForce), promote_to: null }]])
      const rules = { ...each, policies: one }
      const without = live(rules, [BIRTH + HORIZON])
      const withIt = live({ ...rules, recalls: [...each.recalls, recall] }, [BIRTH + HORIZON])
      expect(withIt.health).toBeGreaterThanOrEqual(without.health - (one.get('a')?.health_decay ?? 0) - 1e-6)
    }),
    { numRuns: 500 },
  )
})

test('nothing happens to a pinned memory, however much time passes', () => {
  fc.assert(
    fc.property(fc.integer({ min: 0, max: 1000 }), days => {
      expect(computeChange(someRow({ policy: 'pinned' }), builtIn, BIRTH + days * DAY)).toBeUndefined()
    }),
  )
})

test('a clock that goes back changes nothing', () => {
  expect(computeChange(someRow({ maintainedAt: BIRTH + 10 * DAY }), builtIn, BIRTH + 9 * DAY)).toBeUndefined()
})
