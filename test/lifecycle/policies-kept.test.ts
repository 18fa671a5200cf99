import { expect, test } from 'vitest'
import { age } from '../support/lifecycle.ts'
import { problemOf, someMemory, withService } from '../support/service.ts'

const service = withService()

/** A client of a tenant with an own policy that nothing uses. */
async function withPolicy() {
  const { tenant, client } = service.newTenant()
  await client.putPolicy({ name: 'draft', health_decay: 1 })
  return { tenant, client, names: async () => (await client.listPolicies()).policies.map(({ name }) => name) }
}

type World = Awaited<ReturnType<typeof withPolicy>>

/** What gives a memory the policy after its text was embedded. */
const givers: Record<string, (world: World) => Promise<() => Promise<unknown>>> = {
  'a create':
    async ({ client }) =>
    () =>
      client.createMemory(someMemory({ policy: 'draft' })),
  'a create that returns duplicates':
    async ({ client }) =>
    () =>
      client.createMemory(someMemory({ policy: 'draft', on_duplicate: 'return' })),
  'a batch':
    async ({ client }) =>
    () =>
      client.createMemories({ memories: [someMemory(), someMemory({ policy: 'draft' })] }),
  'an update': async ({ client }) => {
    const { id } = await client.createMemory(someMemory())
    return () => client.updateMemory({ id, content: 'another text', policy: 'draft' })
  },
}

for (const [name, prepare] of Object.entries(givers))
  test(`a policy that is removed while ${name} embeds its text is named by no memory`, async () => {
    const world = await withPolicy()
    const give = await prepare(world)
    const asked = service.embeddings.requests.length
    const release = service.embeddings.hold()
    const outcome = problemOf(give())
    await service.embeddings.arrived(asked + 1)
    await world.client.deletePolicy({ name: 'draft' })
    release()
    expect(await outcome).toMatchObject({ status: 422, pointers: ['/policy'] })
    expect(await world.names()).not.toContain('draft')
    expect((await world.client.listMemories({ policy: 'draft' })).memories).toEqual([])
  })

test('of a create and a removal of its policy at the same time only one succeeds', async () => {
  for (let round = 0; round < 6; round++) {
    const { client } = await withPolicy()
    const outcomes = await Promise.allSettled([
      client.createMemory(someMemory({ policy: 'draft' })),
      client.deletePolicy({ name: 'draft' }),
    ])
    expect(outcomes.map(({ status }) => status).sort()).toEqual(['fulfilled', 'rejected'])
  }
})

test('a policy that only an archived memory names cannot be removed', async () => {
  const { client } = await withPolicy()
  const { id } = await client.createMemory(someMemory({ policy: 'draft' }))
  await client.deleteMemory({ id })
  expect(await problemOf(client.deletePolicy({ name: 'draft' }))).toMatchObject({ code: 'policy_in_use' })
})

test('a memory whose policy is unknown ages as long_term, is archived in the end, and keeps the name', async () => {
  const { tenant, client } = await withPolicy()
  const { id } = await client.createMemory(someMemory({ policy: 'draft' }))
  await service.cypher('MATCH (p:Policy {tenant: $tenant}) DELETE p', { tenant })
  await age(service, tenant, 10)
  const read = () => client.getMemory({ id, record_recall: false, include_fades_at: true })
  expect(Date.parse((await read()).fades_at as string)).toBeGreaterThan(Date.now() + 39 * 86_400_000)
  const plan = await client.planMaintenance()
  expect(plan.changes).toMatchObject([
    { memory_id: id, change: 'decay', after: { policy: 'draft', health: 80 } },
  ])
  await client.applyMaintenance({ id: plan.plan_id as string })
  await age(service, tenant, 50)
  const { plan_id } = await client.planMaintenance()
  await client.applyMaintenance({ id: plan_id as string })
  expect(await read()).toMatchObject({ state: 'archived', policy: 'draft' })
  await client.undoMaintenance({ id: plan_id as string })
  expect(await read()).toMatchObject({ state: 'active', policy: 'draft' })
})
