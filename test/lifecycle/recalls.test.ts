import { expect, test } from 'vitest'
import { runScheduledMaintenance } from '../../src/service/lifecycle/scheduled.ts'
import { age, contextOf, endBurst } from '../support/lifecycle.ts'
import { someMemory, withService } from '../support/service.ts'

const service = withService()

async function oneMemory(policy = 'short_term') {
  const { tenant, client } = service.newTenant()
  const { id } = await client.createMemory(someMemory({ policy }))
  return {
    tenant,
    client,
    id,
    read: () => client.getMemory({ id, record_recall: false }),
    async recall() {
      await client.getMemory({ id })
      await endBurst(service, id)
    },
    maintain: () => runScheduledMaintenance(contextOf(service, tenant)),
    recalls: () =>
      service.cypher<{ foldedBy: string | null }>(
        'MATCH (r:Recall {memoryId: $id}) RETURN r.foldedBy AS foldedBy ORDER BY r.at',
        { id },
      ),
  }
}

test('each recall lifts health once, however often maintenance runs', async () => {
  const { tenant, client, id, read, recall, maintain: run, recalls } = await oneMemory()
  await age(service, tenant, 3)
  await recall()
  await run()
  await run()
  const { health } = await read()
  expect(health).toBeCloseTo(86, 1)
  const { runs } = await client.listMaintenanceRuns()
  expect(runs).toMatchObject([{ summary: { recall: 1 } }])
  expect(await recalls()).toEqual([{ foldedBy: runs[0]?.id }])
  await recall()
  await run()
  expect((await read()).health).toBeCloseTo(96, 1)
  expect(await read()).toMatchObject({ recall_count: 2, version: 1 })
  expect((await client.planMaintenance()).changes).toEqual([])
  expect(id).toBeDefined()
})

test('the third recall promotes, folded in one run or in several', async () => {
  const [one, several] = [await oneMemory(), await oneMemory()]
  for (let count = 1; count <= 3; count++) {
    await one.recall()
    await several.recall()
    expect((await several.read()).policy).toBe('short_term')
    await several.maintain()
  }
  await one.maintain()
  for (const { read } of [one, several])
    expect(await read()).toMatchObject({ policy: 'long_term', version: 2, recall_count: 3, health: 100 })
  const { changes } = await one.client.getMaintenanceRun({
    id: (await one.client.listMaintenanceRuns()).runs[0]?.id as string,
  })
  expect(changes).toMatchObject([
    { change: 'promote', reason: 'recalled 3 times', rule: 'short_term.promote_at_recalls' },
  ])
})

test('recalls of an archived memory count too, and lift nothing', async () => {
  const { client, id, read, recall, maintain: run } = await oneMemory()
  await client.deleteMemory({ id })
  for (let count = 0; count < 3; count++) await recall()
  await run()
  expect(await read()).toMatchObject({ state: 'archived', policy: 'long_term', recall_count: 3, health: 100 })
  await run()
  expect((await client.listMaintenanceRuns()).runs).toHaveLength(1)
})

test('recalls of a pinned memory are folded and change nothing', async () => {
  const { read, recall, maintain: run, recalls } = await oneMemory('pinned')
  await recall()
  const before = await read()
  await run()
  expect(await read()).toEqual(before)
  expect(await recalls()).toEqual([{ foldedBy: expect.any(String) }])
})

test('folded recalls are kept for as long as their run can be undone, and then removed', async () => {
  const { tenant, client, recall, read, maintain: run, recalls } = await oneMemory('pinned')
  await recall()
  await age(service, tenant, 20)
  await run()
  expect(await recalls()).toHaveLength(1)
  await age(service, tenant, 7)
  await run()
  expect(await recalls()).toHaveLength(1)
  await age(service, tenant, 1)
  await recall()
  await run()
  expect(await recalls()).toHaveLength(1)
  expect(await read()).toMatchObject({ recall_count: 2 })
  const latest = (await client.listMaintenanceRuns({ limit: 1 })).runs[0]?.id
  expect(await recalls()).toEqual([{ foldedBy: latest }])
})

test('a memory whose recalls are gone is healed, not held up', async () => {
  const { tenant, read, recall, maintain: run } = await oneMemory()
  await recall()
  await service.cypher('MATCH (r:Recall {tenant: $tenant}) DELETE r', { tenant })
  await age(service, tenant, 2)
  await run()
  expect(await read()).toMatchObject({ health: 84, recall_count: 1 })
})
