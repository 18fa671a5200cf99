import { expect, test } from 'vitest'
import { runScheduledMaintenance } from '../../src/service/lifecycle/scheduled.ts'
import { age, contextOf, DAY, dumpOf } from '../support/lifecycle.ts'
import { problemOf, someMemory, type TestService, withService } from '../support/service.ts'

const service = withService()

async function tenantWith(count: number, fading: number, others = 'pinned') {
  const { tenant, client } = service.newTenant()
  await client.createMemories({
    memories: Array.from({ length: count }, (_, index) =>
      someMemory({ content: `Number ${index}`, policy: index < fading ? 'short_term' : others }),
    ),
  })
  return { tenant, client }
}

const archived = async (client: TestService['client']) => (await client.getStats()).memories.by_state.archived

test('a clock ten years ahead archives nothing: one plan waits, which the next replaces and an apply carries out', async () => {
  const { tenant, client } = await tenantWith(100, 100)
  const before = await dumpOf(service, tenant, { versions: false })
  const context = contextOf(service, tenant)
  await runScheduledMaintenance(context, Date.now() + 3650 * DAY)
  const [first] = (await client.listMaintenanceRuns({ state: 'waiting' })).runs
  expect(first).toMatchObject({
    origin: 'scheduled',
    applied_at: null,
    summary: { memories: 100, archive: 100 },
  })
  await runScheduledMaintenance(context, Date.now() + 3651 * DAY)
  const { runs } = await client.listMaintenanceRuns()
  expect(runs).toHaveLength(1)
  expect(runs[0]?.id).not.toBe(first?.id)
  expect(await problemOf(client.getMaintenanceRun({ id: first?.id as string }))).toMatchObject({
    status: 404,
  })
  expect(await dumpOf(service, tenant, { versions: false })).toBe(before)
  const id = runs[0]?.id as string
  expect(await client.applyMaintenance({ id })).toMatchObject({ run_id: id, applied: 100 })
  expect(await archived(client)).toBe(100)
  expect(await client.undoMaintenance({ id })).toMatchObject({ undone: 100 })
  expect(await dumpOf(service, tenant, { versions: false })).toBe(before)
})

test.each([
  [5, 5, 5],
  [6, 6, 0],
  [30, 6, 6],
  [30, 7, 0],
])('of %i memories %i end: %i are archived without being asked', async (count, fading, ended) => {
  const { tenant, client } = await tenantWith(count, fading)
  await age(service, tenant, 13)
  await runScheduledMaintenance(contextOf(service, tenant))
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
  await runScheduledMaintenance(contextOf(service, tenant))
  expect((await client.getStats()).memories.total).toBe(30)
  expect((await client.listMaintenanceRuns()).runs).toMatchObject([
    { state: 'waiting', summary: { remove: 30 } },
  ])
})

/** A tenant whose memories fade a few at a time. */
async function slowFade() {
  const { tenant, client } = await tenantWith(40, 0, 'long_term')
  return {
    tenant,
    client,
    /** Lets the health of so many memories end, maintains the tenant, and returns how many are archived. */
    async fade(count: number) {
      await service.cypher(
        `MATCH (m:Memory) WHERE m.tenant = $tenant AND m.state = 'active' AND m.health > 0
        WITH m LIMIT toInteger($count)
        SET m.health = 0.0`,
        { tenant, count },
      )
      await runScheduledMaintenance(contextOf(service, tenant))
      return archived(client)
    },
    waiting: async () => (await client.listMaintenanceRuns({ state: 'waiting' })).runs,
  }
}

test('a slow fade stops too: runs of seven days count together', async () => {
  const { client, fade, waiting } = await slowFade()
  expect(await fade(4)).toBe(4)
  expect(await fade(4)).toBe(8)
  expect(await fade(1)).toBe(8)
  expect(await waiting()).toMatchObject([{ summary: { memories: 40, archive: 1 } }])
  expect((await client.listMaintenanceRuns({ state: 'applied' })).runs).toHaveLength(2)
})

test('what runs took more than seven days ago does not count', async () => {
  const { tenant, fade, waiting } = await slowFade()
  expect(await fade(8)).toBe(8)
  await age(service, tenant, 7)
  expect(await fade(8)).toBe(16)
  expect(await waiting()).toEqual([])
})

test('what a run took and an undo gave back does not count', async () => {
  const { client, tenant, fade, waiting } = await slowFade()
  expect(await fade(8)).toBe(8)
  const [run] = (await client.listMaintenanceRuns()).runs
  await client.undoMaintenance({ id: run?.id as string })
  await service.cypher('MATCH (m:Memory) WHERE m.tenant = $tenant SET m.health = 100.0', { tenant })
  expect(await fade(8)).toBe(8)
  expect(await waiting()).toEqual([])
})

test('a person who applies the waiting plan starts the count again', async () => {
  const { client, fade, waiting } = await slowFade()
  await fade(8)
  await fade(3)
  const [plan] = await waiting()
  await client.applyMaintenance({ id: plan?.id as string })
  expect(await archived(client)).toBe(11)
  expect(await fade(8)).toBe(19)
  expect(await fade(1)).toBe(19)
  expect(await waiting()).toHaveLength(1)
})

test('what a person applies does not count', async () => {
  const { client, tenant, fade, waiting } = await slowFade()
  await service.cypher(`MATCH (m:Memory) WHERE m.tenant = $tenant WITH m LIMIT 20 SET m.health = 0.0`, {
    tenant,
  })
  const { plan_id } = await client.planMaintenance()
  expect(await client.applyMaintenance({ id: plan_id as string })).toMatchObject({ applied: 20 })
  expect(await fade(8)).toBe(28)
  expect(await waiting()).toEqual([])
})
