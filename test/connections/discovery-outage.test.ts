import { expect, test } from 'vitest'
import { makeJobsDue } from '../support/queue.ts'
import { relatedConnections } from '../support/related-connections.ts'
import { remember } from '../support/seed.ts'
import { withServicePerTest } from '../support/service.ts'
import { exactCosine } from '../support/vectors.ts'

const service = withServicePerTest()

/** Tries again what waits, until the queue is empty. */
const untilIdle = () =>
  expect
    .poll(async () => {
      await makeJobsDue(service)
      await service.worker.revive()
      await service.drain()
      return (await service.client.getStats()).queue.depth
    })
    .toBe(0)

const statusOf = async (id: string) =>
  (await service.client.getMemory({ id, record_recall: false, include_embedding: true })).embedding

test('what was written while the provider was down is embedded and connected once it is back', async () => {
  service.embeddings.fail('down')
  const memories = await remember(service.client, ['a cat', 'a kitten', 'a truck'])
  expect(memories.map(({ embedding }) => embedding.status)).toEqual(['pending', 'pending', 'pending'])
  for (let tries = 0; tries < 4; tries++) {
    await makeJobsDue(service)
    await service.worker.revive()
    await service.drain()
  }
  const { jobs, counts } = await service.client.listJobs({})
  expect(counts).toEqual({ waiting: 3 })
  for (const job of jobs) expect(job).toMatchObject({ attempt: 0, last_error: expect.any(String) })
  expect((await service.client.getStats()).memories.embeddings_pending).toBe(3)
  service.embeddings.recover()
  await untilIdle()
  const embedding = await statusOf(memories[0]?.id as string)
  expect(embedding).toMatchObject({ status: 'ready' })
  expect(embedding.vector).toHaveLength(64)
  expect(await relatedConnections(service)).toMatchObject([
    { source: memories[1]?.id, target: memories[0]?.id },
  ])
  expect((await service.client.getStats()).queue.failed).toBe(0)
})

test('a text that the provider refuses fails with a reason, and holds up no other', async () => {
  service.embeddings.refuse(text => text.includes('poison'))
  const memories = await remember(service.client, ['a poison cat', 'a cat', 'a kitten'])
  await untilIdle()
  const { jobs } = await service.client.listJobs({ state: 'failed' })
  expect(jobs).toMatchObject([
    { memory_id: memories[0]?.id, last_error: expect.any(String), lease_until: null },
  ])
  expect(await relatedConnections(service)).toHaveLength(1)
  const found = await service.client.searchMemories({ query: 'poison', search_type: 'keyword' })
  expect(found.results.map(({ memory }) => memory.id)).toEqual([memories[0]?.id])
  expect((await statusOf(memories[0]?.id as string)).status).toBe('pending')
})

test('a text at which the provider fails each time is tried so often as any work, and holds up no other', async () => {
  service.embeddings.refuse(text => text.includes('poison'), { status: 500 })
  const [poison] = await remember(service.client, ['a poison cat', 'a cat', 'a kitten'])
  await untilIdle()
  const { jobs } = await service.client.listJobs({})
  expect(jobs).toMatchObject([
    { memory_id: poison?.id, state: 'failed', attempt: 8, last_error: expect.stringContaining('500') },
  ])
  expect(await relatedConnections(service)).toHaveLength(1)
})

test('a failed job is queued again by hand, and then does its work', async () => {
  service.embeddings.refuse(text => text.includes('poison'))
  await remember(service.client, ['a poison cat', 'a cat'])
  await untilIdle()
  service.embeddings.recover()
  const [failed] = (await service.client.listJobs({ state: 'failed' })).jobs
  const retried = await service.client.retryJob({ id: failed?.id as string })
  expect(retried).toMatchObject({ id: failed?.id, state: 'queued', attempt: 0 })
  await untilIdle()
  expect(await relatedConnections(service)).toHaveLength(1)
  expect((await service.client.listJobs({})).jobs).toEqual([])
})

test('new content is embedded after the provider refused the old one', async () => {
  service.embeddings.refuse(text => text.includes('poison'))
  const [poison, cat] = await remember(service.client, ['a poison cat', 'a cat'])
  await untilIdle()
  await service.client.updateMemory({ id: poison?.id as string, content: 'a kitten' })
  await untilIdle()
  expect((await statusOf(poison?.id as string)).status).toBe('ready')
  expect(await relatedConnections(service)).toMatchObject([
    { source: expect.stringMatching(`${cat?.id}|${poison?.id}`) },
  ])
})

test('content that was replaced while its vector was made does not get the old vector', async () => {
  service.embeddings.fail(['down'])
  const [memory] = await remember(service.client, ['a cat'])
  const id = memory?.id as string
  const before = service.embeddings.requests.length
  const release = service.embeddings.hold()
  const drained = service.drain()
  await service.embeddings.arrived(before + 1)
  await service.client.updateMemory({ id, content: 'a loud truck engine' })
  release()
  await drained
  await untilIdle()
  const [same] = await remember(service.client, ['a loud truck engine'])
  const [vector, right] = await Promise.all(
    [id, same?.id as string].map(async each => (await statusOf(each)).vector),
  )
  expect(exactCosine(vector!, right!)).toBeCloseTo(1, 9)
})
