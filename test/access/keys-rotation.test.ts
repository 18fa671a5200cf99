import { expect, test } from 'vitest'
import { freshTenant, problemOf, someMemory, withService } from '../support/service.ts'

const service = withService()
const statsWith = (key: string, tenant = '') => service.clientOf(tenant, key).getStats()

test('a rotated key leaves a successor that is the same but for its secret, and stays valid for a while', async () => {
  const asked = { name: 'the nightly job', scopes: ['read', 'delete'] as const, rate_limit: 500 }
  const other = freshTenant()
  const old = await service.client.createKey({ ...asked, scopes: [...asked.scopes], other_tenants: [other] })
  const { key, id, ...successor } = await service.client.rotateKey({ id: old.id, overlap_seconds: 3_600 })
  expect(successor).toMatchObject({ ...asked, other_tenants: [other], expires_at: null, last_used_at: null })
  expect(id).not.toBe(old.id)
  await statsWith(key)
  await statsWith(key, other)
  await statsWith(old.key)
  const { keys } = await service.client.listKeys()
  const ends = Date.parse(keys.find(each => each.id === old.id)?.expires_at ?? '') - Date.now()
  expect(ends).toBeGreaterThan(3_500_000)
  expect(ends).toBeLessThanOrEqual(3_600_000)
})

test('without an overlap the old key is refused at once', async () => {
  const old = await service.client.createKey()
  await statsWith(old.key)
  const { key } = await service.client.rotateKey({ id: old.id, overlap_seconds: 0 })
  expect(await problemOf(statsWith(old.key))).toMatchObject({ code: 'unauthorized' })
  await statsWith(key)
})

test('a key that expires before the overlap is over still does', async () => {
  const expires_at = new Date(Date.now() + 60_000).toISOString()
  const old = await service.client.createKey({ expires_at })
  expect(await service.client.rotateKey({ id: old.id })).toMatchObject({ expires_at })
  const { keys } = await service.client.listKeys()
  expect(keys.find(({ id }) => id === old.id)).toMatchObject({ expires_at })
})

test('only the operator makes or rotates keys with other tenants, and sets their limit', async () => {
  const other = freshTenant()
  const wide = await service.client.createKey({ other_tenants: [other] })
  const admin = service.clientOf('', (await service.client.createKey({ scopes: ['admin'] })).key)
  for (const call of [
    () => admin.createKey({ other_tenants: [other] }),
    () => admin.createKey({ rate_limit: 1_000_000 }),
    () => admin.rotateKey({ id: wide.id }),
  ])
    expect(await problemOf(call())).toMatchObject({ status: 403, code: 'forbidden' })
})

test('a key with other tenants acts in each of them when it names it, and in no further one', async () => {
  const [other, third] = [freshTenant(), freshTenant()]
  const { key } = await service.client.createKey({ other_tenants: [other, service.tenant] })
  const { id } = await service.clientOf(other, key).createMemory(someMemory())
  expect(await service.clientOf(other).getMemory({ id })).toMatchObject({ id })
  expect(await problemOf(service.clientOf('', key).getMemory({ id }))).toMatchObject({ status: 404 })
  expect(await problemOf(statsWith(key, third))).toMatchObject({ status: 403, code: 'forbidden' })
})

test('an erased tenant is withdrawn from the keys of others', async () => {
  const other = freshTenant()
  const { id, key } = await service.client.createKey({ other_tenants: [other] })
  await service.clientOf(other, key).createMemory(someMemory())
  await service.client.eraseTenant({ tenant: other })
  expect(await problemOf(statsWith(key, other))).toMatchObject({ status: 403 })
  const { keys } = await service.client.listKeys()
  expect(keys.find(each => each.id === id)).toMatchObject({ other_tenants: [] })
})
