import { expect, test } from 'vitest'
import { idOf, remember } from '../support/seed.ts'
import { withServicePerTest } from '../support/service.ts'

const service = withServicePerTest()

test('a tenant without anything has counts of zero', async () => {
  expect(await service.client.getStats()).toEqual({
    memories: {
      total: 0,
      by_state: { active: 0, archived: 0 },
      by_policy: {},
      embeddings_pending: 0,
      embeddings_failed: 0,
    },
    connections: { total: 0, by_type: {}, by_origin: { asserted: 0, discovered: 0 } },
    queue: { depth: 0, failed: 0, oldest_age_seconds: null },
    model: null,
  })
})

test('memories are counted by state and policy, connections by type and origin', async () => {
  const memories = await remember(service.client, [
    'a cat',
    'a kitten',
    { content: 'an oven', policy: 'pinned' },
    { content: 'a violin', policy: 'long_term' },
  ])
  await service.drain()
  const [cat, kitten, oven, violin] = memories.map(idOf) as [string, string, string, string]
  await service.client.createConnection({ source_id: cat, target_id: oven, relationship_type: 'supports' })
  await service.client.createConnection({ source_id: oven, target_id: cat, relationship_type: 'supports' })
  await service.client.createConnection({ source_id: cat, target_id: kitten, relationship_type: 'part_of' })
  await service.client.deleteMemory({ id: violin })
  expect(await service.client.getStats()).toMatchObject({
    memories: {
      total: 4,
      by_state: { active: 3, archived: 1 },
      by_policy: { short_term: 2, pinned: 1, long_term: 1 },
      embeddings_pending: 0,
    },
    connections: {
      total: 4,
      by_type: { supports: 2, part_of: 1, related_to: 1 },
      by_origin: { asserted: 3, discovered: 1 },
    },
  })
  await service.client.deleteMemory({ id: cat, hard: true })
  expect((await service.client.getStats()).connections.total).toBe(0)
})

test('the queue is counted, with the age of its oldest job, and pending embeddings', async () => {
  service.embeddings.fail(['down', 'down', 'down'])
  await remember(service.client, ['a cat', 'a truck'])
  await service.cypher(
    'MATCH (j:Job {tenant: $tenant}) WITH j LIMIT 1 SET j.createdAt = j.createdAt - duration({minutes: 2})',
    { tenant: service.tenant },
  )
  const { queue, memories } = await service.client.getStats()
  expect(memories.embeddings_pending).toBe(2)
  expect(queue).toMatchObject({ depth: 2, failed: 0 })
  expect(queue.oldest_age_seconds).toBeGreaterThanOrEqual(120)
  expect(queue.oldest_age_seconds).toBeLessThan(180)
})

test('counts take no parameters', async () => {
  expect((await service.request('/stats?tenant=other')).status).toBe(422)
})
