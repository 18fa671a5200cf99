import { expect, test } from 'vitest'
import { idOf, remember } from '../support/seed.ts'
import { withServicePerTest } from '../support/service.ts'

const service = withServicePerTest()
const tenths = (counts: Record<number, number>) => Array.from({ length: 10 }, (_, at) => counts[at] ?? 0)

test('a tenant without anything has days of zero', async () => {
  const { days, ...rest } = await service.client.getInsights({ days: 3 })
  expect(days.map(({ created, archived }) => [created, archived])).toEqual(Array(3).fill([0, 0]))
  expect(rest).toEqual({
    importance: tenths({}),
    health: tenths({}),
    unconnected: 0,
    conflicts: 0,
    most_connected: [],
  })
})

test('days, ranges, connections and conflicts are counted', async () => {
  const { client } = service
  const memories = await remember(client, [
    { content: 'a cat', importance: 1 },
    { content: 'a truck', importance: 0 },
    { content: 'a loaf of bread', importance: 0.75 },
    { content: 'a violin' },
  ])
  const [cat, truck, bread, violin] = memories.map(idOf) as [string, string, string, string]
  await client.createConnection({ source_id: cat, target_id: truck, relationship_type: 'contradicts' })
  await client.createConnection({ source_id: truck, target_id: bread, relationship_type: 'supports' })
  await client.deleteMemory({ id: violin })
  const back = "datetime.realtime('Z') - duration({days: $days})"
  await service.cypher(
    `MATCH (m:Memory {tenant: $tenant, id: $bread}) SET m.createdAt = ${back}, m.health = 42.0
    WITH 1 AS one MATCH (m:Memory {tenant: $tenant, id: $violin}) SET m.createdAt = ${back}`,
    { bread, violin, days: 2 },
  )
  const { days, ...rest } = await client.getInsights({ days: 3 })
  expect(days.map(({ created, archived }) => [created, archived])).toEqual([
    [2, 0],
    [0, 0],
    [2, 1],
  ])
  expect(days.map(({ date }) => date)).toEqual(days.map(({ date }) => date).toSorted())
  expect(rest).toEqual({
    importance: tenths({ 0: 1, 7: 1, 9: 1 }),
    health: tenths({ 4: 1, 9: 2 }),
    unconnected: 0,
    conflicts: 1,
    most_connected: [
      { memory_id: truck, connections: 2 },
      ...[cat, bread].toSorted().map(memory_id => ({ memory_id, connections: 1 })),
    ],
  })
  expect((await client.getInsights({ days: 1 })).days.map(({ created }) => created)).toEqual([2])
})

test('as many days are reported as are asked for', async () => {
  expect((await service.client.getInsights({})).days).toHaveLength(90)
  await expect(service.client.getInsights({ days: 367 })).rejects.toMatchObject({ status: 422 })
})
