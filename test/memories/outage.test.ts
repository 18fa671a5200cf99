import { expect, test } from 'vitest'
import { someMemory, withService } from '../support/service.ts'

const service = withService({ settings: { SERVICE_EMBEDDING_WRITE_WAIT_MS: '100' } })

test('a memory is stored while the embedding provider is slow, is found by its words, and gets its vector later', async () => {
  const release = service.embeddings.hold()
  const content = 'Zwiebelkuchen with caraway'
  const { id, embedding } = await service.client.createMemory(someMemory({ content }))
  expect(embedding.status).toBe('pending')
  const { results } = await service.client.searchMemories({ query: 'zwiebelkuchen', search_type: 'keyword' })
  expect(results.map(({ memory }) => memory.id)).toEqual([id])
  release()
  await vectorIsReady(id)
})

test('new content keeps no vector of the old one while the provider is down', async () => {
  const { id } = await service.client.createMemory(someMemory())
  await vectorIsReady(id)
  service.embeddings.fail('down')
  const { embedding } = await service.client.updateMemory({ id, content: 'Something else altogether' })
  expect(embedding.status).toBe('pending')
  const { embedding: fetched } = await service.client.getMemory({ id, include_embedding: true })
  expect(fetched).toMatchObject({ status: 'pending', vector: null })
  service.embeddings.recover()
  await vectorIsReady(id)
})

/** The queue tries again on its own; the test does not wait for the time of its next try. */
const vectorIsReady = (id: string) =>
  expect
    .poll(
      async () => {
        await service.cypher(`MATCH (j:Job {memoryId: $id, state: 'waiting'}) SET j.state = 'queued'`, { id })
        await service.drain()
        return (await service.client.getMemory({ id })).embedding.status
      },
      { interval: 200 },
    )
    .toBe('ready')
