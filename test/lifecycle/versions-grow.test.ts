import { expect, test } from 'vitest'
import type { Client } from '../../src/client.ts'
import { runScheduledMaintenance } from '../../src/service/lifecycle/scheduled.ts'
import { exported, imported } from '../../tools/bundle-lines.ts'
import { age, contextOf } from '../support/lifecycle.ts'
import { rememberIds } from '../support/seed.ts'
import { freshTenant, problemOf, someMemory, withService } from '../support/service.ts'

const service = withService()

const ifMatch = (version: number) => ({ headers: { 'if-match': `"${version}"` } })

const versionsOf = async (client: Client, id: string) =>
  (await client.getMemoryHistory({ id, limit: 100 })).versions.map(({ version }) => version)

/** Each version of a memory has a number of its own, and the newest has the greatest. */
async function expectGrowth(client: Client, id: string, newest: number) {
  const versions = await versionsOf(client, id)
  expect(versions).toEqual([...new Set(versions)].toSorted((a, b) => b - a))
  expect(versions[0]).toBe(newest)
}

async function forgotten(client: Client, tags: string[]) {
  const { plan_id } = await client.planMaintenance({ kind: 'forget', filters: { tags } })
  await client.applyMaintenance({ id: plan_id as string })
  return plan_id as string
}

test('an undo of a plan to forget is a new version, which an If-Match from before does not fit', async () => {
  const client = service.clientOf(freshTenant())
  const { id } = await client.createMemory(someMemory({ tags: ['x'] }))
  const run = await forgotten(client, ['x'])
  await client.undoMaintenance({ id: run })
  expect(await client.getMemory({ id, record_recall: false })).toMatchObject({ state: 'active', version: 3 })
  await client.updateMemory({ id, content: 'newer text' })
  for (const stale of [1, 2, 3])
    expect(await problemOf(client.updateMemory({ id, content: 'stale' }, ifMatch(stale)))).toMatchObject({
      code: 'version_mismatch',
    })
  await expectGrowth(client, id, 4)
  const { versions } = await client.getMemoryHistory({ id })
  expect(versions[1]).toMatchObject({
    author: 'operator',
    reason: `undo of the run ${run}`,
    changed: ['state', 'archived_reason'],
  })
})

test('an undo of a merge is a new version of the kept memory and of the merged one', async () => {
  const { tenant, client } = service.newTenant()
  const texts = ['the cat sleeps on the sofa', { content: 'The cat sleeps on the sofa!', tags: ['b'] }]
  const ids = await rememberIds(client, texts)
  await service.drain(tenant)
  const { plan_id } = await client.planMaintenance({ kind: 'merge' })
  await client.applyMaintenance({ id: plan_id as string })
  await client.undoMaintenance({ id: plan_id as string })
  for (const id of ids) await expectGrowth(client, id, 3)
})

test('runs that are undone one after the other, and applied and undone again, only make new versions', async () => {
  const client = service.clientOf(freshTenant())
  const { id } = await client.createMemory(someMemory({ tags: ['x'] }))
  for (const newest of [3, 5, 7]) {
    await client.undoMaintenance({ id: await forgotten(client, ['x']) })
    await expectGrowth(client, id, newest)
  }
  const first = await forgotten(client, ['x'])
  await client.restoreMemory({ id })
  const second = await forgotten(client, ['x'])
  await client.undoMaintenance({ id: second })
  expect((await client.undoMaintenance({ id: first })).skipped).toEqual([id])
  await client.revertMemory({ id, version: 1 })
  await expectGrowth(client, id, 12)
})

/** A memory at version 3 that maintenance has archived, and then removed. */
async function removed() {
  const { tenant, client } = service.newTenant()
  const { id } = await client.createMemory(someMemory())
  await client.updateMemory({ id, content: 'The cat sleeps elsewhere' })
  await client.deleteMemory({ id })
  const lines = await exported(client)
  await age(service, tenant, 31)
  await runScheduledMaintenance(contextOf(service, tenant))
  expect(await problemOf(client.getMemory({ id }))).toMatchObject({ status: 404 })
  const [run] = (await client.listMaintenanceRuns()).runs
  return { tenant, client, id, lines, run: run?.id as string }
}

test('a removed memory that an undo brings back has a version above its last one', async () => {
  const { client, id, run } = await removed()
  await client.undoMaintenance({ id: run })
  await expectGrowth(client, id, 4)
  await client.restoreMemory({ id })
  await expectGrowth(client, id, 5)
})

test('an import of a removed memory continues its versions, takes its place, and outlives the time for an undo', async () => {
  const { tenant, client, id, lines, run } = await removed()
  await imported(client, lines)
  await expectGrowth(client, id, 4)
  await client.restoreMemory({ id })
  await client.updateMemory({ id, importance: 0.9 })
  await client.getMemory({ id })
  expect((await client.undoMaintenance({ id: run })).skipped).toEqual([id])
  await service.cypher(
    'MATCH (m:RemovedMemory) WHERE m.tenant = $tenant SET m.removedAt = m.removedAt - duration({days: 9})',
    { tenant },
  )
  await runScheduledMaintenance(contextOf(service, tenant))
  await expectGrowth(client, id, 6)
  expect(await client.getMemory({ id, record_recall: false })).toMatchObject({ recall_count: 1 })
  expect(await versionsOf(client, id)).toEqual([6, 5, 4, 2, 1])
})

test('an import that replaces continues the versions, and an import of a hard-deleted memory begins with that of the bundle', async () => {
  const client = service.clientOf(freshTenant())
  const { id } = await client.createMemory(someMemory({ content: 'first' }))
  const lines = await exported(client)
  await client.updateMemory({ id, content: 'second' })
  await imported(client, lines, { mode: 'replace' })
  await expectGrowth(client, id, 3)
  expect(await client.getMemory({ id, record_recall: false })).toMatchObject({ content: 'first' })
  expect(await problemOf(client.updateMemory({ id, importance: 1 }, ifMatch(1)))).toMatchObject({
    status: 412,
  })
  await client.deleteMemory({ id, hard: true })
  await imported(client, lines)
  expect(await versionsOf(client, id)).toEqual([1])
})

test('the database refuses two versions of a memory with one number', async () => {
  const client = service.clientOf(freshTenant())
  const { id } = await client.createMemory(someMemory())
  await client.updateMemory({ id, importance: 1 })
  await expect(
    service.cypher('MATCH (v:Version {memoryId: $id}) CREATE (w:Version) SET w = properties(v)', { id }),
  ).rejects.toThrow('already exists')
})
