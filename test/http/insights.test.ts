import { expect, test } from 'vitest'
import type { Input } from '../../src/contract/index.ts'
import { idOf, remember } from '../support/seed.ts'
import { problemOf, withServicePerTest } from '../support/service.ts'

const service = withServicePerTest()
const tenths = (counts: Record<number, number>) => Array.from({ length: 10 }, (_, at) => counts[at] ?? 0)

test('a tenant without anything has days of zero', async () => {
  const { days, ...rest } = await service.client.getInsights({ days: 3 })
  expect(days.map(({ created, archived }) => [created, archived])).toEqual(Array(3).fill([0, 0]))
  expect(rest).toEqual({
    importance: tenths({}),
    health: tenths({}),
    fading: 0,
    unconnected: 0,
    never_recalled: 0,
    near_duplicates: { count: 0, complete: true },
    outliers: { count: 0, complete: true },
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
    fading: 0,
    unconnected: 0,
    never_recalled: 1,
    near_duplicates: { count: 0, complete: true },
    outliers: { count: 0, complete: true },
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

/** The ids of the memories of a figure, read in pages of two. */
const idsOf = async (figure: Input<'listInsightMemories'>['figure']) => {
  const ids: string[] = []
  for (let cursor: string | undefined; ; ) {
    const page = await service.client.listInsightMemories({ figure, limit: 2, cursor })
    ids.push(...page.memories.map(({ memory }) => memory.id))
    if (page.next_cursor === null) return ids
    cursor = page.next_cursor
  }
}

const sortedIds = (memories: readonly { id: string }[]) => memories.map(idOf).sort()

test('each figure lists exactly the memories that it counts, in pages', async () => {
  const { client } = service
  const memories = await remember(
    client,
    ['cat', 'truck', 'bread', 'violin', 'rain'].map(content => ({ content })),
  )
  const [cat, truck, ...others] = memories.map(idOf) as [string, string, string, string, string]
  await client.createConnection({ source_id: cat, target_id: truck })
  const [faded, limited, recalled] = others
  await client.getMemory({ id: recalled })
  const back = (days: number) => `datetime.realtime('Z') - duration({days: ${days}})`
  await service.cypher(
    `MATCH (m:Memory) WHERE m.tenant = $tenant
    SET m.health = CASE m.id WHEN $faded THEN 19.0 ELSE m.health END,
      m.createdAt = CASE m.id WHEN $limited THEN ${back(3)} WHEN $recalled THEN ${back(40)} WHEN $cat THEN ${back(31)}
        ELSE m.createdAt END,
      m.expiresAt = CASE m.id WHEN $limited THEN ${back(-2)} END`,
    { faded, limited, recalled, cat },
  )
  const insights = await client.getInsights({})
  expect(insights).toMatchObject({ fading: 1, unconnected: 3, never_recalled: 3 })
  expect(await idsOf('fading')).toEqual([faded])
  expect(await idsOf('unconnected')).toEqual([...others].sort())
  expect(await idsOf('never_recalled')).toEqual([faded, limited, cat].sort())
})

test('near duplicates are found whether discovery joined them or not, and outliers have no neighbour', async () => {
  const { client, embeddings } = service
  const same = await remember(client, ['the same thought', 'The same thought!', 'the same thought.'])
  const [far] = await remember(client, ['entirely elsewhere'])
  const insights = await client.getInsights({})
  expect(insights.near_duplicates).toEqual({ count: 3, complete: true })
  expect(insights.outliers).toEqual({ count: 1, complete: true })
  expect(embeddings).toBeDefined()
  expect(await idsOf('near_duplicates')).toEqual(sortedIds(same))
  expect(await idsOf('outliers')).toEqual([far?.id])
  const { memories } = await client.listInsightMemories({ figure: 'near_duplicates' })
  for (const { memory, near } of memories) {
    expect(near.map(({ memory_id }) => memory_id).sort()).toEqual(
      sortedIds(same).filter(id => id !== memory.id),
    )
    expect(near[0]?.similarity).toBeGreaterThan(0.97)
  }
  await service.drain()
  expect(await idsOf('near_duplicates'), 'now joined').toEqual(sortedIds(same))
})

test('a cursor belongs to its figure', async () => {
  await remember(service.client, ['one', 'two'])
  const { next_cursor } = await service.client.listInsightMemories({ figure: 'unconnected', limit: 1 })
  const other = service.client.listInsightMemories({ figure: 'outliers', cursor: next_cursor as string })
  expect(await problemOf(other)).toMatchObject({ code: 'invalid_cursor' })
})
