import { expect, test } from 'vitest'
import { problemOf, someMemory, withService } from '../support/service.ts'

const service = withService()

test('only the fields that are sent change', async () => {
  const memory = await newMemory({ tags: ['a', 'b'], importance: 0.25, ttl_seconds: 600 })
  const changes = [{ content: 'Rewritten' }, { policy: 'long_term' }, { tags: ['c'] }, { importance: 0.75 }]
  let before = memory
  for (const change of changes) {
    const after = await service.client.updateMemory({ id: memory.id, ...change })
    const moved = { version: before.version + 1, updated_at: after.updated_at }
    expect(after).toEqual({ ...before, ...change, ...moved })
    expect(after.updated_at >= before.updated_at).toBe(true)
    before = after
  }
  expect(await service.client.getMemory({ id: memory.id, record_recall: false })).toEqual(before)
})

test('an empty list of tags clears them', async () => {
  const { id } = await newMemory({ tags: ['a', 'b'] })
  expect(await service.client.updateMemory({ id, tags: [] })).toMatchObject({ tags: [] })
  expect(
    (await service.client.listMemories({ tags: ['a'] })).memories.map(memory => memory.id),
  ).not.toContain(id)
})

test('a change of the time limit counts from that change, and 0 takes it away', async () => {
  const { id } = await newMemory({ ttl_seconds: 10 })
  const later = await service.client.updateMemory({ id, ttl_seconds: 3600 })
  expect(Date.parse(later.expires_at as string)).toBe(Date.parse(later.updated_at) + 3_600_000)
  const never = await service.client.updateMemory({ id, ttl_seconds: 0 })
  expect(never).toMatchObject({ ttl_seconds: 0, expires_at: null })
})

test('other changes leave the time limit where it was', async () => {
  const { id, expires_at } = await newMemory({ ttl_seconds: 3600 })
  expect(await service.client.updateMemory({ id, importance: 1, content: 'New' })).toMatchObject({
    expires_at,
  })
})

test.each([
  ['nothing', {}, ''],
  ['an unknown policy', { policy: 'eternal' }, '/policy'],
  ['a blank content', { content: '\n' }, '/content'],
  ['more than 50 tags', { tags: Array(51).fill('a') }, '/tags'],
  ['an importance beyond its bound', { importance: -0.1 }, '/importance'],
  ['a negative time limit', { ttl_seconds: -1 }, '/ttl_seconds'],
])('a change of %s is refused', async (_, change, pointer) => {
  const { id } = await newMemory()
  const problem = await problemOf(service.client.updateMemory({ id, ...change }))
  expect(problem).toMatchObject({ status: 422, code: 'validation_failed', pointers: [pointer] })
  expect(await service.client.getMemory({ id })).toMatchObject({ version: 1 })
})

test.each(['content', 'policy', 'ttl_seconds', 'tags', 'importance'])(
  'null is no value for %s',
  async field => {
    const { id } = await newMemory()
    const problem = await problemOf(service.client.updateMemory({ id, [field]: null }))
    expect(problem).toMatchObject({ status: 422, pointers: [`/${field}`] })
  },
)

test('an archived memory must be restored before it is changed', async () => {
  const { id } = await newMemory()
  await service.client.deleteMemory({ id })
  const problem = await problemOf(service.client.updateMemory({ id, importance: 1 }))
  expect(problem).toMatchObject({ status: 409, code: 'memory_archived' })
})

test('new content is embedded again, and its discovery is queued again', async () => {
  const { id } = await newMemory({ content: 'The cat purrs' })
  await service.drain()
  const before = await service.client.getMemory({ id, include_embedding: true })
  const { embedding } = await service.client.updateMemory({ id, content: 'The guitar plays a melody' })
  expect(embedding.status).toBe('ready')
  const after = await service.client.getMemory({ id, include_embedding: true })
  expect(after.embedding.vector).not.toEqual(before.embedding.vector)
  expect((await service.client.listJobs({ memory_id: id })).jobs).toMatchObject([{ state: 'queued' }])
})

test('new content is found by its words at once, and the old no longer', async () => {
  const { id } = await newMemory({ content: 'Xylograph' })
  await service.client.updateMemory({ id, content: 'Mezzotint' })
  expect(await idsWith('mezzotint')).toEqual([id])
  expect(await idsWith('xylograph')).toEqual([])
})

test('changes that leave the content alone queue nothing', async () => {
  const { id, content } = await newMemory()
  await service.drain()
  await service.client.updateMemory({ id, tags: ['x'], importance: 0, policy: 'pinned' })
  await service.client.updateMemory({ id, content })
  expect((await service.client.listJobs({ memory_id: id })).jobs).toEqual([])
})

const newMemory = (fields: Parameters<typeof someMemory>[0] = {}) =>
  service.client.createMemory(someMemory(fields))

async function idsWith(query: string): Promise<string[]> {
  const { results } = await service.client.searchMemories({ query, search_type: 'keyword' })
  return results.map(({ memory }) => memory.id)
}
