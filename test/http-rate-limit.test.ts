import { afterAll, beforeAll, expect, test } from 'vitest'
import { expectProblem } from './support/problem-shape.ts'
import { startService, type TestService } from './support/service.ts'

let service: TestService
beforeAll(async () => {
  service = await startService({ settings: { SERVICE_RATE_LIMIT: '3' } })
})
afterAll(() => service?.[Symbol.asyncDispose]())

test('a credential that asks too often is told when to come back; others, and who asks for health, are not', async () => {
  const statuses = await Promise.all([1, 2, 3].map(async () => (await service.request('/stats')).status))
  expect(statuses).toEqual([200, 200, 200])
  const refused = await service.request('/stats')
  const seconds = Number(refused.headers.get('retry-after'))
  expect(seconds).toBeGreaterThanOrEqual(1)
  expect(seconds).toBeLessThanOrEqual(60)
  expect((await expectProblem(refused, 'rate_limited')).detail).toContain('3')

  expect((await service.request('/health')).status).toBe(200)
  const other = await service.request('/stats', { headers: { authorization: 'Bearer another' } })
  expect(other.status).toBe(401)
})

test('who has no key is counted by address', async () => {
  const ask = async () => (await fetch(`${service.baseUrl}/stats`)).status
  expect([await ask(), await ask(), await ask(), await ask()]).toEqual([401, 401, 401, 429])
})
