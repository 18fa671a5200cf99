import { expect, test } from 'vitest'
import { runScheduledMaintenance } from '../../src/service/lifecycle/scheduled.ts'
import { age, contextOf, dumpOf } from '../support/lifecycle.ts'
import { freshTenant, problemOf, someMemory, type TestService, withService } from '../support/service.ts'

const service = withService()

async function aged(days: number, contents: readonly string[]) {
  const { tenant, client } = service.newTenant()
  const { memories } = await client.createMemories({
    memories: contents.map(content => someMemory({ content })),
  })
  await age(service, tenant, days)
  return { tenant, client, ids: memories.map(({ id }) => id) }
}

test('a plan says what would happen, and applying it does exactly that', async () => {
  const { tenant, client, ids } = await aged(13, ['fading'])
  const pinned = await client.createMemory(someMemory({ content: 'pinned', policy: 'pinned' }))
  const before = await dumpOf(service, tenant)
  const plan = await client.planMaintenance()
  expect(plan).toMatchObject({ truncated: false, summary: { memories: 2, archive: 1, decay: 0 } })
  expect(plan.changes).toEqual([
    {
      memory_id: ids[0],
      change: 'archive',
      reason: 'health fell to 0',
      rule: 'short_term.archive_at_health',
      before: { state: 'active', policy: 'short_term', health: 100, importance: 0.5 },
      after: { state: 'archived', policy: 'short_term', health: 0, importance: 0.5 },
    },
  ])
  expect(await dumpOf(service, tenant)).toBe(before)
  const { run_id, applied } = await client.applyMaintenance({ id: plan.plan_id as string })
  expect([applied, run_id]).toEqual([1, plan.plan_id])
  const archived = await client.getMemory({ id: ids[0] as string, record_recall: false })
  expect(archived).toMatchObject({ state: 'archived', health: 0, version: 2 })
  expect(archived.archived_at).toBe(archived.updated_at)
  expect(await client.getMemory({ id: pinned.id, record_recall: false })).toMatchObject({
    health: 100,
    version: 1,
  })
})

test('ageing and recalls are no new version and no update; being archived or promoted is', async () => {
  const { tenant, client, ids } = await aged(3, ['one', 'two'])
  const read = (index: number) => client.getMemory({ id: ids[index] as string, record_recall: false })
  const [one, two] = [await read(0), await read(1)]
  await client.getMemory({ id: ids[1] as string })
  await runScheduledMaintenance(contextOf(service, tenant))
  expect(await read(0)).toEqual({ ...one, health: 76 })
  const recalled = await read(1)
  expect(recalled).toMatchObject({ version: 1, updated_at: two.updated_at, recall_count: 1 })
  expect(recalled.health).toBeCloseTo(86, 1)
})

test.each<[string, number, (client: TestService['client'], id: string) => Promise<unknown>]>([
  ['changed', 1, (client, id) => client.updateMemory({ id, importance: 0.9 })],
  ['recalled', 2, (client, id) => client.getMemory({ id })],
  ['archived by a caller', 1, (client, id) => client.deleteMemory({ id })],
  ['removed by a caller', 1, (client, id) => client.deleteMemory({ id, hard: true })],
  [
    'archived and restored',
    1,
    async (client, id) => {
      await client.deleteMemory({ id })
      await client.restoreMemory({ id })
    },
  ],
])('of a plan of which one memory was %s, what still fits is applied', async (_, fitting, move) => {
  const { client, ids } = await aged(2, ['one', 'two'])
  const { plan_id, summary } = await client.planMaintenance()
  expect(summary).toMatchObject({ memories: 2, decay: 2 })
  await move(client, ids[0] as string)
  const { applied, left_out } = await client.applyMaintenance({ id: plan_id as string })
  expect([applied, left_out.map(({ memory_id }) => memory_id)]).toEqual([fitting, ids.slice(0, 2 - fitting)])
  expect(await client.getMemory({ id: ids[1] as string, record_recall: false })).toMatchObject({ health: 84 })
})

test('a recall of an archived memory holds up its removal, which was planned before', async () => {
  const { tenant, client, ids } = await aged(0, ['one'])
  const id = ids[0] as string
  await client.deleteMemory({ id })
  await age(service, tenant, 31)
  const { plan_id, summary } = await client.planMaintenance()
  expect(summary).toMatchObject({ remove: 1 })
  await client.getMemory({ id })
  expect(await problemOf(client.applyMaintenance({ id: plan_id as string }))).toMatchObject({
    code: 'plan_moved',
  })
})

test('a plan is applied once, by the first caller', async () => {
  const { client, ids } = await aged(2, ['one', 'two', 'three'])
  const { plan_id } = await client.planMaintenance()
  const attempts = await Promise.allSettled(
    [1, 2, 3].map(() => client.applyMaintenance({ id: plan_id as string })),
  )
  expect(attempts.filter(({ status }) => status === 'fulfilled')).toHaveLength(1)
  expect(await problemOf(client.applyMaintenance({ id: plan_id as string }))).toMatchObject({
    status: 409,
    code: 'plan_not_open',
  })
  expect(await client.getMemory({ id: ids[0] as string, record_recall: false })).toMatchObject({ health: 84 })
})

test('of two plans for the same memories the second is refused', async () => {
  const { client } = await aged(2, ['one'])
  const [first, second] = [await client.planMaintenance(), await client.planMaintenance()]
  await client.applyMaintenance({ id: first.plan_id as string })
  expect(await problemOf(client.applyMaintenance({ id: second.plan_id as string }))).toMatchObject({
    code: 'plan_moved',
  })
})

test('the plan of another tenant is not there', async () => {
  const { client } = await aged(2, ['one'])
  const id = (await client.planMaintenance()).plan_id as string
  const otherTenant = service.clientOf(freshTenant())
  expect(await problemOf(otherTenant.applyMaintenance({ id }))).toMatchObject({
    status: 404,
    code: 'plan_not_found',
  })
  expect(await problemOf(otherTenant.getMaintenanceRun({ id }))).toMatchObject({
    status: 404,
    code: 'run_not_found',
  })
})
