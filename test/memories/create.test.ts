import { expect, test } from 'vitest'
import type { Memory } from '../../src/contract/memory.ts'
import { problemOf, someMemory, withService } from '../support/service.ts'

const service = withService()

test('a created memory comes back with every documented field', async () => {
  const memory = await service.client.createMemory(
    someMemory({ content: 'Sourdough needs time', tags: ['bread'] }),
  )
  expect(memory).toMatchObject({
    content: 'Sourdough needs time',
    policy: 'short_term',
    ttl_seconds: 0,
    tags: ['bread'],
    importance: 0.5,
    state: 'active',
    health: 100,
    recall_count: 0,
    last_recalled_at: null,
    expires_at: null,
    archived_at: null,
    archived_reason: null,
    source: null,
    session_id: null,
    metadata: {},
    valid_from: null,
    valid_until: null,
    version: 1,
    embedding: { status: 'ready', model: 'embedding-of-the-tests', dimensions: 64, truncated: false },
  })
  expect(memory.id).toMatch(/^[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/)
  expect(memory.created_at).toMatch(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/)
  expect(memory.updated_at).toBe(memory.created_at)
})

test('an answer of creation names its address and its version, and holds no vector', async () => {
  const response = await service.request('/memories', {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(someMemory()),
  })
  const { id, embedding } = (await response.json()) as Memory
  expect(response.status).toBe(201)
  expect(response.headers.get('location')).toBe(`/api/v1/memories/${id}`)
  expect(response.headers.get('etag')).toBe('"1"')
  expect(Object.keys(embedding)).toEqual(['status', 'model', 'dimensions', 'truncated'])
})

test('the text comes back as it was written, line breaks and blanks included', async () => {
  const content = '  Ein Zettel:\r\n\t– Käse\n– 面包 🥖\n\n'
  const { id } = await service.client.createMemory(someMemory({ content }))
  expect(await service.client.getMemory({ id })).toMatchObject({ content })
})

test('a time limit counts from the creation', async () => {
  const memory = await service.client.createMemory(someMemory({ ttl_seconds: 90 }))
  expect(memory.ttl_seconds).toBe(90)
  expect(Date.parse(memory.expires_at as string)).toBe(Date.parse(memory.created_at) + 90_000)
})

test.each(['short_term', 'long_term', 'pinned'])('a memory can have the policy %s', async policy => {
  expect(await service.client.createMemory(someMemory({ policy }))).toMatchObject({ policy })
})

test('an unknown policy is refused with the allowed names', async () => {
  const problem = await problemOf(service.client.createMemory(someMemory({ policy: 'eternal' })))
  expect(problem).toMatchObject({ status: 422, code: 'validation_failed', pointers: ['/policy'] })
  expect(problem.detail).toContain('short_term, long_term, pinned')
})

test('a pinned memory cannot have a time limit', async () => {
  const problem = await problemOf(
    service.client.createMemory(someMemory({ policy: 'pinned', ttl_seconds: 1 })),
  )
  expect(problem).toMatchObject({ status: 422, pointers: ['/ttl_seconds'] })
})

test('a refused memory leaves nothing behind', async () => {
  const content = 'Never to be seen'
  await problemOf(service.client.createMemory(someMemory({ content, policy: 'eternal' })))
  expect(await service.cypher('MATCH (m:Memory {content: $content}) RETURN m', { content })).toEqual([])
})

test('the discovery of a memory is queued with its creation', async () => {
  const { id } = await service.client.createMemory(someMemory())
  const { jobs } = await service.client.listJobs({ memory_id: id })
  expect(jobs).toMatchObject([{ kind: 'discover', tenant: service.tenant, memory_id: id, state: 'queued' }])
})
