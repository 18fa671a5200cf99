import { expect, test } from 'vitest'
import { runScheduledMaintenance } from '../../src/service/lifecycle/scheduled.ts'
import { age, contextOf, DAY, dumpOf, endBurst } from '../support/lifecycle.ts'
import { problemOf, someMemory, type TestService, withService } from '../support/service.ts'

const service = withService()

/** Thirty memories that differ in policy, age, health and recalls, and twelve that stay: too few end for the brake. */
const COUNT = 42

async function manifold() {
  const { tenant, client } = service.newTenant()
  const policies = ['long_term', 'pinned', 'short_term', 'long_term', 'long_term']
  const { memories } = await client.createMemories({
    memories: Array.from({ length: COUNT }, (_, index) =>
      someMemory({
        content: `Number ${index}`,
        policy: index < 30 ? (policies[index % 5] as string) : 'pinned',
        ttl_seconds: index % 5 === 3 && index > 15 && index < 30 ? 86_400 * index : 0,
        importance: index / COUNT,
      }),
    ),
  })
  const ids = memories.map(({ id }) => id)
  await age(service, tenant, 4)
  for (const id of [ids[2], ids[2], ids[2], ids[7], ids[0]] as string[]) {
    await client.getMemory({ id })
    await endBurst(service, id)
  }
  return { tenant, client, ids }
}

const inDays = (days: number) => Date.now() + days * DAY
const iso = (time: number) => new Date(time).toISOString()

test('a what-if writes nothing at all', async () => {
  const { tenant, client } = await manifold()
  const before = await dumpOf(service, tenant, { everything: true })
  const plan = await client.planMaintenance({
    at: iso(inDays(300)),
    policies: [{ name: 'pinned', health_decay: 50, archive_at_health: 10 }],
  })
  expect(plan.plan_id).toBeNull()
  expect(plan.summary.archive).toBe(COUNT)
  await client.planMaintenance({ policies: [{ name: 'new', recall_boost: 3 }] })
  expect(await dumpOf(service, tenant, { everything: true })).toBe(before)
})

test('a what-if in 30 days returns what maintenance then does', async () => {
  const { tenant, client, ids } = await manifold()
  const at = inDays(30)
  const plan = await client.planMaintenance({ at: iso(at) })
  expect(plan.at).toBe(iso(at))
  expect(plan.summary).toMatchObject({ memories: COUNT, archive: 8, promote: 1 })
  await runScheduledMaintenance(contextOf(service, tenant), at)
  for (const { memory_id, after } of plan.changes)
    expect(await client.getMemory({ id: memory_id, record_recall: false })).toMatchObject(after)
  const run = await client.getMaintenanceRun({ id: await lastRun(client) })
  expect(run).toMatchObject({ state: 'applied', origin: 'scheduled', at: iso(at), summary: plan.summary })
  expect(run.changes).toEqual(plan.changes)
  expect(ids.length - plan.changes.length).toBe(18)
})

test('a what-if in 30 days returns the result of maintenance on each of the days', async () => {
  const { tenant, client } = await manifold()
  const start = inDays(0)
  const at = start + 30 * DAY
  const plan = await client.planMaintenance({ at: iso(at) })
  for (let day = 1; day <= 30; day++)
    await runScheduledMaintenance(contextOf(service, tenant), start + day * DAY)
  for (const { memory_id, after } of plan.changes) {
    const memory = await client.getMemory({ id: memory_id, record_recall: false })
    expect(memory).toMatchObject({ state: after.state, policy: after.policy })
    expect(memory.health).toBeCloseTo(after.health, 6)
    expect(memory.importance).toBeCloseTo(after.importance, 9)
  }
})

test('a what-if with policies returns what maintenance does once they are defined', async () => {
  const { tenant, client } = await manifold()
  const name = 'long_term'
  const rules = { health_decay: 0.5, recall_boost: 1, importance_decay: 0.9 }
  const at = inDays(20)
  const plan = await client.planMaintenance({ at: iso(at), policies: [{ name, ...rules }] })
  await client.putPolicy({ name, ...rules })
  const same = await client.planMaintenance({ at: iso(at) })
  expect(roughly(same.changes)).toEqual(roughly(plan.changes))
  await runScheduledMaintenance(contextOf(service, tenant), at)
  const run = await client.getMaintenanceRun({ id: await lastRun(client) })
  expect(run.changes).toEqual(same.changes)
})

test('policies to be tried out are held to the rules of policies', async () => {
  const { client } = service
  const tried = (rules: object) => client.planMaintenance({ policies: [{ name: 'tried', ...rules }] })
  expect(await problemOf(tried({ promote_to: 'long_term' }))).toMatchObject({
    status: 422,
    pointers: ['/policies/0/promote_to'],
  })
  expect(await problemOf(tried({ promote_to: 'nowhere', promote_at_recalls: 1 }))).toMatchObject({
    status: 422,
  })
  expect(await problemOf(tried({ health_decay: -1 }))).toMatchObject({
    pointers: ['/policies/0/health_decay'],
  })
})

test('the past cannot be planned for', async () => {
  expect(await problemOf(service.client.planMaintenance({ at: iso(inDays(-1)) }))).toMatchObject({
    status: 422,
    pointers: ['/at'],
  })
})

/** The rules count from when they are made, which is some milliseconds later than they were tried out. */
const roughly = (changes: unknown) =>
  JSON.parse(JSON.stringify(changes), (_, value) =>
    typeof value === 'number' ? Math.round(value * 1e4) / 1e4 : value,
  )

const lastRun = async (client: TestService['client']) =>
  (await client.listMaintenanceRuns({ limit: 1, state: 'applied' })).runs[0]?.id as string
