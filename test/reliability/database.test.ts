import { afterEach, beforeAll, expect, test } from 'vitest'
import { withBoltProxy } from '../support/bolt-proxy.ts'
import { holdLocks } from '../support/memory-locks.ts'
import { problemOf, someMemory, startService, withService } from '../support/service.ts'

const limit = { timeout: 40_000, interval: 250 }
const proxy = withBoltProxy()
const service = withService(() => ({
  settings: { NEO4J_URI: proxy.uri, SERVICE_REQUEST_TIMEOUT_MS: '2000' },
}))
let tenantKey: string
beforeAll(async () => {
  // The first calls of a database take longer than this file's service waits.
  await using unhurried = await startService()
  const { id } = await unhurried.client.createMemory(someMemory())
  await unhurried.client.getMemory({ id })
  await unhurried.client.updateMemory({ id, importance: 1 })
  tenantKey = (await service.client.createKey({})).key
})
afterEach(() => proxy.accept())

const ready = async () => (await service.client.getReadiness()).status

test('while the database is down, everything that needs it is answered with 503 and when to come back', async () => {
  const { id } = await service.client.createMemory(someMemory())
  await proxy.refuse()
  const { client } = service
  const keyed = { headers: { 'idempotency-key': 'while-down' } }
  const calls = [
    () => client.createMemory(someMemory()),
    () => client.createMemory(someMemory(), keyed),
    () => client.getMemory({ id }),
    () => client.updateMemory({ id, importance: 1 }),
    () => client.deleteMemory({ id, hard: true }),
    () => client.searchMemories({ query: 'cat', search_type: 'keyword' }),
    () => client.getStats(),
    () => service.clientOf('', tenantKey).listMemories(),
  ]
  for (const problem of await Promise.all(calls.map(call => problemOf(call()))))
    expect(problem).toMatchObject({ status: 503, code: 'database_unavailable' })

  const response = await service.request('/memories')
  expect(Number(response.headers.get('retry-after'))).toBeGreaterThan(0)
  expect(await response.text()).not.toMatch(/neo4j|bolt|ECONNREFUSED|127\.0\.0\.1/i)
})

test('while the database is down, the service says that it lives and is not ready, and recovers on its own', async () => {
  await proxy.refuse()
  expect((await service.request('/health')).status).toBe(200)
  const response = await service.request('/ready')
  expect(response.status).toBe(503)
  expect(await response.json()).toMatchObject({
    status: 'not_ready',
    checks: { neo4j: { status: 'down', detail: 'does not answer' } },
  })
  await proxy.accept()
  await expect.poll(ready, limit).toBe('ready')
  expect(await service.client.createMemory(someMemory())).toMatchObject({ version: 1 })
})

test('a database that takes requests and never answers costs a caller no more than the time for a request', async () => {
  const { id } = await service.client.createMemory(someMemory())
  proxy.set({ kind: 'swallow' })
  const { client } = service
  const keyed = { headers: { 'idempotency-key': 'while-stalled' } }
  const calls = [
    client.createMemory(someMemory()),
    client.createMemory(someMemory(), keyed),
    client.getMemory({ id }),
    client.deleteMemory({ id, hard: true }),
    service.clientOf('', tenantKey).listConnections(),
  ]
  for (const problem of await Promise.all(calls.map(problemOf)))
    expect(problem).toMatchObject({ status: 503, code: 'database_unavailable' })
  expect((await service.request('/health')).status).toBe(200)
  expect(await ready()).toBe('not_ready')

  await proxy.accept()
  await expect.poll(ready, limit).toBe('ready')
  await expect.poll(() => statusOfCreate(), limit).toBe(201)
})

test('forty clients of two services that connect the same ten memories in every order all succeed', async () => {
  await using one = await startService()
  await using other = await startService()
  const { client } = one
  const clients = [client, other.clientOf(one.tenant)] as const
  const memories = await client.createMemories({
    memories: Array.from({ length: 10 }, (_, at) => someMemory({ content: `contended ${at}` })),
  })
  const ids = memories.memories.map(({ id }) => id)
  const pick = (at: number) => ids[at % ids.length] as string
  const writes = Array.from({ length: 40 }, async (_, at) => {
    const mine = clients[at % 2] as typeof client
    for (let step = 1; step <= 4; step++) {
      const ends = { source_id: pick(at * 7 + step * 3), target_id: pick(at * 7 + step * 4) }
      if (ends.source_id !== ends.target_id) await mine.createConnection(ends)
      await mine.updateMemory({ id: pick(at + step), importance: step / 4 })
    }
  })
  await Promise.all(writes)
  const versions = await Promise.all(ids.map(id => client.getMemory({ id, record_recall: false })))
  expect(versions.reduce((sum, { version }) => sum + version - 1, 0)).toBe(160)
})

test('connections that have died without a word are noticed, and the service recovers on its own', async () => {
  await Promise.all(Array.from({ length: 5 }, () => service.client.listMemories()))
  proxy.forget()
  await expect.poll(statusOfCreate, limit).toBe(201)
  await expect.poll(ready, limit).toBe('ready')
})

test('what a caller no longer waits for is ended in the database too, and never happens later', async () => {
  const { id } = await service.client.createMemory(someMemory())
  await using unhurried = await startService()
  await using held = await holdLocks(service.tenant, [id])
  const gone = new AbortController()
  const abandoned = unhurried
    .clientOf(service.tenant)
    .updateMemory({ id, importance: 0.9 }, { signal: gone.signal })
  await expect.poll(() => held.waiting(), limit).toBe(1)
  gone.abort()
  await expect(abandoned).rejects.toThrow()
  await expect.poll(() => held.waiting(), limit).toBe(0)

  const changed = service.client.updateMemory({ id, importance: 1 })
  expect(await problemOf(changed)).toMatchObject({ status: 503, code: 'database_unavailable' })
  await expect.poll(() => held.waiting(), limit).toBe(0)
  await held.release()
  // The hurried service may still answer that the database is slow.
  const now = await unhurried.clientOf(service.tenant).getMemory({ id })
  expect(now).toMatchObject({ version: 1, importance: 0.5 })
})

const statusOfCreate = async () => {
  const body = JSON.stringify(someMemory())
  const headers = { 'content-type': 'application/json' }
  return (await service.request('/memories', { method: 'POST', headers, body })).status
}
