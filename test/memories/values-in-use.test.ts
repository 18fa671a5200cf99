import { expect, test } from 'vitest'
import { ask } from '../support/graphql.ts'
import { remember } from '../support/seed.ts'
import { someMemory, withService } from '../support/service.ts'

const service = withService()

test('tags, sources and sessions of active memories are listed with their counts, the most frequent first', async () => {
  const { tenant, client } = service.newTenant()
  const [gone] = await remember(client, [
    { content: 'gone', tags: ['only here'], source: 'gone' },
    { content: 'one', tags: ['b', 'a'], source: 'wiki', session_id: 's1' },
    { content: 'two', tags: ['a'], source: 'wiki', session_id: 's2' },
    { content: 'three', tags: ['apple'] },
  ])
  await client.deleteMemory({ id: gone?.id as string })
  expect(await client.listTags()).toEqual({
    values: [
      { value: 'a', count: 2 },
      { value: 'apple', count: 1 },
      { value: 'b', count: 1 },
    ],
    next_cursor: null,
    has_more: false,
    limit: 50,
    offset: 0,
  })
  expect(await client.listTags({ prefix: 'a', limit: 1 })).toMatchObject({
    values: [{ value: 'a' }],
    has_more: true,
  })
  expect(await client.listTags({ prefix: 'a', limit: 1, offset: 1 })).toMatchObject({
    values: [{ value: 'apple' }],
    has_more: false,
  })
  expect((await client.listSources()).values).toEqual([{ value: 'wiki', count: 2 }])
  const { listSessions } = await ask(service, '{ listSessions { values { value count } } }', { tenant })
  expect(listSessions.values).toEqual([
    { value: 's1', count: 1 },
    { value: 's2', count: 1 },
  ])
})

test('a fetch says when a memory fades if nobody recalls it, and null if it does not', async () => {
  const create = (fields: object) => service.client.createMemory(someMemory(fields))
  const fades = async ({ id }: { id: string }) =>
    (await service.client.getMemory({ id, record_recall: false, include_fades_at: true })).fades_at
  const daysUntil = async (memory: { id: string; created_at: string }) =>
    (Date.parse((await fades(memory)) as string) - Date.parse(memory.created_at)) / 86_400_000
  // The built-in policies lose 8 and 2 of 100 a day.
  expect(await daysUntil(await create({ policy: 'short_term' }))).toBeCloseTo(12.5, 6)
  expect(await daysUntil(await create({ policy: 'long_term' }))).toBeCloseTo(50, 6)
  expect(await daysUntil(await create({ policy: 'long_term', ttl_seconds: 86_400 }))).toBeCloseTo(1, 6)
  expect(await fades(await create({ policy: 'pinned' }))).toBeNull()
  const archived = await create({})
  await service.client.deleteMemory({ id: archived.id })
  expect(await fades(archived)).toBeNull()
})
