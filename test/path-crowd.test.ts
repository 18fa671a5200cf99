import { afterAll, beforeAll, expect, test } from 'vitest'
import { removeTenant } from './support/crowd.ts'
import { idOf, remember } from './support/seed.ts'
import { startService, type TestService } from './support/service.ts'

let service: TestService
beforeAll(async () => {
  service = await startService()
})
afterAll(async () => {
  await removeTenant(service, service.tenant)
  await service?.[Symbol.asyncDispose]()
})

const CROWD = 50

test('through a crowd where everyone is connected with everyone alike, the shortest paths come first', async () => {
  const crowd = Array.from({ length: CROWD }, (_, at) => `crowd ${at}`)
  const ids = (await remember(service.client, [...crowd, 'before', 'after', 'far'])).map(idOf)
  const [before, after, far] = ids.slice(CROWD) as [string, string, string]
  await service.cypher(
    `CYPHER 25 UNWIND $ids AS one UNWIND $ids AS other
     MATCH (a:Memory {id: one}) MATCH (b:Memory {id: other}) WHERE a.id < b.id
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
