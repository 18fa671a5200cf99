import { beforeAll, expect, test } from 'vitest'
import type { Client } from '../../src/client.ts'
import { expectProblem } from '../support/expect-problem.ts'
import { freshTenant, problemOf, someMemory, withService } from '../support/service.ts'

const service = withService()
let anna: Client
let annasKey: string
let admin: Client
const keyOf = async (owner: string, scopes: ('read' | 'write' | 'delete')[] = ['delete']) =>
  (await service.client.createKey({ owner, scopes, name: `key of ${owner}` })).key
beforeAll(async () => {
  annasKey = await keyOf('anna')
  anna = service.clientOf('', annasKey)
  admin = service.clientOf('', (await service.client.createKey({ scopes: ['admin'] })).key)
})

const ask = (key: string, tenant?: string) =>
  fetch(`${service.baseUrl}/access`, {
    headers: { authorization: `Bearer ${key}`, ...(tenant === undefined ? {} : { 'x-tenant-id': tenant }) },
  })

test('a key shows the owner that it is bound to', async () => {
  const created = await service.client.createKey({ owner: 'zoe' })
  expect(created).toMatchObject({ owner: 'zoe', tenant: service.tenant })
  const { keys } = await service.client.listKeys()
  expect(keys.find(({ id }) => id === created.id)).toMatchObject({ owner: 'zoe' })
  expect(await service.client.createKey()).toMatchObject({ owner: null })
  expect(await service.clientOf('', created.key).getAccess()).toMatchObject({
    tenant: service.tenant,
    owner: 'zoe',
    scopes: ['read', 'write'],
  })
})

test('a rotated key stays bound to its owner', async () => {
  const { id } = await service.client.createKey({ owner: 'zoe' })
  const next = await service.client.rotateKey({ id })
  expect(next).toMatchObject({ owner: 'zoe' })
  expect(await service.clientOf('', next.key).getAccess()).toMatchObject({ owner: 'zoe' })
})

test('a key with an owner administers nothing, and has no further tenants', async () => {
  expect(await problemOf(service.client.createKey({ owner: 'zoe', scopes: ['admin'] }))).toMatchObject({
    code: 'validation_failed',
    pointers: ['/scopes'],
  })
  const other_tenants = [freshTenant()]
  expect(await problemOf(service.client.createKey({ owner: 'zoe', other_tenants }))).toMatchObject({
    pointers: ['/other_tenants'],
  })
  expect(await problemOf(anna.listKeys())).toMatchObject({ code: 'forbidden' })
  expect(await problemOf(anna.createKey({ owner: 'ben' }))).toMatchObject({ code: 'forbidden' })
})

test('a key with an owner that was stored with more still administers nothing', async () => {
  const { id, key } = await service.client.createKey({ owner: 'zoe' })
  const other = freshTenant()
  await service.cypher("MATCH (k:ApiKey {id: $id}) SET k.scopes = ['admin'], k.otherTenants = [$other]", {
    id,
    other,
  })
  const zoe = service.clientOf('', key)
  expect(await zoe.getAccess()).toMatchObject({ scopes: ['read', 'write', 'delete'] })
  expect(await problemOf(zoe.listKeys())).toMatchObject({ code: 'forbidden' })
  expect((await ask(key, other)).status).toBe(403)
})

test('an owner chooses the shared or the private memories alone by the header', async () => {
  expect(await (await ask(annasKey, service.tenant)).json()).toMatchObject({
    tenant: service.tenant,
    owner: null,
  })
  const own = `${service.tenant}~anna`
  expect(await (await ask(annasKey, own)).json()).toMatchObject({ tenant: own, owner: 'anna' })
})

test.each(['ben', 'ann', 'anna-', 'anna0'])('an owner does not act as %s', async name => {
  await keyOf(name)
  await expectProblem(await ask(annasKey, `${service.tenant}~${name}`), 'forbidden')
})

test.each(['a~', '~a', 'a~b~c', 'A~b', 'a~B', 'a~b c', `a~${'x'.repeat(65)}`])(
  '"%s" names no private memories',
  async name => {
    await expectProblem(await ask(annasKey, name), 'validation_failed')
  },
)

test('administrators of the tenant and the operator name private memories, other keys do not', async () => {
  const { id } = await anna.createMemory(someMemory({ content: 'Anna likes tea' }))
  const own = `${service.tenant}~anna`
  const { key } = await service.client.createKey({ scopes: ['delete'] })
  await expectProblem(await ask(key, own), 'forbidden')
  const adminKey = (await service.client.createKey({ scopes: ['admin'] })).key
  expect(await service.clientOf(own, adminKey).getMemory({ id })).toMatchObject({ owner: 'anna' })
  expect(await service.clientOf(own).getMemory({ id })).toMatchObject({ owner: 'anna' })
  expect(await problemOf(admin.getMemory({ id }))).toMatchObject({ code: 'memory_not_found' })
  const elsewhere = freshTenant()
  const foreign = (await service.client.createKey({ tenant: elsewhere, scopes: ['admin'] })).key
  await expectProblem(await ask(foreign, own), 'forbidden')
})

test('a key is made for a tenant, not for private memories', async () => {
  const own = service.clientOf(`${service.tenant}~anna`)
  expect(await problemOf(own.createKey())).toMatchObject({ pointers: ['/tenant'] })
  const named = { tenant: `${service.tenant}~anna` }
  expect(await problemOf(service.client.createKey(named))).toMatchObject({ code: 'validation_failed' })
})

test('a key keeps its owner through a backup of records', async () => {
  const { id, key } = await service.client.createKey({ owner: 'zoe' })
  const records = await service.client.exportRecords({ tenant: service.tenant })
  await service.client.deleteKey({ id })
  const keys = records.keys.filter(each => each.id === id)
  await service.client.importRecords({ tenant: service.tenant, keys } as never)
  expect(await service.clientOf('', key).getAccess()).toMatchObject({ owner: 'zoe' })
  const { owner: _owner, ...older } = keys[0] as (typeof keys)[number]
  await service.client.deleteKey({ id })
  await service.client.importRecords({ tenant: service.tenant, keys: [older] } as never)
  expect(await service.clientOf('', key).getAccess()).toMatchObject({ owner: null })
})

test('private memories take no keys from a backup', async () => {
  const { keys } = await service.client.exportRecords({ tenant: service.tenant })
  const into = { tenant: `${service.tenant}~anna`, keys }
  expect(await problemOf(service.client.importRecords(into as never))).toMatchObject({
    pointers: ['/keys'],
  })
})

test('a revoked key of an owner ends in the middle of a walk', async () => {
  const { id, key } = await service.client.createKey({ owner: `o-${crypto.randomUUID()}`, scopes: ['write'] })
  const client = service.clientOf('', key)
  for (const content of ['one', 'two', 'three']) await client.createMemory(someMemory({ content }))
  const { next_cursor } = await client.listMemories({ limit: 1 })
  await service.client.deleteKey({ id })
  expect(await problemOf(client.listMemories({ limit: 1, cursor: String(next_cursor) }))).toMatchObject({
    status: 401,
  })
})
