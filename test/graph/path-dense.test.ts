import { afterAll, expect, test } from 'vitest'
import { relationshipTypes } from '../../src/contract/connections.ts'
import { removeTenant } from '../support/copied-tenant.ts'
import { rememberIds } from '../support/seed.ts'
import { withService } from '../support/service.ts'

const service = withService()
afterAll(async () => {
  await removeTenant(service, service.tenant)
})

const CROWD = 50

test('where all memories are connected with each other, the shortest paths come first', async () => {
  const crowd = Array.from({ length: CROWD }, (_, at) => `crowd ${at}`)
  const ids = await rememberIds(service.client, [...crowd, 'before', 'after', 'far'])
  const [before, after, far] = ids.slice(CROWD) as [string, string, string]
  await service.cypher(
    `CYPHER 25 UNWIND $ids AS one UNWIND $ids AS other
     MATCH (a:Memory {tenant: $tenant, id: one}) MATCH (b:Memory {tenant: $tenant, id: other}) WHERE a.id < b.id
     CREATE (a)-[:SUPPORTS {key: a.id + ':' + b.id, tenant: a.tenant, origin: 'asserted',
       createdAt: datetime.realtime('Z')}]->(b)`,
    { ids: ids.slice(0, CROWD) },
  )
  const connect = (source_id: string, target_id: string) =>
    service.client.createConnection({ source_id, target_id })
  await connect(far, before)
  await connect(before, ids[0] as string)
  await connect(ids[1] as string, after)
  const { paths, truncated } = await service.client.findPath({ source_id: far, target_id: after, limit: 20 })
  expect(truncated).toBe(false)
  expect(paths.map(({ length }) => length)).toEqual([4, ...Array.from({ length: 19 }, () => 5)])
})

test('all paths are found next to thousands of connections that lead nowhere', async () => {
  const middle = Array.from({ length: 360 }, (_, at) => `between ${at}`)
  const made = await rememberIds(service.client, ['from', 'hub', 'to', ...middle])
  const [from, hub, to, ...between] = made as [string, string, string, ...string[]]
  const edge = (from: string, to: string) =>
    `{key: ${from}.id + ':' + ${to}.id, tenant: hub.tenant, origin: 'asserted', createdAt: hub.createdAt}`
  const edges = relationshipTypes
    .map(type => type.toUpperCase())
    .map(
      type => `CREATE (source)-[:${type} ${edge('source', 'm')}]->(m)-[:${type} ${edge('m', 'hub')}]->(hub)`,
    )
  await service.cypher(
    `CYPHER 25 MATCH (source:Memory {tenant: $tenant, id: $from}) MATCH (hub:Memory {tenant: $tenant, id: $hub})
     UNWIND $between AS id MATCH (m:Memory {tenant: $tenant, id: id}) ${edges.join(' ')}`,
    { from, hub, between },
  )
  await service.cypher(
    `CYPHER 25 MATCH (hub:Memory {tenant: $tenant, id: $hub}) UNWIND range(1, 4000) AS at
     CREATE (leaf:Memory {id: randomUUID(), tenant: hub.tenant, state: 'active', liveUntil: hub.liveUntil})
     CREATE (hub)-[:SUPPORTS ${edge('hub', 'leaf')}]->(leaf)`,
    { hub },
  )
  const connect = (source_id: string, target_id: string, strength?: number) =>
    service.client.createConnection({ source_id, target_id, strength })
  await connect(hub, to, 0.001)
  await connect(hub, from)
  await connect(from, to)
  const { paths, truncated } = await service.client.findPath({
    source_id: from,
    target_id: to,
    direction: 'out',
    limit: 20,
  })
  expect(truncated).toBe(false)
  expect(paths.map(({ length }) => length)).toEqual([1, ...Array.from({ length: 19 }, () => 3)])
})
