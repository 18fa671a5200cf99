import { expect, test } from 'vitest'
import { freshTenant, problemOf, someMemory, withService } from '../support/service.ts'

const service = withService()

const logOf = async (tenant: string) =>
  (await service.clientOf(tenant).listAudit({ limit: 500 })).entries.toReversed()

/** A tenant with a key, a webhook, a quota, and the entries of its log about them. */
async function tenantWithRecords() {
  const { tenant, client } = service.newTenant()
  const { key, id } = await client.createKey({
    name: 'the agent',
    scopes: ['read', 'write'],
    rate_limit: 900,
  })
  const hook = await client.createWebhook({ url: 'https://hooks.invalid/', filters: { tags: ['x'] } })
  await service.client.putQuota({ tenant, memories: 5 })
  return { tenant, client, key, id, hook }
}

test('a tenant that was erased gets its keys, webhooks and quota back, and its audit log goes on', async () => {
  const { tenant, client, key, id, hook } = await tenantWithRecords()
  const records = await service.client.exportRecords({ tenant })
  expect(records).toMatchObject({
    keys: [{ id, name: 'the agent', rate_limit: 900, hash: expect.stringMatching(/^[0-9a-f]{64}$/) }],
    webhooks: [{ id: hook.id, filters: { tags: ['x'] }, secret: hook.secret }],
    quota: { tenant, memories: 5, characters: null },
  })
  expect(JSON.stringify(records)).not.toContain(key)
  const entries = await logOf(tenant)
  await service.client.eraseTenant({ tenant })
  expect(await problemOf(service.clientOf('', key).getStats())).toMatchObject({ status: 401 })

  expect(await service.client.importRecords({ tenant, entries, ...records })).toEqual({
    keys: 1,
    webhooks: 1,
    entries: 0,
  })
  // This process may have cached that there is no such key.
  await expect
    .poll(() =>
      service
        .clientOf('', key)
        .getStats()
        .then(
          () => true,
          () => false,
        ),
    )
    .toBe(true)
  expect((await client.listWebhooks()).webhooks).toMatchObject([{ id: hook.id, last_error: null }])
  await client.createMemories({ memories: Array.from({ length: 5 }, () => someMemory()) })
  expect(await problemOf(client.createMemory(someMemory()))).toMatchObject({ code: 'quota_exceeded' })
  const again = await service.client.importRecords({ tenant, ...records })
  expect(again).toEqual({ keys: 0, webhooks: 0, entries: 0 })
  const operations = (await logOf(tenant)).map(({ operation }) => operation)
  expect(operations).toEqual([
    ...['createKey', 'createWebhook', 'putQuota', 'exportRecords', 'eraseTenant'],
    ...['importRecords', 'importRecords'],
  ])
})

test('an audit log is restored where there is none, and refused where it does not fit', async () => {
  const { tenant } = await tenantWithRecords()
  const entries = await logOf(tenant)
  const empty = freshTenant()
  const restore = (of: string, some: typeof entries) =>
    service.client.importRecords({ tenant: of, entries: some })
  expect(await restore(empty, entries.slice(0, 2))).toMatchObject({ entries: 2 })
  expect(await restore(empty, entries)).toMatchObject({ entries: entries.length - 2 })
  expect(await logOf(empty)).toEqual(entries)
  await service.clientOf(empty).createKey()
  expect((await logOf(empty)).at(-1)).toMatchObject({
    operation: 'createKey',
    previous: entries.at(-1)?.digest,
  })

  const changed = entries.map(entry => ({ ...entry, address: '192.0.2.1' }))
  const { tenant: other } = await tenantWithRecords()
  for (const [of, some] of [
    [other, entries],
    [freshTenant(), changed],
    [freshTenant(), entries.toReversed()],
  ] as const)
    expect(await problemOf(restore(of, some))).toMatchObject({ status: 409, code: 'audit_log_differs' })
})

test('only the operator exports and restores records', async () => {
  const { tenant, client } = await tenantWithRecords()
  const admin = service.clientOf('', (await client.createKey({ scopes: ['admin'] })).key)
  expect(await problemOf(admin.exportRecords({ tenant }))).toMatchObject({ status: 403 })
  expect(await problemOf(admin.importRecords({ tenant }))).toMatchObject({ status: 403 })
})
