import { createHash } from 'node:crypto'
import { expect, test } from 'vitest'
import { freshTenant, problemOf, withService } from '../support/service.ts'

const service = withService()

const statsWith = (key: string) => service.clientOf('', key).getStats()
const later = (ms: number) => new Date(Date.now() + ms).toISOString()

test('a new key answers with what it was asked to be, and with its secret this once', async () => {
  const expires_at = later(3_600_000)
  const asked = { name: 'The nightly import', scopes: ['write', 'read', 'write'] as const, expires_at }
  const { key, ...made } = await service.client.createKey({ ...asked, scopes: [...asked.scopes] })
  expect(made).toMatchObject({
    tenant: service.tenant,
    name: 'The nightly import',
    scopes: ['write', 'read'],
    expires_at,
    last_used_at: null,
  })
  const { keys } = await service.client.listKeys()
  expect(keys).toContainEqual(made)
  expect(JSON.stringify(keys)).not.toContain(key)
})

test('a key that is asked for without anything reads and writes, and does not expire', async () => {
  expect(await service.client.createKey()).toMatchObject({
    scopes: ['read', 'write'],
    name: null,
    expires_at: null,
  })
})

/** What follows the mark and the id; it may have underscores of its own. */
const secretOf = (key: string) => key.split('_').slice(2).join('_')

test('the graph holds the hash of a key and nothing of its secret', async () => {
  const { id, key } = await service.client.createKey()
  const [row] = await service.cypher<{ stored: Record<string, unknown> }>(
    'MATCH (k:ApiKey {id: $id}) RETURN properties(k) AS stored',
    { id },
  )
  expect(row?.stored.hash).toBe(createHash('sha256').update(key).digest('hex'))
  expect(JSON.stringify(row?.stored)).not.toContain(secretOf(key))
})

test('no two keys are alike', async () => {
  const made = await Promise.all(Array.from({ length: 5 }, () => service.client.createKey()))
  expect(new Set(made.map(({ key }) => secretOf(key))).size).toBe(5)
})

test.each([
  ['no scopes', { scopes: [] }, '/scopes'],
  ['a scope that does not exist', { scopes: ['root'] }, '/scopes/0'],
  ['an expiry in the past', { expires_at: later(-1000) }, '/expires_at'],
  ['an expiry that is no time', { expires_at: 'tomorrow' }, '/expires_at'],
  ['an empty name', { name: '' }, '/name'],
  ['a name that is too long', { name: 'x'.repeat(101) }, '/name'],
  ['a malformed tenant', { tenant: 'Ärger' }, '/tenant'],
  ['a secret of its own', { key: 'mine' }, '/key'],
])('a key with %s is refused', async (_, fields: object, pointer) => {
  const problem = await problemOf(service.client.createKey(fields))
  expect(problem).toMatchObject({ status: 422, pointers: [pointer] })
})

test('a revoked key is refused at once, however its id is written', async () => {
  for (const idAs of [(id: string) => id, (id: string) => id.toUpperCase()]) {
    const { id, key } = await service.client.createKey()
    await statsWith(key)
    expect(await service.client.deleteKey({ id: idAs(id) })).toEqual({ id, deleted: true })
    expect(await problemOf(statsWith(key))).toMatchObject({ status: 401, code: 'unauthorized' })
  }
})

test('a key that is revoked twice is unknown the second time', async () => {
  const { id } = await service.client.createKey()
  await service.client.deleteKey({ id })
  expect(await problemOf(service.client.deleteKey({ id }))).toMatchObject({
    status: 404,
    code: 'key_not_found',
  })
})

test('a key whose time is over is refused', async () => {
  const { id, key } = await service.client.createKey({ expires_at: later(60_000) })
  await service.cypher(
    `MATCH (k:ApiKey {id: $id}) SET k.expiresAt = datetime.realtime('Z') - duration('PT1S')`,
    { id },
  )
  const problem = await problemOf(statsWith(key))
  expect(problem).toMatchObject({ status: 401, code: 'unauthorized', detail: 'The key has expired.' })
})

test('an expiry with an offset is the same moment', async () => {
  const { expires_at } = await service.client.createKey({ expires_at: '2090-01-01T02:00:00.5+02:00' })
  expect(expires_at).toBe('2090-01-01T00:00:00.500Z')
})

test('the last use of a key is kept', async () => {
  const { id, key } = await service.client.createKey()
  await statsWith(key)
  const lastUse = async () =>
    (await service.client.listKeys()).keys.find(each => each.id === id)?.last_used_at ?? null
  await expect.poll(lastUse).not.toBeNull()
})

test('keys are listed oldest first, those of the tenant alone', async () => {
  const tenant = freshTenant()
  const first = await service.client.createKey({ tenant })
  const second = await service.client.createKey({ tenant })
  const { keys } = await service.clientOf(tenant).listKeys()
  expect(keys.map(({ id }) => id)).toEqual([first.id, second.id])
})
