import { expect, test } from 'vitest'
import { freshTenant, problemOf, someMemory, withService } from '../support/service.ts'

const service = withService()

test('an unknown policy is answered with the names that the tenant may use, all or as many as fit', async () => {
  const client = service.clientOf(freshTenant())
  await client.putPolicy({ name: 'own_policy', health_decay: 1 })
  const refused = async () =>
    (await problemOf(client.createMemory(someMemory({ policy: 'no_such_policy' })))).detail
  expect(await refused()).toBe('`policy` must be one of: short_term, long_term, pinned, own_policy.')
  const long = Array.from({ length: 20 }, (_, at) => `${'a'.repeat(30)}_${at}`)
  for (const name of long) await client.putPolicy({ name, health_decay: 1 })
  const detail = await refused()
  expect(detail).toMatch(
    /^`policy` must be one of: short_term, long_term, pinned, a{30}_0, .*, and \d+ more, which `listPolicies` returns\.$/,
  )
  expect(detail).not.toContain('…')
})
