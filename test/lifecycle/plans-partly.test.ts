import { expect, test } from 'vitest'
import { age } from '../support/lifecycle.ts'
import { idOf, rememberIds } from '../support/seed.ts'
import { problemOf, someMemory, withService } from '../support/service.ts'

const service = withService()

/** Facts of one source and a plan to forget them. */
async function forgetting(count: number) {
  const { tenant, client } = service.newTenant()
  const source = 'wiki/old'
  const facts = Array.from({ length: count }, (_, at) => ({ content: `Fact ${at}`, source }))
  const ids = await rememberIds(client, facts)
  const { plan_id } = await client.planMaintenance({ kind: 'forget', filters: { source } })
  const id = plan_id as string
  return { tenant, client, ids, id, left: async () => (await client.listMemories()).memories.map(idOf) }
}

test('a plan is applied although one of its memories was fetched since', async () => {
  const { client, ids, id, left } = await forgetting(3)
  await client.getMemory({ id: ids[1] as string })
  expect(await client.applyMaintenance({ id })).toMatchObject({ applied: 3, left_out: [] })
  expect(await left()).toEqual([])
})

test('of a plan of the policies a recall that came since counts in the next run', async () => {
  const { tenant, client } = service.newTenant()
  const { id } = await client.createMemory(someMemory({ policy: 'short_term' }))
  await age(service, tenant, 3)
  const plan = await client.planMaintenance()
  expect(plan.changes).toMatchObject([{ change: 'decay' }])
  await client.getMemory({ id })
  expect(await client.applyMaintenance({ id: plan.plan_id as string })).toMatchObject({ applied: 1 })
  const health = async () => (await client.getMemory({ id, record_recall: false })).health
  expect(await health()).toBeCloseTo(76, 0)
  const next = await client.planMaintenance()
  expect(next.changes).toMatchObject([{ memory_id: id, change: 'recall' }])
  await client.applyMaintenance({ id: next.plan_id as string })
  expect(await health()).toBeCloseTo(86, 0)
})

test('changes that no longer fit are left out with the reason, and the run has exactly the others', async () => {
  const { client, ids, id, left } = await forgetting(4)
  const [changed, removed, archived, kept] = ids as [string, string, string, string]
  await client.updateMemory({ id: changed, importance: 1 })
  await client.deleteMemory({ id: removed, hard: true })
  await client.deleteMemory({ id: archived })
  const applied = await client.applyMaintenance({ id })
  expect(applied).toMatchObject({ applied: 1, summary: { archive: 1 } })
  expect(new Map(applied.left_out.map(({ memory_id, reason }) => [memory_id, reason]))).toEqual(
    new Map([
      [changed, 'it has changed since the plan'],
      [removed, 'it was removed since the plan'],
      [archived, 'it has changed since the plan'],
    ]),
  )
  const run = await client.getMaintenanceRun({ id })
  expect(run.changes.map(({ memory_id }) => memory_id)).toEqual([kept])
  expect(run.summary).toEqual(applied.summary)
  expect(await left()).toEqual([changed])
  expect(await client.undoMaintenance({ id })).toMatchObject({ undone: 1, skipped: [] })
  expect((await left()).sort()).toEqual([changed, kept].sort())
})

test('memories that are merged into one another are left out together, and other groups are merged', async () => {
  const { client } = service.newTenant()
  const texts = [
    'the cat sleeps on the sofa',
    'The cat sleeps on the sofa!',
    'a truck engine',
    'A truck engine!',
  ]
  const [cat, catToo, truck, truckToo] = (await rememberIds(client, texts)) as [
    string,
    string,
    string,
    string,
  ]
  const { plan_id } = await client.planMaintenance({ kind: 'merge' })
  await client.updateMemory({ id: catToo, importance: 0.9 })
  const { applied, left_out } = await client.applyMaintenance({ id: plan_id as string })
  expect(applied).toBe(2)
  expect(left_out.map(({ memory_id }) => memory_id).sort()).toEqual([cat, catToo].sort())
  const { memories } = await client.listMemories()
  expect(memories.map(idOf).sort()).toEqual([cat, catToo, truck].sort())
  expect(await client.getMemory({ id: truckToo, record_recall: false })).toMatchObject({
    archived_reason: 'merged',
  })
})

test('of a plan none of whose changes fits nothing is applied, and it stays open', async () => {
  const { client, ids, id } = await forgetting(1)
  await client.updateMemory({ id: ids[0] as string, importance: 1 })
  expect(await problemOf(client.applyMaintenance({ id }))).toMatchObject({ status: 409, code: 'plan_moved' })
  expect((await client.getMaintenanceRun({ id })).state).toBe('planned')
})

test('a plan to forget continues behind what the last one has looked at', async () => {
  const { client } = await forgetting(1_100)
  const filters = { source: 'wiki/old' }
  const first = await client.planMaintenance({ kind: 'forget', filters })
  expect(first).toMatchObject({ truncated: true, summary: { archive: 1_000 } })
  const cursor = first.next_cursor as string
  const second = await client.planMaintenance({ kind: 'forget', filters, cursor })
  expect(second).toMatchObject({ truncated: false, next_cursor: null, summary: { archive: 100 } })
  expect(await problemOf(client.planMaintenance({ kind: 'merge', cursor }))).toMatchObject({
    code: 'invalid_cursor',
  })
})
