import { expect, test } from 'vitest'
import { freshTenant, problemOf, someMemory, withService } from '../support/service.ts'

const service = withService()

async function twoPairs() {
  const tenant = freshTenant()
  const { key } = await service.client.createKey({ tenant, owner: 'anna', scopes: ['delete'] })
  const anna = service.clientOf('', key)
  const create = async (visibility: 'private' | 'shared') =>
    (await anna.createMemory(someMemory({ content: `one of the ${visibility} ones`, visibility }))).id
  const own = [await create('private'), await create('private')] as const
  const shared = [await create('shared'), await create('shared')] as const
  const pair = ([source_id, target_id]: readonly [string, string]) => ({ source_id, target_id })
  return { tenant, anna, team: service.clientOf(tenant), own, shared, pair }
}

test('a batch connects each pair where its memories are, private and shared ones', async () => {
  const { tenant, anna, team, own, shared, pair } = await twoPairs()
  const hers = service.clientOf(`${tenant}~anna`)
  for (const order of [
    [own, shared],
    [shared, own],
  ] as const) {
    const { connections } = await anna.createConnections({ connections: order.map(pair) })
    expect(connections.map(({ source_id }) => source_id)).toEqual(order.map(([source]) => source))
  }
  expect((await hers.listConnections()).connections.map(({ source_id }) => source_id)).toEqual([own[0]])
  expect((await team.listConnections()).connections.map(({ source_id }) => source_id)).toEqual([shared[0]])
})

test('a batch with a pair across both, or with a missing memory, connects none and says which', async () => {
  const { tenant, anna, team, own, shared, pair } = await twoPairs()
  const across = anna.createConnections({
    connections: [pair(own), pair(shared), pair([own[0], shared[1]])],
  })
  expect(await problemOf(across)).toMatchObject({ status: 422, pointers: ['/connections/2/target_id'] })
  const nowhere = '01890000-0000-7000-8000-000000000000'
  const missing = anna.createConnections({ connections: [pair(own), pair([shared[0], nowhere])] })
  expect(await problemOf(missing)).toMatchObject({
    code: 'memory_not_found',
    pointers: ['/connections/1/target_id'],
  })
  for (const client of [team, service.clientOf(`${tenant}~anna`)])
    expect((await client.listConnections()).total).toBe(0)
})

test('the answer to a batch of both goes with a memory of either, and its key means the same', async () => {
  const { anna, own, shared, pair } = await twoPairs()
  const keyed = { headers: { 'idempotency-key': 'both' } }
  const input = { connections: [pair(own), pair(shared)].map(each => ({ ...each, reason: 'they belong' })) }
  const first = await anna.createConnections(input, keyed)
  expect(await anna.createConnections(input, keyed)).toEqual(first)
  await anna.deleteMemory({ id: own[1], hard: true })
  expect(await problemOf(anna.createConnections(input, keyed))).toMatchObject({
    code: 'idempotency_answer_gone',
  })
})
