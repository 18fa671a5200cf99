import { expect, test } from 'vitest'
import { runInProcess } from '../support/in-process-cli.ts'
import { remember } from '../support/seed.ts'
import { freshTenant, problemOf, withService } from '../support/service.ts'

const service = withService()

test('the operator lists tenants with what they have', async () => {
  const { tenant, client } = service.newTenant()
  const [first] = await remember(client, ['one', 'two'])
  await client.deleteMemory({ id: String(first?.id) })
  await client.createKey({})
  const { tenants } = await service.client.listTenants({ after: tenant.slice(0, -1), limit: 1 })
  expect(tenants).toEqual([
    {
      tenant,
      memories: { active: 1, archived: 1 },
      characters: 6,
      quota: null,
      keys: 1,
      last_write_at: expect.stringMatching(/Z$/),
    },
  ])
  const bare = `${tenant}x`
  await service.clientOf(bare).createKey({})
  const next = await service.client.listTenants({ after: tenant, limit: 1 })
  expect(next.tenants[0]).toEqual({
    tenant: bare,
    memories: { active: 0, archived: 0 },
    characters: 0,
    quota: null,
    keys: 1,
    last_write_at: null,
  })
  expect((await runInProcess(['tenants', 'list', '--after', tenant, '-n', '1'], { service })).out).toContain(
    bare,
  )
})

test('the erasure of a tenant leaves its audit log and its receipts only', async () => {
  const tenant = freshTenant()
  const other = service.clientOf(`${tenant}-other`)
  await remember(other, ['stays'])
  const client = service.clientOf(tenant)
  const memories = await remember(client, ['one', 'two', 'three'])
  await client.putPolicy({ name: 'notes', health_decay: 1 })
  await client.planMaintenance({})
  await client.getMemory({ id: String(memories[0]?.id) })
  const key = await client.createKey({ scopes: ['admin'] })
  await client.listChanges({})

  const before = await run('tenants', 'erase', tenant)
  expect(before).toMatchObject({ code: 64 })
  expect((await client.listMemories()).memories).toHaveLength(3)
  const receipt = await service.client.eraseTenant({ tenant })
  expect(receipt).toMatchObject({ counts: { memories: 3 }, verified: true, complete: true })
  expect(await labelsOf(tenant)).toEqual(['AuditEntry', 'AuditLog', 'ClosedTenant', 'Erasure', 'Feed'])
  expect(await problemOf(service.clientOf(tenant, key.key).getStats())).toMatchObject({ status: 401 })
  expect((await client.listAudit()).entries[0]).toMatchObject({
    operation: 'eraseTenant',
    target: receipt.id,
  })
  expect(await problemOf(service.client.eraseTenant({ tenant }))).toMatchObject({ code: 'tenant_not_found' })
  expect((await other.listMemories()).memories).toHaveLength(1)
})

test('a key of a tenant sees and erases no tenants', async () => {
  const tenant = freshTenant()
  const { key } = await service.clientOf(tenant).createKey({ scopes: ['admin'] })
  const client = service.clientOf(tenant, key)
  expect(await problemOf(client.listTenants())).toMatchObject({ code: 'forbidden' })
  expect(await problemOf(client.eraseTenant({ tenant }))).toMatchObject({ code: 'forbidden' })
})

const run = (...words: string[]) => runInProcess(words, { service })

const labelsOf = async (tenant: string) => {
  const rows = await service.cypher<{ label: string }>(
    'MATCH (n) WHERE n.tenant = $tenant OR n.unnumbered = $tenant UNWIND labels(n) AS label RETURN DISTINCT label ORDER BY label',
    { tenant },
  )
  return rows.map(({ label }) => label)
}
