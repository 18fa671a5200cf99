import { expect, test } from 'vitest'
import { problemOf, someMemory, withService } from '../support/service.ts'

const service = withService()

test('a delete archives: the memory leaves lists and searches, and can still be fetched', async () => {
  const { id } = await newMemory({ content: 'Palimpsest on the shelf' })
  const deleted = await service.client.deleteMemory({ id })
  expect(deleted).toEqual({ id, state: 'archived', hard: false, archived_at: expect.any(String) })
  expect(await idsListed()).not.toContain(id)
  for (const search_type of ['semantic', 'keyword', 'hybrid'] as const) {
    const { results } = await service.client.searchMemories({ query: 'palimpsest', search_type })
    expect(results.map(({ memory }) => memory.id)).not.toContain(id)
  }
  const { archived_at } = deleted
  expect(await service.client.getMemory({ id })).toMatchObject({ state: 'archived', archived_at, version: 2 })
})

test('archiving twice succeeds twice and changes nothing the second time', async () => {
  const { id } = await newMemory()
  const first = await service.client.deleteMemory({ id })
  expect(await service.client.deleteMemory({ id, hard: false })).toEqual(first)
  expect(await service.client.getMemory({ id })).toMatchObject({ version: 2 })
})

test('a hard delete removes an active memory for good, and after it nothing is there', async () => {
  const { id } = await newMemory()
  const removed = await service.client.deleteMemory({ id, hard: true })
  expect(removed).toEqual({ id, state: 'deleted', hard: true, archived_at: null })
  const calls = [
    () => service.client.getMemory({ id }),
    () => service.client.updateMemory({ id, importance: 1 }),
    () => service.client.deleteMemory({ id }),
    () => service.client.deleteMemory({ id, hard: true }),
    () => service.client.restoreMemory({ id }),
    () => service.client.relatedMemories({ id }),
  ]
  for (const call of calls)
    expect(await problemOf(call())).toMatchObject({ status: 404, code: 'memory_not_found' })
})

test('a hard delete removes an archived memory as well', async () => {
  const { id } = await newMemory()
  await service.client.deleteMemory({ id })
  expect(await service.client.deleteMemory({ id, hard: true })).toMatchObject({ state: 'deleted' })
  expect(await idsListed({ include_archived: true })).not.toContain(id)
})

test('a hard delete takes connections, recalls, queued work and stored answers along', async () => {
  const content = 'Secret of the old mill'
  const { id } = await service.client.createMemory(someMemory({ content }), {
    headers: { 'idempotency-key': 'the-mill' },
  })
  const other = await newMemory()
  await service.client.createConnection({ source_id: id, target_id: other.id })
  await service.client.createConnection({ source_id: other.id, target_id: id, relationship_type: 'supports' })
  await service.client.getMemory({ id })
  expect(await tracesOf(id)).toMatchObject({ memories: 1, edges: 2, recalls: 1, jobs: 1, answers: 1 })
  await service.client.deleteMemory({ id, hard: true })
  expect(await tracesOf(id)).toEqual({ memories: 0, edges: 0, recalls: 0, jobs: 0, answers: 0 })
  expect((await service.client.listConnections({ source_id: other.id })).total).toBe(0)
})

test('work on a memory that is removed while it is queued ends in peace', async () => {
  const { id } = await newMemory()
  await service.client.deleteMemory({ id, hard: true })
  await service.drain()
  const { jobs } = await service.client.listJobs({ memory_id: id })
  expect(jobs).toEqual([])
})

const newMemory = (fields: Parameters<typeof someMemory>[0] = {}) =>
  service.client.createMemory(someMemory(fields))

async function idsListed(input: { include_archived?: boolean } = {}): Promise<string[]> {
  const { memories } = await service.client.listMemories({ limit: 200, ...input })
  return memories.map(({ id }) => id)
}

/** What the graph holds about a memory. */
async function tracesOf(id: string) {
  const [traces] = await service.cypher(
    `RETURN COUNT { (:Memory {id: $id}) } AS memories,
      COUNT { (:Memory {id: $id})-[r WHERE r.key IS NOT NULL]-() } AS edges,
      COUNT { (:Recall {memoryId: $id}) } AS recalls,
      COUNT { (:Job {memoryId: $id}) } AS jobs,
      COUNT { (i:IdempotentRequest {tenant: $tenant}) WHERE i.answer IS NOT NULL } AS answers`,
    { id, tenant: service.tenant },
  )
  return traces
}
