import { expect, test } from 'vitest'
import { freshTenant, someMemory, withService } from '../support/service.ts'
import { ways } from '../support/subscriptions.ts'

const service = withService()

/** A tenant, with a key that has an owner and a client of everybody else. */
async function tenantWithOwner() {
  const tenant = freshTenant()
  const { key } = await service.client.createKey({ tenant, owner: 'anna', scopes: ['delete'] })
  return { key, anna: service.clientOf('', key), others: service.clientOf(tenant) }
}

type Told = { data?: { changes: { cursor: string } }; errors?: unknown }

test.each(Object.keys(ways))(
  'the cursors of a subscription of an owner are those of the tenant: %s',
  async way => {
    const { key, others } = await tenantWithOwner()
    const client = ways[way]?.(service, { key })
    const told = client?.iterate({ query: 'subscription { changes { cursor } }' }).next()
    let heard: Told | undefined
    void told?.then(({ value }) => {
      heard = value as Told
    })
    await expect
      .poll(async () => {
        await others.createMemory(someMemory())
        return heard?.errors ?? heard?.data
      })
      .toBeDefined()
    const cursor = heard?.data?.changes.cursor ?? ''
    expect(await others.listChanges({ cursor })).toMatchObject({ changes: expect.any(Array) })
    client?.dispose()
  },
)

test('an owner subscribes from where a list of changes ends', async () => {
  const { key, anna } = await tenantWithOwner()
  const { next_cursor } = await anna.listChanges({ from: 'now' })
  const { id } = await anna.createMemory(someMemory({ visibility: 'shared' }))
  const client = ways['graphql-sse']?.(service, { key })
  const query = `subscription { changes(after: "${next_cursor}") { memoryId } }`
  const told = await client?.iterate({ query }).next()
  expect(told?.value).toEqual({ data: { changes: { memoryId: id } } })
  client?.dispose()
})
