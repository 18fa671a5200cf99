import { beforeAll, expect, test } from 'vitest'
import { relationshipTypes } from '../../src/contract/connections.ts'
import { rememberIds } from '../support/seed.ts'
import { freshTenant, problemOf, withService } from '../support/service.ts'

/** `first` and `last` are mine; the only ways between them lead over a memory of another tenant. */
const service = withService()
let first: string
let last: string
let foreign: string
const other = freshTenant()
beforeAll(async () => {
  ;[first, last] = await rememberIds(service.client, ['a cat', 'a violin'])
  ;[foreign] = await rememberIds(service.clientOf(other), ['Xylocanary cat'])
  await service.drain()
  for (const [at, type] of relationshipTypes.entries())
    await service.cypher(
      `CYPHER 25 UNWIND [[$first, $foreign], [$foreign, $last], [$last, $foreign], [$foreign, $first]] AS pair
       MATCH (a:Memory {id: pair[0]}), (b:Memory {id: pair[1]})
       CREATE (a)-[r:$($type) {key: a.id + ':' + b.id, origin: 'discovered', strength: 1.0, model: 'Xylocanary',
         createdAt: datetime.realtime('Z')}]->(b)
       SET r.tenant = $tenant`,
      {
        first,
        last,
        foreign,
        type: type.toUpperCase(),
        tenant: [service.tenant, other, null][at % 3] ?? null,
      },
    )
})

const expectNothingForeign = (answer: unknown) => {
  expect(JSON.stringify(answer)).not.toContain('Xylocanary')
  expect(JSON.stringify(answer)).not.toContain(foreign)
}

test.each(['out', 'in', 'both'] as const)(
  'a walk %s does not cross a connection into another tenant',
  async direction => {
    const answer = await service.client.relatedMemories({
      id: first,
      depth: 5,
      limit: 100,
      direction,
      include_archived: true,
    })
    expect(answer).toEqual({ memory_id: first, related: [], truncated: false })
  },
)

test.each(['out', 'in', 'both'] as const)('a path %s does not lead over another tenant', async direction => {
  const answer = await service.client.findPath({ source_id: first, target_id: last, direction })
  expect(answer).toMatchObject({ paths: [], truncated: false })
})

test('a list does not show a connection into another tenant', async () => {
  const filters = [{}, { source_id: first }, { target_id: last }, { origin: 'discovered' as const }]
  for (const filter of filters) {
    const { connections } = await service.client.listConnections({ ...filter, limit: 500 })
    expectNothingForeign(connections)
  }
  for (const end of [{ source_id: foreign }, { target_id: foreign }])
    expect((await service.client.listConnections(end)).connections).toEqual([])
})

test('a connection into another tenant can be neither asserted nor removed', async () => {
  const pair = { source_id: first, target_id: foreign }
  expect(await problemOf(service.client.createConnection(pair))).toMatchObject({ status: 404 })
  expect(await problemOf(service.client.deleteConnection(pair))).toMatchObject({ status: 404 })
})

test('counts, searches and lists do not reveal it', async () => {
  expectNothingForeign(await service.client.getStats())
  expectNothingForeign(await service.client.listMemories({ include_archived: true }))
  for (const search_type of ['semantic', 'keyword', 'hybrid'] as const)
    expectNothingForeign(
      await service.client.searchMemories({ query: 'Xylocanary cat', search_type, limit: 200 }),
    )
})

test('discovery neither changes nor follows it', async () => {
  await service.client.updateMemory({ id: first, content: 'a loud truck' })
  await service.drain()
  const count = 'MATCH (:Memory {id: $foreign})-[r]-() RETURN count(r) AS n'
  expect(await service.cypher(count, { foreign })).toEqual([{ n: 4 * relationshipTypes.length }])
})

test('a job of mine that names a memory of another tenant does nothing to it', async () => {
  const before = await service.clientOf(other).getMemory({ id: foreign, record_recall: false })
  await service.cypher(
    `CREATE (:Job {id: 'discover:' + $foreign + ':planted', kind: 'discover', tenant: $tenant, memoryId: $foreign,
       revision: 1, attempt: 0, state: 'queued', createdAt: datetime.realtime('Z'), runAt: datetime.realtime('Z')})`,
    { foreign, tenant: service.tenant },
  )
  await service.drain()
  expect((await service.client.getStats()).queue).toMatchObject({ depth: 0, failed: 0 })
  expect(await service.clientOf(other).getMemory({ id: foreign, record_recall: false })).toEqual(before)
  expectNothingForeign(await service.client.relatedMemories({ id: last, depth: 5, direction: 'both' }))
})

test('removing my memory removes it, and leaves the other tenant its own', async () => {
  await service.client.deleteMemory({ id: first, hard: true })
  expect(await service.clientOf(other).getMemory({ id: foreign })).toMatchObject({
    content: 'Xylocanary cat',
  })
})
