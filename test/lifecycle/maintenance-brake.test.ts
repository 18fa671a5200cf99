import { expect, test } from 'vitest'
import { maintain } from '../../src/service/lifecycle/maintenance.ts'
import { age, contextOf, DAY, dumpOf } from '../support/lifecycle.ts'
import { freshTenant, problemOf, someMemory, type TestService, withService } from '../support/service.ts'

const service = withService()

async function tenantWith(count: number, fading: number) {
  const tenant = freshTenant()
  const client = service.clientOf(tenant)
  await client.createMemories({
    memories: Array.from({ length: count }, (_, index) =>
      someMemory({ content: `Number ${index}`, policy: index < fading ? 'short_term' : 'pinned' }),
    ),
  })
  return { tenant, client }
}

const archived = async (client: TestService['client']) => (await client.getStats()).memories.by_state.archived

test('a clock ten years ahead archives nothing: one plan waits, which the next replaces and an apply carries out', async () => {
  const { tenant, client } = await tenantWith(100, 100)
  const before = await dumpOf(service, tenant)
  const context = contextOf(service, tenant)
  await maintain(context, Date.now() + 3650 * DAY)
  const [first] = (await client.listMaintenanceRuns({ state: 'waiting' })).runs
  expect(first).toMatchObject({
    origin: 'scheduled',
    applied_at: null,
    summary: { memories: 100, archive: 100 },
  })
  await maintain(context, Date.now() + 3651 * DAY)
  const { runs } = await client.listMaintenanceRuns()
  expect(runs).toHaveLength(1)
  expect(runs[0]?.id).not.toBe(first?.id)
  expect(await problemOf(client.getMaintenanceRun({ id: first?.id as string }))).toMatchObject({
    status: 404,
  })
  expect(await dumpOf(service, tenant)).toBe(before)
  const id = runs[0]?.id as string
  expect(await client.applyMaintenance({ id })).toMatchObject({ run_id: id, applied: 100 })
  expect(await archived(client)).toBe(100)
  expect(await client.undoMaintenance({ id })).toMatchObject({ undone: 100 })
  expect(await dumpOf(service, tenant)).toBe(before)
})

test.each([
  [20, 20, 20],
  [21, 21, 0],
  [110, 22, 22],
  [110, 23, 0],
])('of %i memories %i end: %i are archived without being asked', async (count, fading, ended) => {
  const { tenant, client } = await tenantWith(count, fading)
  await age(service, tenant, 13)
  await maintain(contextOf(service, tenant))
  expect(await archived(client)).toBe(ended)
  expect((await client.listMaintenanceRuns()).runs).toMatchObject([
    { state: ended > 0 ? 'applied' : 'waiting' },
  ])
})

test('removals count for the brake like archiving', async () => {
  const { tenant, client } = await tenantWith(30, 30)
  const { memories } = await client.listMemories({ limit: 30 })
  await Promise.all(memories.map(({ id }) => client.deleteMemory({ id })))
  await age(service, tenant, 31)
  await maintain(contextOf(service, tenant))
  expect((await client.getStats()).memories.total).toBe(30)
  expect((await client.listMaintenanceRuns()).runs).toMatchObject([
    { state: 'waiting', summary: { remove: 30 } },
  ])
})
