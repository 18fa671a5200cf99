import { expect, test } from 'vitest'
import { runScheduledMaintenance } from '../../src/service/lifecycle/scheduled.ts'
import { age, contextOf, DAY, dumpOf, endBurst } from '../support/lifecycle.ts'
import { freshTenant, problemOf, someMemory, type TestService, withService } from '../support/service.ts'

const service = withService()

/** Some memories of every kind, connected and recalled, so old that a run has something to do with each. */
async function lived() {
  const { tenant, client } = service.newTenant()
  const { memories } = await client.createMemories({
    memories: [
      someMemory({ content: 'The cat sleeps on the warm windowsill', tags: ['pet'] }),
      someMemory({ content: 'The cat sleeps on the cold windowsill' }),
      someMemory({ content: 'Tulips open in April', policy: 'long_term', importance: 0.9 }),
      someMemory({ content: 'Pinned for good', policy: 'pinned' }),
      someMemory({ content: 'Soon over', ttl_seconds: 60 }),
      someMemory({ content: 'Often recalled' }),
    ],
  })
  const ids = memories.map(({ id }) => id) as [string, string, string, string, string, string]
  await client.createConnection({
    source_id: ids[0],
    target_id: ids[4],
    relationship_type: 'supports',
    strength: 0.5,
  })
  await client.createConnection({ source_id: ids[3], target_id: ids[0], relationship_type: 'part_of' })
  await client.createConnection({ source_id: ids[0], target_id: ids[3], relationship_type: 'part_of' })
  await service.drain(tenant)
  for (let count = 0; count < 3; count++) {
    await client.getMemory({ id: ids[5] })
    await endBurst(service, ids[5])
  }
  await age(service, tenant, 14)
  return { tenant, client, ids, dump: () => dumpOf(service, tenant, { versions: false }) }
}

async function applyNow(client: TestService['client']) {
  const { plan_id } = await client.planMaintenance()
  return client.applyMaintenance({ id: plan_id as string })
}

test('an undone run leaves no trace in memories, vectors, connections and recalls', async () => {
  const { client, dump } = await lived()
  const before = await dump()
  const { run_id, summary } = await applyNow(client)
  expect(summary).toMatchObject({ archive: 3, promote: 1, decay: 1, remove: 0 })
  expect(await dump()).not.toBe(before)
  expect(await client.undoMaintenance({ id: run_id })).toEqual({ run_id, undone: 5, skipped: [] })
  expect(await dump()).toBe(before)
})

test('a memory that an undo makes active again is connected with what was written in the meantime', async () => {
  const { tenant, client, ids } = await lived()
  const { run_id } = await applyNow(client)
  const late = await client.createMemory(
    someMemory({ content: 'The cat sleeps on the warm windowsill again' }),
  )
  await service.drain(tenant)
  await client.undoMaintenance({ id: run_id })
  await service.drain(tenant)
  const { connections } = await client.listConnections({ source_id: late.id, target_id: ids[0] })
  expect(connections).toMatchObject([{ connection: { origin: 'discovered' } }])
})

test('removed memories come back with their vectors, recalls and connections, byte for byte', async () => {
  const { tenant, client, dump } = await lived()
  await applyNow(client)
  await age(service, tenant, 31)
  const before = await dump()
  const { run_id, summary } = await applyNow(client)
  expect(summary).toMatchObject({ remove: 3 })
  expect(await client.undoMaintenance({ id: run_id })).toMatchObject({ skipped: [] })
  expect(await dump()).toBe(before)
})

test('runs are undone in turn, the last first, back to the beginning', async () => {
  const { tenant, client, dump } = await lived()
  const dumps: string[] = []
  const runs: string[] = []
  for (const days of [0, 2, 40]) {
    dumps.push(await dump())
    await runScheduledMaintenance(contextOf(service, tenant), Date.now() + days * DAY)
    runs.push((await client.listMaintenanceRuns({ limit: 1 })).runs[0]?.id as string)
  }
  expect(new Set(runs).size).toBe(3)
  while (runs.length > 0) {
    expect(await client.undoMaintenance({ id: runs.pop() as string })).toMatchObject({ skipped: [] })
    expect(await dump()).toBe(dumps.pop())
  }
})

test('a run under a later one gives back only what the later one did not touch', async () => {
  const { tenant, client, ids } = await lived()
  const first = await applyNow(client)
  await runScheduledMaintenance(contextOf(service, tenant), Date.now() + 2 * DAY)
  const { undone, skipped } = await client.undoMaintenance({ id: first.run_id })
  expect(skipped.sort()).toEqual([ids[2], ids[5]].sort())
  expect(undone).toBe(3)
})

test('memories that changed since keep what they have and are named', async () => {
  const { client, ids } = await lived()
  const { run_id } = await applyNow(client)
  await client.restoreMemory({ id: ids[1] })
  await client.updateMemory({ id: ids[2], tags: ['spring'] })
  await client.deleteMemory({ id: ids[4], hard: true })
  const { skipped, undone } = await client.undoMaintenance({ id: run_id })
  expect([skipped.sort(), undone]).toEqual([[ids[1], ids[2], ids[4]].sort(), 2])
  expect(await client.getMemory({ id: ids[2], record_recall: false })).toMatchObject({
    tags: ['spring'],
    version: 2,
  })
  expect(await problemOf(client.getMemory({ id: ids[4] }))).toMatchObject({ status: 404 })
})

test('a recall after the run does not stand in the way of an undo, and is not lost by it', async () => {
  const { client, ids } = await lived()
  const { run_id } = await applyNow(client)
  await client.getMemory({ id: ids[0] })
  expect(await client.undoMaintenance({ id: run_id })).toMatchObject({ skipped: [] })
  const [change] = (await client.planMaintenance()).changes.filter(({ memory_id }) => memory_id === ids[0])
  expect(change).toMatchObject({ change: 'archive', before: { health: 100 } })
  expect(await client.getMemory({ id: ids[0], record_recall: false })).toMatchObject({ recall_count: 1 })
})

test('a run is undone once', async () => {
  const { client } = await lived()
  const { run_id } = await applyNow(client)
  const attempts = await Promise.allSettled([1, 2, 3].map(() => client.undoMaintenance({ id: run_id })))
  expect(attempts.filter(({ status }) => status === 'fulfilled')).toHaveLength(1)
  expect(await problemOf(client.undoMaintenance({ id: run_id }))).toMatchObject({
    status: 409,
    code: 'run_not_undoable',
  })
})

test('a run cannot be undone after 7 days', async () => {
  const { tenant, client } = await lived()
  const { run_id } = await applyNow(client)
  await service.cypher(
    'MATCH (r:MaintenanceRun {tenant: $tenant}) SET r.appliedAt = r.appliedAt - duration({days: 7, seconds: 1})',
    { tenant },
  )
  expect(await problemOf(client.undoMaintenance({ id: run_id }))).toMatchObject({ code: 'run_not_undoable' })
})

test('what has not been run cannot be undone, nor what another tenant ran', async () => {
  const { client } = await lived()
  const { plan_id } = await client.planMaintenance()
  expect(await problemOf(client.undoMaintenance({ id: plan_id as string }))).toMatchObject({ status: 409 })
  const { run_id } = await applyNow(client)
  const otherTenant = service.clientOf(freshTenant())
  expect(await problemOf(otherTenant.undoMaintenance({ id: run_id }))).toMatchObject({ status: 404 })
})
