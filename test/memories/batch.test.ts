import { expect, test } from 'vitest'
import { problemOf, someMemory, withService } from '../support/service.ts'

const service = withService()

const many = (count: number) =>
  Array.from({ length: count }, (_, at) =>
    someMemory({ content: `Note number ${at}`, importance: at / count }),
  )

test('five hundred memories are created in one call and come back in the order in which they were sent', async () => {
  const sent = many(500)
  const { memories } = await service.client.createMemories({ memories: sent })
  expect(memories.map(({ content }) => content)).toEqual(sent.map(({ content }) => content))
  expect(new Set(memories.map(({ id }) => id)).size).toBe(500)
  expect(memories.every(({ embedding }) => embedding.status === 'ready')).toBe(true)
  const { counts } = await service.client.listJobs()
  expect(counts).toEqual({ queued: 500 })
})

test('a batch of more than five hundred is refused, as is one of none', async () => {
  const tooMany = await problemOf(service.client.createMemories({ memories: many(501) }))
  expect(tooMany).toMatchObject({ status: 422, pointers: ['/memories'] })
  expect(tooMany.detail).toContain('500')
  const none = await problemOf(service.client.createMemories({ memories: [] }))
  expect(none).toMatchObject({ status: 422, pointers: ['/memories'] })
})

test.each([
  ['an unknown policy', { policy: 'eternal' }, '/memories/3/policy'],
  ['a blank content', { content: ' ' }, '/memories/3/content'],
  ['an importance beyond its bound', { importance: 1.1 }, '/memories/3/importance'],
  ['a pinned memory with a time limit', { policy: 'pinned', ttl_seconds: 5 }, '/memories/3/ttl_seconds'],
  ['a field that does not exist', { colour: 'red' }, '/memories/3/colour'],
])('%s refuses the whole batch and is pointed at', async (_, fault: Record<string, unknown>, pointer) => {
  const tenant = `${service.tenant}-none`
  const memories = many(5)
  memories[3] = { ...someMemory(), ...fault }
  const problem = await problemOf(service.clientOf(tenant).createMemories({ memories }))
  expect(problem).toMatchObject({ status: 422, code: 'validation_failed', pointers: [pointer] })
  expect((await service.clientOf(tenant).listMemories()).memories).toEqual([])
})

test('a batch answers 201 with its memories alone', async () => {
  const response = await service.request('/memories/batch', {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ memories: many(2) }),
  })
  expect(response.status).toBe(201)
  expect(Object.keys((await response.json()) as object)).toEqual(['memories'])
})

test('the same text twice in a batch makes two memories', async () => {
  const { memories } = await service.client.createMemories({ memories: [someMemory(), someMemory()] })
  expect(new Set(memories.map(({ id }) => id)).size).toBe(2)
})
