import { expect, test } from 'vitest'
import { withBoltProxy } from '../support/bolt-proxy.ts'
import { problemOf, someMemory, withService } from '../support/service.ts'

const proxy = withBoltProxy()
const service = withService(() => ({ settings: { NEO4J_URI: proxy.uri } }))

const count = async () => {
  const [row] = await service.cypher<{ n: number }>(
    'MATCH (m:Memory) WHERE m.tenant = $tenant RETURN count(m) AS n',
    { tenant: service.tenant },
  )
  return row?.n
}

const kindsOf = async (id: string) =>
  (await service.client.listChanges({ memory_id: id })).changes.map(({ kind }) => kind)

test('a create whose commit goes unanswered succeeds, and makes one memory', async () => {
  const before = Number(await count())
  const { id } = await proxy.losing('answer', 'CREATE (m:Memory {', () =>
    service.client.createMemory(someMemory()),
  )
  expect(await count()).toBe(before + 1)
  expect((await service.client.getMemory({ id })).version).toBe(1)
  expect((await service.client.listJobs({ memory_id: id })).jobs).toHaveLength(1)
  expect(await kindsOf(id)).toEqual(['created'])
})

test('a create that is cut off before it reaches the database succeeds too', async () => {
  const before = Number(await count())
  await proxy.losing('request', 'CREATE (m:Memory {', () => service.client.createMemory(someMemory()))
  expect(await count()).toBe(before + 1)
})

test('a batch whose commit goes unanswered makes each memory once', async () => {
  const before = Number(await count())
  const contents = Array.from({ length: 30 }, (_, at) => `note ${at}`)
  const { memories } = await proxy.losing('answer', 'CREATE (m:Memory {', () =>
    service.client.createMemories({ memories: contents.map(content => someMemory({ content })) }),
  )
  expect(memories.map(({ content }) => content)).toEqual(contents)
  expect(await count()).toBe(before + 30)
  expect(await kindsOf(memories[0]?.id as string)).toEqual(['created'])
})

test('a change whose commit goes unanswered counts once', async () => {
  const { client } = service
  const { id } = await client.createMemory(someMemory())
  const changed = await proxy.losing('answer', 'SET m += row.set', () =>
    client.updateMemory({ id, importance: 0.9 }),
  )
  expect(changed).toMatchObject({ version: 2, importance: 0.9 })
  const archived = await proxy.losing('answer', 'SET m += row.set', () => client.deleteMemory({ id }))
  expect(archived).toMatchObject({ state: 'archived' })
  const restored = await proxy.losing('answer', 'SET m += row.set', () => client.restoreMemory({ id }))
  expect(restored).toMatchObject({ state: 'active', version: 4 })
  expect(await kindsOf(id)).toEqual(['created', 'updated', 'archived', 'restored'])
})

test('a fetch whose commit goes unanswered records one recall', async () => {
  const { id } = await service.client.createMemory(someMemory())
  const fetched = await proxy.losing('answer', 'CREATE (:Recall', () => service.client.getMemory({ id }))
  expect(fetched.recall_count).toBe(1)
})

test('a removal whose commit goes unanswered is a success, and the next one finds nothing', async () => {
  const { id } = await service.client.createMemory(someMemory())
  const remove = () => service.client.deleteMemory({ id, hard: true })
  expect(await proxy.losing('answer', 'DETACH DELETE m', remove)).toMatchObject({ state: 'deleted' })
  expect(await kindsOf(id)).toEqual(['created', 'removed'])
  expect(await problemOf(remove())).toMatchObject({ status: 404 })
})

test('a removal of what never was is refused, also when the line is cut', async () => {
  const id = '019b0000-0000-7000-8000-000000000000'
  const remove = () => problemOf(service.client.deleteMemory({ id, hard: true }))
  expect(await proxy.losing('request', 'DETACH DELETE m', remove)).toMatchObject({ status: 404 })
})

test('a connection and a key whose removal goes unanswered are removed, and reported as removed', async () => {
  const { client } = service
  const source = await client.createMemory(someMemory({ content: 'one' }))
  const target = await client.createMemory(someMemory({ content: 'other' }))
  const ends = { source_id: source.id, target_id: target.id }
  await proxy.losing('answer', 'MERGE (source)-[r:', () => client.createConnection(ends))
  expect((await client.listConnections({ source_id: source.id })).total).toBe(1)
  const disconnected = await proxy.losing('answer', 'DELETE r', () => client.deleteConnection(ends))
  expect(disconnected).toMatchObject({ deleted: 1 })
  expect(await kindsOf(target.id)).toEqual(['created', 'connected', 'disconnected'])
  const { id } = await client.createKey({})
  expect(await proxy.losing('answer', 'DELETE k', () => client.deleteKey({ id }))).toMatchObject({
    deleted: true,
  })
})

test('a retry whose commit goes unanswered is a success, and the next one finds nothing failed', async () => {
  const { id: memory_id } = await service.client.createMemory(someMemory())
  const [job] = (await service.client.listJobs({ memory_id })).jobs
  const id = job?.id as string
  await service.cypher("MATCH (j:Job {id: $id}) SET j.state = 'failed', j.attempt = 8", { id })
  const retried = await proxy.losing('answer', 'AS wasFailed', () => service.client.retryJob({ id }))
  expect(retried).toMatchObject({ id, state: 'queued', attempt: 0 })
  expect(await problemOf(service.client.retryJob({ id }))).toMatchObject({
    status: 409,
    code: 'job_not_failed',
  })
})

test('a retry of what has not failed is refused, also when its commit goes unanswered', async () => {
  const { id: memory_id } = await service.client.createMemory(someMemory())
  const [job] = (await service.client.listJobs({ memory_id })).jobs
  const retry = () => problemOf(service.client.retryJob({ id: job?.id as string }))
  expect(await proxy.losing('answer', 'AS wasFailed', retry)).toMatchObject({ status: 409 })
})

test('a create with an Idempotency-Key gives the same memory again, whichever of its commits goes unanswered', async () => {
  for (const [at, to] of ['IdempotentRequest {id', 'CREATE (m:Memory {', 'i.answer = CASE'].entries()) {
    const before = Number(await count())
    const create = () =>
      service.client.createMemory(someMemory(), { headers: { 'idempotency-key': `key-${at}` } })
    const first = await proxy.losing('answer', to, create)
    expect(await create()).toEqual(first)
    expect(await count()).toBe(before + 1)
  }
})
