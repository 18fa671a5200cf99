import { expect, test } from 'vitest'
import { ask } from '../support/graphql.ts'
import { numbered, rememberIds } from '../support/seed.ts'
import { freshTenant, withService } from '../support/service.ts'

const service = withService()

test('40 clients that connect the same pairs in random order make every connection once', async () => {
  const ids = await rememberIds(service.client, numbered(8, 'bread'))
  const pairs = ids.flatMap(source_id =>
    ids.flatMap(target_id => (source_id === target_id ? [] : [{ source_id, target_id }])),
  )
  const outcomes = await Promise.all(
    Array.from({ length: 40 }, async (_, client) => {
      const failures: unknown[] = []
      for (const pair of shuffled(pairs).slice(0, 14))
        await service.client
          .createConnection({ ...pair, relationship_type: client % 2 ? 'supports' : 'related_to' })
          .catch(error => failures.push(error))
      return failures
    }),
  )
  expect(outcomes.flat()).toEqual([])
  const edges = await service.cypher<{ edge: string; n: number }>(
    `MATCH (a:Memory {tenant: $tenant})-[r]->(b:Memory)
     RETURN a.id + type(r) + b.id AS edge, count(*) AS n`,
    { tenant: service.tenant },
  )
  expect(edges.filter(({ n }) => n > 1)).toEqual([])
  expect(edges.length).toBeGreaterThan(pairs.length)
  expect((await service.client.listConnections({})).total).toBe(edges.length)
})

test('connecting and disconnecting at once leaves each pair connected once or not at all', async () => {
  const [source_id, target_id] = await rememberIds(service.client, ['one', 'two'])
  const outcomes = await Promise.allSettled(
    Array.from({ length: 40 }, (_, at) =>
      at % 2
        ? service.client.createConnection({ source_id, target_id, strength: 0.5 })
        : service.client.deleteConnection({ source_id, target_id }),
    ),
  )
  const refusals = outcomes.flatMap(outcome => (outcome.status === 'rejected' ? [outcome.reason.status] : []))
  expect(refusals.filter(status => status !== 404)).toEqual([])
  expect((await service.client.listConnections({ source_id, target_id })).total).toBeLessThanOrEqual(1)
})

test('each memory of a page shows its strongest connections, however many they have together', async () => {
  const tenant = freshTenant()
  const ids = await rememberIds(service.clientOf(tenant), numbered(110, 'crowded'))
  const edges = ids.flatMap((source, from) =>
    ids.flatMap((target, to) =>
      from === to ? [] : [{ source, target, strength: ((from * 7919 + to * 104_729) % 10_007) / 10_007 }],
    ),
  )
  await service.cypher(
    `UNWIND $edges AS edge
    MATCH (a:Memory {tenant: $tenant, id: edge.source}), (b:Memory {tenant: $tenant, id: edge.target})
    CREATE (a)-[:RELATED_TO {key: a.id + ':' + b.id, tenant: $tenant, strength: edge.strength, createdAt: a.createdAt,
      origin: 'asserted'}]->(b)`,
    { edges, tenant },
  )
  const query = '{ memories(limit: 110) { id connections(limit: 5) { connection { strength } } } }'
  const { memories } = await ask(service, query, { tenant })
  const strongest = (id: string) =>
    edges
      .filter(({ source, target }) => source === id || target === id)
      .toSorted((a, b) => b.strength - a.strength)
      .slice(0, 5)
      .map(({ strength }) => ({ connection: { strength } }))
  expect(memories).toHaveLength(110)
  for (const { id, connections } of memories) expect(connections).toEqual(strongest(id))
})

const shuffled = <Item>(items: readonly Item[]) =>
  items
    .map(item => ({ item, place: Math.random() }))
    .sort((a, b) => a.place - b.place)
    .map(({ item }) => item)
