import { expect, test } from 'vitest'
import { completeJob } from '../../src/store/jobs/ending.ts'
import { type LeasedJob, leaseJobs } from '../../src/store/jobs/leases.ts'
import { someMemory, withService } from '../support/service.ts'

const service = withService()

test('a restored memory is active again with full health, and is searched and listed again', async () => {
  const { id } = await newMemory({ content: 'Astrolabe in the attic' })
  await service.client.deleteMemory({ id })
  await service.cypher('MATCH (m:Memory {id: $id}) SET m.health = 0.0', { id })
  const restored = await service.client.restoreMemory({ id })
  expect(restored).toMatchObject({ state: 'active', health: 100, archived_at: null, version: 3 })
  const { memories } = await service.client.listMemories()
  expect(memories.map(memory => memory.id)).toContain(id)
  const { results } = await service.client.searchMemories({ query: 'astrolabe', search_type: 'keyword' })
  expect(results.map(({ memory }) => memory.id)).toEqual([id])
})

test('a restored memory is discovered again', async () => {
  const { id } = await newMemory()
  await service.client.deleteMemory({ id })
  await service.drain()
  await service.client.restoreMemory({ id })
  const { jobs } = await service.client.listJobs({ memory_id: id })
  expect(jobs).toMatchObject([{ kind: 'discover', state: 'queued' }])
})

test('a memory that is restored while a worker ends its discovery is discovered all the same', async () => {
  const { id } = await newMemory()
  const caller = { app: service.app, signal: AbortSignal.timeout(60_000) }
  const claimed = await leaseJobs(caller, service.tenant, 'slow', 100)
  const job = claimed.find(({ memoryId }) => memoryId === id) as LeasedJob
  await service.client.deleteMemory({ id })
  await service.client.restoreMemory({ id })
  expect(await completeJob(caller, job)).toBe(false)
  const { jobs } = await service.client.listJobs({ memory_id: id })
  expect(jobs).toMatchObject([{ kind: 'discover', state: 'queued' }])
})

test('a restored memory whose discovery had failed gets all its tries again', async () => {
  const { id } = await newMemory()
  await service.cypher("MATCH (j:Job {memoryId: $id}) SET j.state = 'failed', j.attempt = 8", { id })
  await service.client.deleteMemory({ id })
  await service.client.restoreMemory({ id })
  expect((await service.client.listJobs({ memory_id: id })).jobs).toMatchObject([
    { state: 'queued', attempt: 0 },
  ])
})

test('restoring an active memory changes nothing', async () => {
  const memory = await newMemory({ ttl_seconds: 600 })
  await service.cypher('MATCH (m:Memory {id: $id}) SET m.health = 12.5', { id: memory.id })
  expect(await service.client.restoreMemory({ id: memory.id })).toEqual({ ...memory, health: 12.5 })
})

test('a time limit that has not run out stays where it was', async () => {
  const { id, expires_at } = await newMemory({ ttl_seconds: 600 })
  await service.client.deleteMemory({ id })
  expect(await service.client.restoreMemory({ id })).toMatchObject({ expires_at, ttl_seconds: 600 })
})

test.each([
  ['archived', true],
  ['still active', false],
])('a time limit that has run out starts again, the memory being %s', async (_, archived) => {
  const { id } = await newMemory({ ttl_seconds: 600 })
  if (archived) await service.client.deleteMemory({ id })
  await service.cypher(
    `MATCH (m:Memory {id: $id}) SET m.liveUntil = timestamp() - 1000, m.expiresAt = datetime.realtime('Z') - duration('PT1S')`,
    { id },
  )
  const restored = await service.client.restoreMemory({ id })
  expect(restored).toMatchObject({ state: 'active', ttl_seconds: 600, health: 100 })
  expect(Date.parse(restored.expires_at as string)).toBe(Date.parse(restored.updated_at) + 600_000)
  const { memories } = await service.client.listMemories()
  expect(memories.map(memory => memory.id)).toContain(id)
})

test('whatever wrote a memory last, it is live until its time limit while it is active, and not at all while it is archived', async () => {
  const live = async (id: string) => {
    const [memory] = await service.cypher<{ liveUntil: number }>(
      'MATCH (m:Memory {id: $id}) RETURN toFloat(m.liveUntil) AS liveUntil',
      { id },
    )
    return memory?.liveUntil
  }
  const forever = Date.UTC(9999, 11, 31, 23, 59, 59, 999)
  const { id } = await newMemory()
  expect(await live(id)).toBe(forever)
  const { expires_at } = await service.client.updateMemory({ id, ttl_seconds: 600 })
  expect(await live(id)).toBe(Date.parse(expires_at as string))
  await service.client.deleteMemory({ id })
  expect(await live(id)).toBe(0)
  await service.client.restoreMemory({ id })
  expect(await live(id)).toBe(Date.parse(expires_at as string))
  await service.client.updateMemory({ id, ttl_seconds: 0 })
  expect(await live(id)).toBe(forever)
  const limited = await newMemory({ ttl_seconds: 60 })
  expect(await live(limited.id)).toBe(Date.parse(limited.expires_at as string))
})

test('a restore answers with the version of the memory', async () => {
  const { id } = await newMemory()
  await service.client.deleteMemory({ id })
  const response = await service.request(`/memories/${id}/restore`, { method: 'POST' })
  expect([response.status, response.headers.get('etag')]).toEqual([200, '"3"'])
})

const newMemory = (fields: Parameters<typeof someMemory>[0] = {}) =>
  service.client.createMemory(someMemory(fields))
