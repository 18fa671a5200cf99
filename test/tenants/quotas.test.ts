import { expect, test } from 'vitest'
import { bundleLines, memoryLine } from '../../tools/bundle-lines.ts'
import { freshTenant, problemOf, someMemory, startService, withService } from '../support/service.ts'

const service = withService()

const tenantWith = async (quota: { memories?: number; characters?: number }) => {
  const tenant = freshTenant()
  expect(await service.client.putQuota({ tenant, ...quota })).toMatchObject({ tenant, ...quota })
  return { tenant, client: service.clientOf(tenant) }
}

const storeAll = (client: typeof service.client, count: number) =>
  client.createMemories({ memories: Array.from({ length: count }, () => someMemory()) })

const countOf = async (client: typeof service.client) => (await client.getStats()).memories.by_state.active

test('a tenant stores as many memories as its quota allows, and learns the figures beyond it', async () => {
  const { client } = await tenantWith({ memories: 3 })
  const { memories } = await storeAll(client, 2)
  await client.createMemory(someMemory())
  expect(await problemOf(client.createMemory(someMemory()))).toMatchObject({
    status: 403,
    code: 'quota_exceeded',
    detail: 'The tenant would have 4 memories, and its quota allows 3.',
  })
  expect(await countOf(client)).toBe(3)

  await client.deleteMemory({ id: memories[0]?.id as string })
  expect(await problemOf(client.createMemory(someMemory()))).toMatchObject({ code: 'quota_exceeded' })
  await client.deleteMemory({ id: memories[0]?.id as string, hard: true })
  await expect
    .poll(() =>
      client.createMemory(someMemory()).then(
        () => true,
        () => false,
      ),
    )
    .toBe(true)
})

test('a batch is stored whole or not at all', async () => {
  const { client } = await tenantWith({ memories: 5 })
  await storeAll(client, 3)
  expect(await problemOf(storeAll(client, 3))).toMatchObject({ code: 'quota_exceeded' })
  expect(await countOf(client)).toBe(3)
})

test('requests at the same moment do not exceed the quota together', async () => {
  const { client } = await tenantWith({ memories: 5 })
  const tried = await Promise.allSettled(Array.from({ length: 20 }, () => client.createMemory(someMemory())))
  expect(tried.filter(({ status }) => status === 'fulfilled')).toHaveLength(5)
  expect(await countOf(client)).toBe(5)
})

test('characters count as well', async () => {
  const { client } = await tenantWith({ characters: 100 })
  await client.createMemory(someMemory({ content: 'x'.repeat(60) }))
  expect(await problemOf(client.createMemory(someMemory({ content: 'y'.repeat(60) })))).toMatchObject({
    detail: 'The tenant would have 120 characters, and its quota allows 100.',
  })
})

test('an import stores no more than the quota allows; memories that exist already do not count twice', async () => {
  const { client } = await tenantWith({ memories: 2 })
  const lines = (count: number) =>
    bundleLines(Array.from({ length: count }, (_, at) => memoryLine({ content: `line ${at} of ${count}` })))
  const two = lines(2)
  await client.importBundle({ lines: two })
  expect((await client.importBundle({ lines: two })).totals.memories).toMatchObject({ unchanged: 2 })
  expect(await problemOf(client.importBundle({ lines: lines(1) }))).toMatchObject({ code: 'quota_exceeded' })
})

test('the setting applies to tenants without a quota of their own', async () => {
  await using own = await startService({ settings: { SERVICE_QUOTA_MEMORIES: '1' } })
  await own.client.createMemory(someMemory())
  expect(await problemOf(own.client.createMemory(someMemory()))).toMatchObject({ code: 'quota_exceeded' })
  await own.client.putQuota({ tenant: own.tenant, memories: 2 })
  await own.client.createMemory(someMemory())
})

test('only the operator sets a quota, and the list of tenants and the audit log show it', async () => {
  const { tenant, client } = await tenantWith({ memories: 7 })
  await client.createMemory(someMemory({ content: 'twelve chars' }))
  const admin = service.clientOf('', (await client.createKey({ scopes: ['admin'] })).key)
  expect(await problemOf(admin.putQuota({ tenant, memories: null }))).toMatchObject({ status: 403 })
  const { tenants } = await service.client.listTenants({ after: tenant.slice(0, -1), limit: 1 })
  expect(tenants).toMatchObject([{ tenant, characters: 12, quota: { memories: 7, characters: null } }])
  const { entries } = await client.listAudit({ operation: 'putQuota' })
  expect(entries).toMatchObject([{ outcome: 'forbidden' }, { target: tenant, outcome: 'ok' }])
})
