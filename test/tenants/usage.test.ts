import { expect, test } from 'vitest'
import { bundleLines, memoryLine } from '../../tools/bundle-lines.ts'
import { rememberIds } from '../support/seed.ts'
import { freshTenant, problemOf, someMemory, startService, withService } from '../support/service.ts'

const service = withService()

const listed = async (tenant: string) =>
  (await service.client.listTenants({ after: tenant.slice(0, -1), limit: 1 })).tenants[0]

/** What the list of tenants says, and what the database has. */
async function counts(tenant: string) {
  const [stored] = await service.cypher<{ active: number; archived: number; characters: number }>(
    `MATCH (m:Memory {tenant: $tenant})
    RETURN count(CASE m.state WHEN 'active' THEN 1 END) AS active,
      count(CASE m.state WHEN 'archived' THEN 1 END) AS archived, sum(size(m.content)) AS characters`,
    { tenant },
  )
  const found = await listed(tenant)
  return { said: found && { ...found.memories, characters: found.characters }, stored }
}

test('the list of tenants counts what is stored, whatever was done to it', { timeout: 300_000 }, async () => {
  const { tenant, client } = service.newTenant()
  const exact = async (step: string) => {
    const { said, stored } = await counts(tenant)
    expect(said, step).toEqual(stored)
  }
  const ids = await rememberIds(client, ['one', 'two 😀', 'three', 'four', 'five', 'six'])
  const [first, second, third, fourth] = ids
  await exact('a batch')
  await client.createMemory(someMemory({ content: 'one', on_duplicate: 'return' }))
  await client.createMemory(someMemory({ content: 'newer than one', supersedes: [first] }))
  await exact('a duplicate and a superseded memory')
  await client.updateMemory({ id: second, content: 'a longer two' })
  await client.updateMemory({ id: third, content: '3' })
  await client.updateMemory({ id: fourth, tags: ['x'] })
  await exact('updates')
  await client.revertMemory({ id: second, version: 1 })
  await client.deleteMemory({ id: third })
  await client.deleteMemory({ id: third })
  await exact('a revert and an archived memory')
  await client.restoreMemory({ id: third })
  await client.deleteMemory({ id: fourth, hard: true })
  await exact('a restored memory and a removed one')
  await client.listChanges({})
  await exact('a feed that was read')
  const line = memoryLine({ content: 'imported' })
  await client.importBundle({ lines: bundleLines([line]) })
  await client.importBundle({
    lines: bundleLines([{ ...line, content: 'imported again, longer' }]),
    mode: 'replace',
  })
  await exact('an import that replaced all')
  await client.createMemory(someMemory({ content: 'a note of the crm', source: 'crm:1' }))
  const plan = await client.planMaintenance({ kind: 'forget', filters: { source: 'crm:1' } })
  await client.applyMaintenance({ id: plan.plan_id as string })
  await exact('an applied plan')
  await client.undoMaintenance({ id: plan.plan_id as string })
  await exact('an undone plan')
  await client.eraseMemories({ filters: { source: 'crm:1' } })
  await exact('an erasure')
  expect(await service.client.eraseTenant({ tenant })).toMatchObject({ complete: true })
  expect((await listed(tenant))?.tenant).not.toBe(tenant)
})

test('a tenant that has only a policy, a webhook or a quota is in the list', async () => {
  const made = [
    (tenant: string) => service.clientOf(tenant).putPolicy({ name: 'notes', health_decay: 1 }),
    (tenant: string) => service.clientOf(tenant).createWebhook({ url: 'https://hooks.invalid/' }),
    (tenant: string) => service.client.putQuota({ tenant, memories: 3 }),
  ]
  for (const make of made) {
    const tenant = freshTenant()
    await make(tenant)
    expect(await listed(tenant)).toMatchObject({
      tenant,
      memories: { active: 0, archived: 0 },
      characters: 0,
    })
  }
})

test('processes that write at the same moment do not exceed a quota together', async () => {
  await using other = await startService()
  const tenant = freshTenant()
  await service.client.putQuota({ tenant, memories: 7 })
  const clients = [service.clientOf(tenant), other.clientOf(tenant)]
  const tried = await Promise.allSettled([
    ...clients.flatMap(client => Array.from({ length: 8 }, () => client.createMemory(someMemory()))),
    ...clients.map(client => client.createMemories({ memories: [someMemory(), someMemory()] })),
  ])
  expect(tried.some(({ status }) => status === 'rejected')).toBe(true)
  expect((await counts(tenant)).stored?.active).toBe(7)
  expect((await counts(tenant)).said?.active).toBe(7)
})

test('a tenant at its quota does not hold up or fail the creates of others', async () => {
  const full = freshTenant()
  await service.client.putQuota({ tenant: full, memories: 0 })
  const others = Array.from({ length: 10 }, () => service.client.createMemory(someMemory()))
  const refused = Array.from({ length: 10 }, () =>
    problemOf(service.clientOf(full).createMemory(someMemory())),
  )
  expect((await Promise.all(others)).length).toBe(10)
  for (const problem of await Promise.all(refused)) expect(problem).toMatchObject({ code: 'quota_exceeded' })
})

test('a longer content counts against the quota; a shorter one, a tag and an undo never do', async () => {
  const { tenant, client } = service.newTenant()
  const { id } = await client.createMemory(someMemory({ content: 'x'.repeat(60) }))
  await service.client.putQuota({ tenant, characters: 100 })
  expect(await problemOf(client.updateMemory({ id, content: 'y'.repeat(101) }))).toMatchObject({
    code: 'quota_exceeded',
    detail: 'The tenant would have 101 characters, and its quota allows 100.',
  })
  expect(await client.getMemory({ id })).toMatchObject({ content: 'x'.repeat(60), version: 1 })
  await client.updateMemory({ id, content: 'y'.repeat(100) })
  await service.client.putQuota({ tenant, characters: 50 })
  await client.updateMemory({ id, tags: ['x'] })
  await client.updateMemory({ id, content: 'z'.repeat(90) })
  expect(await problemOf(client.revertMemory({ id, version: 2 }))).toMatchObject({ code: 'quota_exceeded' })
})

test('a repeat of a create that filled the quota gets its answer', async () => {
  const tenant = freshTenant()
  await service.client.putQuota({ tenant, memories: 1 })
  const create = () =>
    service.request('/memories', {
      method: 'POST',
      headers: {
        'content-type': 'application/json',
        'x-tenant-id': tenant,
        'idempotency-key': `fill-${tenant}`,
      },
      body: JSON.stringify(someMemory({ content: 'fills the quota' })),
    })
  const first = (await (await create()).json()) as { id: string }
  // The process died before it stored the answer.
  await service.cypher(
    `MATCH (i:IdempotentRequest) WHERE i.tenant = $tenant
    SET i.state = 'running', i.answer = null, i.leaseUntil = datetime.realtime('Z')`,
    { tenant },
  )
  expect(await (await create()).json()).toMatchObject({ id: first.id })
})

test('an import beyond the quota stores nothing of that part', async () => {
  const { tenant, client } = service.newTenant()
  await service.client.putQuota({ tenant, memories: 2 })
  const lines = bundleLines(Array.from({ length: 3 }, (_, at) => memoryLine({ content: `line ${at}` })))
  expect(await problemOf(client.importBundle({ lines }))).toMatchObject({ code: 'quota_exceeded' })
  expect((await counts(tenant)).stored).toMatchObject({ active: 0 })
})
