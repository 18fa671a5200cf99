import { expect, test, vi } from 'vitest'
import { ROUND_LEASE_MS } from '../../src/store/lifecycle/schedule.ts'
import { Schedule } from '../../src/worker/schedule.ts'
import { seededRandom } from '../../tools/seeded-random.ts'
import { remember } from '../support/seed.ts'
import { DIMENSIONS, freshTenant, withService } from '../support/service.ts'

/** Texts are near each other only if they begin with the same word. */
const service = withService({ vector: text => directionOf(text.split(' ')[0] as string) })

function directionOf(word: string): number[] {
  const random = seededRandom([...word].reduce((sum, letter) => 31 * sum + letter.charCodeAt(0), 7) % 1e9)
  return Array.from({ length: DIMENSIONS }, () => random() - 0.5)
}

test('a visit of a schedule ends before the lease of its round', async () => {
  const given = vi.spyOn(AbortSignal, 'timeout')
  try {
    const visited: string[] = []
    const schedule = new Schedule({
      ...{ neo4j: service.app.neo4j, log: service.app.log, intervalSeconds: 60 },
      name: `of-a-test:${freshTenant()}`,
      next: async (_, after) => (after === '' ? 'a tenant' : undefined),
      visit: async ({ tenant }) => visited.push(tenant),
    })
    expect(await schedule.runRound()).toBe(true)
    expect(visited).toEqual(['a tenant'])
    // The lease may be a quarter of its time old.
    const longest = Math.max(...given.mock.calls.map(([milliseconds]) => milliseconds))
    expect(longest).toBeLessThanOrEqual(0.75 * ROUND_LEASE_MS)
  } finally {
    given.mockRestore()
  }
})

test('a plan to merge continues behind what the last one has looked at', { timeout: 300_000 }, async () => {
  const client = service.clientOf(freshTenant())
  const pairs = Array.from({ length: 550 }, (_, at) => [`word${at} here`, `word${at} there`]).flat()
  await remember(client, pairs)
  const archived: number[] = []
  for (let cursor: string | undefined; archived.length < 5; ) {
    const plan = await client.planMaintenance({ kind: 'merge', ...(cursor && { cursor }) })
    if (plan.plan_id) await client.applyMaintenance({ id: plan.plan_id })
    archived.push(plan.summary.archive)
    cursor = plan.next_cursor ?? undefined
    if (cursor === undefined) break
  }
  expect(archived.reduce((sum, n) => sum + n, 0)).toBe(550)
  expect(archived.length).toBeGreaterThan(1)
})
