import { beforeAll, expect, test } from 'vitest'
import { expectProblem } from '../support/expect-problem.ts'
import { freshTenant, OPERATOR_KEY, problemOf, someMemory, withService } from '../support/service.ts'

const service = withService()
let admin: string
const other = freshTenant()
beforeAll(async () => {
  admin = (await service.client.createKey({ scopes: ['admin'] })).key
})

const ask = (key: string, tenant?: string) =>
  fetch(`${service.baseUrl}/admin/keys`, {
    headers: { authorization: `Bearer ${key}`, ...(tenant === undefined ? {} : { 'x-tenant-id': tenant }) },
  })

test('a key acts in its own tenant, whether or not it names it', async () => {
  const { id } = await service.clientOf('', admin).createMemory(someMemory())
  expect(await service.client.getMemory({ id })).toMatchObject({ id })
  expect((await ask(admin, service.tenant)).status).toBe(200)
})

test('a key that names another tenant is refused', async () => {
  await expectProblem(await ask(admin, other), 'forbidden')
  await expectProblem(await ask(admin, 'default'), 'forbidden')
})

test('the operator acts in the tenant that is named, and in "default" when none is', async () => {
  const name = `Key for ${freshTenant()}`
  const operator = service.clientOf('default')
  const { id } = await operator.createKey({ name })
  const response = await ask(OPERATOR_KEY)
  expect(await response.text()).toContain(name)
  expect(await (await ask(OPERATOR_KEY, other)).text()).not.toContain(name)
  await operator.deleteKey({ id })
})

test.each(['a', 'a-b_c-0', '0', '_', 'x'.repeat(64)])('%s names a tenant', async tenant => {
  expect((await ask(OPERATOR_KEY, tenant)).status).toBe(200)
})

test.each(['', 'A', 'a b', 'a.b', 'ä', 'a/b', 'x'.repeat(65), '*', 'a,b'])(
  '"%s" names no tenant',
  async tenant => {
    await expectProblem(await ask(OPERATOR_KEY, tenant), 'validation_failed')
  },
)

test('a name that no tenant can have breaks a rule, with the key of a tenant too', async () => {
  await expectProblem(await ask(admin, 'A b'), 'validation_failed')
})

test('the operator makes keys for any tenant', async () => {
  const { tenant, key } = await service.client.createKey({ tenant: other })
  expect(tenant).toBe(other)
  const { id } = await service.clientOf('', key).createMemory(someMemory())
  expect(await problemOf(service.client.getMemory({ id }))).toMatchObject({ status: 404 })
  expect(await service.clientOf(other).getMemory({ id })).toMatchObject({ id })
})

test('an admin of a tenant makes keys for that tenant alone', async () => {
  const client = service.clientOf('', admin)
  expect(await client.createKey({ tenant: service.tenant })).toMatchObject({ tenant: service.tenant })
  expect(await client.createKey()).toMatchObject({ tenant: service.tenant })
  expect(await problemOf(client.createKey({ tenant: other }))).toMatchObject({
    status: 403,
    code: 'forbidden',
  })
})

test('an admin of a tenant neither sees nor revokes the keys of another', async () => {
  const { id, key } = await service.client.createKey({ tenant: other })
  const client = service.clientOf('', admin)
  expect((await client.listKeys()).keys.map(each => each.id)).not.toContain(id)
  expect(await problemOf(client.deleteKey({ id }))).toMatchObject({ status: 404, code: 'key_not_found' })
  expect((await ask(key)).status).toBe(403)
})

test('a key with the write scope alone cannot create a key', async () => {
  const { key } = await service.client.createKey({ scopes: ['write'] })
  const problem = await problemOf(service.clientOf('', key).createKey({ scopes: ['admin'] }))
  expect(problem).toMatchObject({ status: 403, code: 'forbidden' })
})
