import { expect, test } from 'vitest'
import { problemOf, someMemory, withService } from '../support/service.ts'

const service = withService()

test('an expired memory is out of lists and searches before maintenance has run, and can still be fetched', async () => {
  const { id } = await newMemory('Thaumatrope in a box')
  expect(await foundEverywhere(id, 'thaumatrope')).toEqual([true, true, true, true])
  await expire(id)
  expect(await foundEverywhere(id, 'thaumatrope')).toEqual([false, false, false, false])
  expect(await service.client.getMemory({ id })).toMatchObject({ id, state: 'active' })
})

test('an expired memory is neither shown in a walk nor walked through', async () => {
  const [a, b, c] = await Promise.all(['First', 'Second', 'Third'].map(newMemory))
  if (!a || !b || !c) throw new Error('There must be three')
  await service.client.createConnection({ source_id: a.id, target_id: b.id })
  await service.client.createConnection({ source_id: b.id, target_id: c.id })
  const reached = async () =>
    (await service.client.relatedMemories({ id: a.id, depth: 5 })).related.map(({ memory }) => memory.id)
  expect(await reached()).toEqual([b.id, c.id])
  await expire(b.id)
  expect(await reached()).toEqual([])
})

test('an expired memory is not connected by discovery', async () => {
  const { id } = await newMemory('The kitten purrs')
  await service.drain()
  await expire(id)
  const later = await newMemory('The kitten purrs')
  await service.drain()
  const { connections } = await service.client.listConnections({ source_id: later.id })
  expect(connections.map(({ connection }) => connection.target_id)).not.toContain(id)
})

test('a change of the time limit brings an expired memory back', async () => {
  const { id } = await newMemory('Zoetrope')
  await expire(id)
  await service.client.updateMemory({ id, ttl_seconds: 60 })
  expect(await foundEverywhere(id, 'zoetrope')).toEqual([true, true, true, true])
})

test.each([0, 60])(
  'an expired memory that a time limit of %i brings back is connected with what came in the meantime',
  async ttl_seconds => {
    const content = `The kettle sings, ${ttl_seconds}`
    const { id } = await newMemory(content)
    await service.drain()
    await expire(id)
    const later = await newMemory(content)
    await service.drain()
    await service.client.updateMemory({ id, ttl_seconds })
    await service.drain()
    const { connections } = await service.client.listConnections({ source_id: later.id })
    expect(connections.map(({ connection }) => connection.target_id)).toContain(id)
  },
)

test('an expired memory that stays so is not discovered again, whatever else changes', async () => {
  const { id } = await newMemory('Stereoscope')
  await service.drain()
  await expire(id)
  await service.client.updateMemory({ id, importance: 1 })
  expect((await service.client.listJobs({ memory_id: id })).jobs).toEqual([])
})

test('an expired memory that has been archived is listed among the archived', async () => {
  const { id } = await newMemory('Phenakistiscope')
  await expire(id)
  await service.client.deleteMemory({ id })
  for (const input of [{ state: 'archived' }, { include_archived: true }] as const) {
    const { memories } = await service.client.listMemories({ ...input, limit: 200 })
    expect(memories.map(memory => memory.id)).toContain(id)
  }
})

test('an expired memory counts as there for who names it', async () => {
  const { id } = await newMemory('Praxinoscope')
  await expire(id)
  expect(await service.client.deleteMemory({ id, hard: true })).toMatchObject({ state: 'deleted' })
  expect(await problemOf(service.client.getMemory({ id }))).toMatchObject({ status: 404 })
})

const newMemory = (content: string) =>
  service.client.createMemory(someMemory({ content, ttl_seconds: 600, tags: ['limited'] }))

/** As if the time limit had run out a second ago. */
const expire = (id: string) =>
  service.cypher(
    `MATCH (m:Memory {id: $id}) SET m.liveUntil = timestamp() - 1000, m.expiresAt = datetime.realtime('Z') - duration('PT1S')`,
    { id },
  )

/** Whether it is listed, listed by its tag, and found by meaning and by words. */
async function foundEverywhere(id: string, query: string): Promise<boolean[]> {
  const { client } = service
  const listed = [await client.listMemories({ limit: 200 }), await client.listMemories({ tags: ['limited'] })]
  const found = [
    await client.searchMemories({ query, search_type: 'semantic' }),
    await client.searchMemories({ query, search_type: 'keyword' }),
  ]
  return [
    ...listed.map(({ memories }) => memories.some(memory => memory.id === id)),
    ...found.map(({ results }) => results.some(({ memory }) => memory.id === id)),
  ]
}
