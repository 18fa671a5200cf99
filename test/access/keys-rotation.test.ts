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

const rotated = (id: string, overlap_seconds: number) => service.client.rotateKey({ id, overlap_seconds })
type Rotated = { id: string; key: string; expires_at: string | null }
const inAnHour = () => new Date(Date.now() + 3_600_000).toISOString()

test.each([
  ['that never expires', () => undefined],
  ['that expires later', inAnHour],
])(
  'each successor of a key %s lives as long as the key did, however often it is rotated',
  async (_, life) => {
    const expires_at = life()
    const old = await service.client.createKey(expires_at === undefined ? {} : { expires_at })
    const ends = { expires_at: expires_at ?? null }
    expect(await rotated(old.id, 60)).toMatchObject(ends)
    expect(await rotated(old.id, 3_600)).toMatchObject(ends)
    const last = await rotated(old.id, 0)
    expect(last).toMatchObject(ends)
    await statsWith(last.key)
    expect(await problemOf(statsWith(old.key))).toMatchObject({ code: 'unauthorized' })
  },
)

test('another rotation does not extend the overlap of the one before it', async () => {
  const old = await service.client.createKey()
  const endOf = async () =>
    Date.parse((await service.client.listKeys()).keys.find(({ id }) => id === old.id)?.expires_at ?? '')
  await rotated(old.id, 60)
  const end = await endOf()
  await rotated(old.id, 3_600)
  expect(await endOf()).toBe(end)
})

test('two operators who rotate a key at once both get a successor that works', async () => {
  const old = await service.client.createKey()
  const made = await Promise.all([rotated(old.id, 60), rotated(old.id, 60)])
  for (const { key, expires_at } of made) {
    expect(expires_at).toBeNull()
    await statsWith(key)
  }
})

test('an expired key is not rotated, and the answer says so', async () => {
  const old = await service.client.createKey()
  await rotated(old.id, 0)
  expect(await problemOf(rotated(old.id, 60))).toMatchObject({ status: 409, code: 'key_expired' })
})

test('a rotation without an overlap that is repeated with its Idempotency-Key gives the same key', async () => {
  const old = await service.client.createKey()
  const rotate = () =>
    service.request(`/admin/keys/${old.id}/rotate`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', 'idempotency-key': `rotate-${old.id}` },
      body: JSON.stringify({ overlap_seconds: 0 }),
    })
  const first = (await (await rotate()).json()) as Rotated
  const again = await (await rotate()).json()
  expect(again).toEqual(first)
  await statsWith(first.key)
  // The answer was never stored: the process died behind the rotation.
  await service.cypher(
    `MATCH (i:IdempotentRequest) WHERE i.id ENDS WITH $key
    SET i.state = 'running', i.answer = null, i.leaseUntil = datetime.realtime('Z')`,
    { key: `rotate-${old.id}` },
  )
  const repeated = (await (await rotate()).json()) as Rotated
  expect(repeated).toMatchObject({ id: first.id, expires_at: null })
  await expect
    .poll(() =>
      statsWith(repeated.key).then(
        () => true,
        () => false,
      ),
    )
    .toBe(true)
})

test('a key that is restored from a backup within its overlap has a successor with its own life', async () => {
  const tenant = freshTenant()
  const { id } = await service.clientOf(tenant).createKey()
  await service.clientOf(tenant).rotateKey({ id, overlap_seconds: 3_600 })
  const { keys } = await service.client.exportRecords({ tenant })
  await service.client.eraseTenant({ tenant })
  await service.client.importRecords({ tenant, keys })
  const restored = (await service.clientOf(tenant).listKeys()).keys.find(each => each.id === id)
  expect(Date.parse(restored?.expires_at ?? '')).toBeLessThanOrEqual(Date.now() + 3_600_000)
  expect(await service.clientOf(tenant).rotateKey({ id })).toMatchObject({ expires_at: null })
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
