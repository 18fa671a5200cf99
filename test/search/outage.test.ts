import { beforeEach, expect, test } from 'vitest'
import { ProblemError } from '../../src/client.ts'
import { remember } from '../support/seed.ts'
import { problemOf, startService, withServicePerTest } from '../support/service.ts'

const service = withServicePerTest()
beforeEach(async () => {
  await remember(service.client, ['a cat with a vector'])
  service.embeddings.fail({ status: 503 })
})

test('a memory whose vector is still to be made is found by its words at once', async () => {
  const [pending] = await remember(service.client, [{ content: 'a kitten without a vector', tags: ['t'] }])
  expect(pending?.embedding.status).toBe('pending')
  const { results } = await service.client.searchMemories({ query: 'kitten', search_type: 'keyword' })
  expect(results.map(({ memory }) => memory.id)).toEqual([pending?.id])
  service.embeddings.recover()
})

test('while the provider is down a hybrid search goes by words, and says so', async () => {
  const answer = await service.client.searchMemories({ query: 'cat', search_type: 'hybrid', explain: true })
  expect(answer.degraded).toBe(true)
  expect(answer.results).toHaveLength(1)
  expect(answer.results[0]).toMatchObject({ sources: { semantic: null, keyword: { rank: 1, score: 1 } } })
  expect(answer.results[0]?.score).toBe(answer.results[0]?.explain?.keyword?.part)
  expect(answer.results[0]?.score).toBeCloseTo(1, 12)
  expect(answer.query?.semantic).toBeNull()
})

test('while the provider is down a hybrid search with no word in it is empty and says why', async () => {
  const answer = await service.client.searchMemories({ query: '***', search_type: 'hybrid' })
  expect(answer).toMatchObject({ results: [], degraded: true })
})

test('while the provider is down a semantic search says when to come back', async () => {
  const call = service.client.searchMemories({ query: 'cat', search_type: 'semantic' })
  expect(await problemOf(call)).toMatchObject({ status: 503, code: 'embedding_unavailable' })
  const error = (await call.catch((thrown: unknown) => thrown)) as ProblemError
  expect(Number(error.headers.get('retry-after'))).toBeGreaterThanOrEqual(1)
  expect(JSON.stringify(error.problem)).not.toContain('provider-secret-detail')
  expect(error).toBeInstanceOf(ProblemError)
})

test('while the provider is down a keyword search does not ask it', async () => {
  const before = service.embeddings.requests.length
  const answer = await service.client.searchMemories({ query: 'cat', search_type: 'keyword' })
  expect(answer).toMatchObject({ degraded: false, results: [{ score: 1 }] })
  expect(service.embeddings.requests).toHaveLength(before)
})

test('a semantic search for what the provider refuses is a mistake of the caller, a hybrid one goes by words', async () => {
  await using fresh = await startService()
  await remember(fresh.client, ['a river without a vector'])
  fresh.embeddings.refuse(text => text.includes('river'))
  const search = (search_type: 'semantic' | 'hybrid') =>
    fresh.client.searchMemories({ query: 'river', search_type })
  expect(await problemOf(search('semantic'))).toMatchObject({
    status: 422,
    code: 'validation_failed',
    pointers: ['/query'],
  })
  expect(await search('hybrid')).toMatchObject({ degraded: true, results: [{ score: expect.any(Number) }] })
})

test('a search after the provider has come back is whole again', async () => {
  await service.client.searchMemories({ query: 'cat', search_type: 'hybrid' })
  service.embeddings.recover()
  const answer = () => service.client.searchMemories({ query: 'cat', search_type: 'hybrid' })
  await expect.poll(async () => (await answer()).degraded).toBe(false)
  expect((await answer()).results[0]?.sources.semantic).not.toBeNull()
})
