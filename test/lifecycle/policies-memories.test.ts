import { expect, test } from 'vitest'
import { runScheduledMaintenance } from '../../src/service/lifecycle/scheduled.ts'
import { age, contextOf } from '../support/lifecycle.ts'
import { problemOf, someMemory, withService } from '../support/service.ts'

const service = withService()

async function tenantWith(policies: Record<string, object> = {}) {
  const { tenant, client } = service.newTenant()
  for (const [name, rules] of Object.entries(policies)) await client.putPolicy({ name, ...rules })
  const healthOf = async (id: string) => (await client.getMemory({ id, record_recall: false })).health
  return { tenant, client, healthOf, maintain: () => runScheduledMaintenance(contextOf(service, tenant)) }
}

test("memories live by a policy of their tenant's own, and by no other tenant's", async () => {
  const { client } = await tenantWith({ notes: { health_decay: 1 } })
  const { id } = await client.createMemory(someMemory({ policy: 'notes' }))
  expect(await client.updateMemory({ id, policy: 'pinned' })).toMatchObject({ policy: 'pinned' })
  expect(await client.updateMemory({ id, policy: 'notes' })).toMatchObject({ policy: 'notes' })
  expect((await client.listMemories({ policy: 'notes' })).memories).toHaveLength(1)
  const { client: otherTenant } = await tenantWith()
  expect(await problemOf(otherTenant.createMemory(someMemory({ policy: 'notes' })))).toMatchObject({
    status: 422,
  })
})

test('an unknown policy is refused with the names that are allowed, wherever it stands', async () => {
  const { client } = await tenantWith({ notes: {}, drafts: {} })
  const { id } = await client.createMemory(someMemory())
  const strange = someMemory({ policy: 'strange' })
  for (const [call, pointer] of [
    [() => client.createMemory(strange), '/policy'],
    [() => client.updateMemory({ id, policy: 'strange' }), '/policy'],
    [() => client.createMemories({ memories: [someMemory(), strange] }), '/memories/1/policy'],
  ] as const) {
    const problem = await problemOf(call())
    expect(problem).toMatchObject({ status: 422, pointers: [pointer] })
    expect(problem.detail).toContain('short_term, long_term, pinned, drafts, notes')
  }
  expect((await client.getStats()).memories.total).toBe(1)
})

test('a memory whose policy is unknown in the store ages as long_term does, and keeps the name', async () => {
  const { tenant, client, maintain } = await tenantWith()
  const { id } = await client.createMemory(someMemory())
  await service.cypher(`MATCH (m:Memory {id: $id}) SET m.policy = 'forgotten'`, { id })
  await age(service, tenant, 10)
  await maintain()
  expect(await client.getMemory({ id, record_recall: false })).toMatchObject({
    policy: 'forgotten',
    state: 'active',
    health: 80,
  })
})

test('a memory that was pinned for long does not age for that time when it is pinned no more', async () => {
  const { tenant, client, healthOf, maintain } = await tenantWith()
  const { id } = await client.createMemory(someMemory({ policy: 'pinned' }))
  await age(service, tenant, 100)
  await client.updateMemory({ id, policy: 'short_term' })
  await maintain()
  expect(await healthOf(id)).toBe(100)
  await age(service, tenant, 2)
  await maintain()
  expect(await healthOf(id)).toBe(84)
})

test('rules count from when they are made: neither a change nor a return reaches back', async () => {
  const { tenant, client, healthOf, maintain } = await tenantWith({ notes: {}, short_term: {} })
  const [note, short] = [
    await client.createMemory(someMemory({ policy: 'notes' })),
    await client.createMemory(someMemory()),
  ]
  const older = (days: number) =>
    Promise.all([
      age(service, tenant, days),
      service.cypher(
        'MATCH (p:Policy) WHERE p.tenant = $tenant SET p.since = p.since - duration({days: toInteger($days)})',
        { tenant, days },
      ),
    ])
  await older(100)
  await client.putPolicy({ name: 'notes', health_decay: 5, archive_at_health: 0 })
  await client.deletePolicy({ name: 'short_term' })
  await maintain()
  expect([await healthOf(note.id), await healthOf(short.id)]).toEqual([100, 100])
  await older(2)
  await client.putPolicy({ name: 'notes', health_decay: 5, archive_at_health: 0 })
  await maintain()
  expect([await healthOf(note.id), await healthOf(short.id)]).toEqual([90, 84])
})

test('importance that a caller sets does not decay for the time before', async () => {
  const { tenant, client, maintain } = await tenantWith()
  const { id } = await client.createMemory(someMemory({ policy: 'long_term' }))
  await age(service, tenant, 3)
  await client.updateMemory({ id, importance: 0.8 })
  await maintain()
  const memory = await client.getMemory({ id, record_recall: false })
  expect(memory.health).toBe(94)
  expect(memory.importance).toBeCloseTo(0.8, 4)
})
