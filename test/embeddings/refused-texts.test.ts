import { expect, test } from 'vitest'
import { remember } from '../support/seed.ts'
import { withServicePerTest } from '../support/service.ts'

const service = withServicePerTest()

test('texts that the provider refuses are counted in the statistics and in /ready, and found by their words', async () => {
  service.embeddings.refuse(text => text.includes('poison'), { status: 422, message: 'no' })
  await remember(service.client, ['a cat', 'poison', 'poison ivy'])
  expect((await service.client.getStats()).memories).toMatchObject({
    embeddings_pending: 2,
    embeddings_failed: 0,
  })
  await service.drain()
  expect((await service.client.getStats()).memories).toMatchObject({
    embeddings_pending: 2,
    embeddings_failed: 2,
  })
  expect((await service.client.getReadiness()).checks.embeddings).toMatchObject({
    status: 'up',
    detail: expect.stringMatching(/\d texts cannot be embedded/),
  })
  const { results } = await service.client.searchMemories({ query: 'poison ivy', search_type: 'keyword' })
  expect(results[0]?.memory.content).toBe('poison ivy')
})

test('a long text that the provider finds too long is stored with a vector of all its parts', async () => {
  service.embeddings.refuse(text => text.length > 300, {
    status: 422,
    message: 'El texto es demasiado largo',
  })
  const [long] = await remember(service.client, ['The cat sleeps on the sofa. '.repeat(60)])
  await service.drain()
  expect((await service.client.getMemory({ id: long!.id })).embedding).toMatchObject({
    status: 'ready',
    truncated: false,
  })
  expect((await service.client.getStats()).memories).toMatchObject({
    embeddings_pending: 0,
    embeddings_failed: 0,
  })
  expect((await service.client.listJobs()).jobs).toEqual([])
})
