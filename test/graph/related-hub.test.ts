import { afterAll, expect, test } from 'vitest'
import { relationshipTypes } from '../../src/contract/connections.ts'
import { removeTenant } from '../support/copied-tenant.ts'
import { rememberIds } from '../support/seed.ts'
import { withService } from '../support/service.ts'

const service = withService()
afterAll(async () => {
  await removeTenant(service, service.tenant)
})

/**
 * Points a hub at so many memories, each by all types: eight times as many connections. They are made straight in the
 * graph, without vectors; those to the n-th are weaker than those to the one before.
 */
async function spokes(of: string, count: number) {
  await service.cypher(
    `CYPHER 25 MATCH (hub:Memory {id: $of})
     UNWIND range(1, $count) AS at
     CREATE (m:Memory) SET m = hub{.*, id: randomUUID(), content: 'spoke ' + toString(toInteger(at))}
     FOREACH (key IN [key IN keys(hub) WHERE key STARTS WITH 'embedding'] | REMOVE m[key])
     WITH hub, m, at
     UNWIND $types AS type
     CREATE (hub)-[:$(type) {key: hub.id + ':' + m.id, tenant: hub.tenant, origin: 'asserted',
       strength: 1.0 - at / ($count + 1.0), createdAt: datetime.realtime('Z')}]->(m)`,
    { of, count, types: relationshipTypes.map(type => type.toUpperCase()) },
  )
}

test('the strongest of thousands of connections are found, and the limit alone is no truncation', async () => {
  const [start, hub] = await rememberIds(service.client, ['start', 'hub'])
  await spokes(hub, 750)
  await service.client.createConnection({ source_id: start, target_id: hub, strength: 1 })
  const { related, truncated } = await service.client.relatedMemories({ id: start, depth: 3, limit: 100 })
  expect(truncated).toBe(false)
  expect(related.map(({ memory }) => memory.content)).toEqual([
    'hub',
    ...Array.from({ length: 99 }, (_, at) => `spoke ${at + 1}`),
  ])
  const path = await service.client.findPath({
    source_id: related[99]?.memory.id as string,
    target_id: start,
  })
  expect(path.truncated).toBe(false)
  expect(path.paths.map(({ length }) => length)).toEqual([2, 2, 2])
})

test('beyond the bound on work a walk says that something may be missing', async () => {
  const [hub] = await rememberIds(service.client, ['hub'])
  await spokes(hub, 2600)
  const { related, truncated } = await service.client.relatedMemories({ id: hub, limit: 100 })
  expect(related).toHaveLength(100)
  expect(truncated).toBe(true)
  const [far] = await rememberIds(service.client, ['far'])
  const path = await service.client.findPath({ source_id: hub, target_id: far })
  expect(path).toMatchObject({ paths: [], truncated: true })
})
