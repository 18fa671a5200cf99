import { expect, inject, test } from 'vitest'
import { createSemaphore } from '../../src/platform/semaphore.ts'
import { connectDriver } from '../../src/store/neo4j/driver.ts'
import { write } from '../../src/store/neo4j/statements.ts'
import { holdLocks } from '../support/memory-locks.ts'
import { freshTenant, problemOf, someMemory, startService, withService } from '../support/service.ts'

/** As many as a tenant among others may have in progress in the database; and as many as one that is alone. */
const SHARE = 4
const ALONE = 3 * SHARE
const limit = { timeout: 60_000, interval: 100 }
const service = withService({ settings: { SERVICE_TENANT_CONCURRENCY: String(SHARE) } })

/** More than the driver has connections. */
const MANY = 150

test('a tenant whose requests all wait takes its share of the database, and other tenants notice nothing', async () => {
  const { client, tenant } = service
  const [free, ...ids] = (await remember(MANY + 1)) as [string, ...string[]]
  // The first use of a statement goes alone.
  await client.updateMemory({ id: free, importance: 1 })
  await using held = await holdLocks(tenant, ids)
  const stuck = ids.map(id => changed(client.updateMemory({ id, importance: 1 })))
  await expect.poll(held.waiting, limit).toBe(ALONE)

  const other = service.clientOf(freshTenant())
  const { id } = await other.createMemory(someMemory({ content: 'a cat' }))
  const { id: second } = await other.createMemory(someMemory({ content: 'a kitten' }))
  await other.createConnection({ source_id: id, target_id: second })
  await other.updateMemory({ id, importance: 1 })
  expect(
    (await other.searchMemories({ query: 'a cat', search_type: 'hybrid', limit: 1 })).results[0]?.memory.id,
  ).toBe(id)
  expect((await other.relatedMemories({ id })).related).toHaveLength(1)
  const waiting = await held.waiting()
  expect(waiting).toBeGreaterThan(0)
  expect(waiting).toBeLessThanOrEqual(ALONE)

  await held.release()
  const versions = (await Promise.all(stuck)).flat()
  expect(versions).toEqual(versions.map(() => 2))
  expect(versions.length).toBeGreaterThan(MANY / 2)
})

test('however many change one memory, one of them waits in the database, and each has its turn', async () => {
  const { client, tenant } = service
  const [id, other] = (await remember(2)) as [string, string]
  await using held = await holdLocks(tenant, [id])
  const changes = Array.from({ length: 30 }, () => changed(client.updateMemory({ id, importance: 1 })))
  await expect.poll(held.waiting, limit).toBe(1)
  expect(await client.updateMemory({ id: other, importance: 1 })).toMatchObject({ version: 2 })
  expect(await held.waiting()).toBe(1)

  await held.release()
  const versions = (await Promise.all(changes)).flat()
  expect(versions.toSorted((a, b) => a - b)).toEqual(versions.map((_, at) => at + 2))
  expect(versions.length).toBeGreaterThan(15)
})

test('a change that waits for a lock holds up none of those that it shares a commit with', async () => {
  const { client, tenant } = service
  const [id, ...others] = (await remember(20)) as [string, ...string[]]
  await using held = await holdLocks(tenant, [id])
  const [change, ...changes] = [id, ...others].map(each => client.updateMemory({ id: each, importance: 1 }))
  for (const { version } of await Promise.all(changes)) expect(version).toBe(2)
  expect(await held.waiting()).toBe(1)
  await held.release()
  expect(await change).toMatchObject({ version: 2 })
})

test('changes that wait for locks leave the rest of the share to others of their tenant', async () => {
  const { client, tenant } = service
  const [free, ...ids] = (await remember(SHARE + 1)) as [string, ...string[]]
  await using held = await holdLocks(tenant, ids)
  const stuck: Promise<number[]>[] = []
  for (const id of ids) {
    stuck.push(changed(client.updateMemory({ id, importance: 1 })))
    await expect.poll(held.waiting, limit).toBe(stuck.length)
  }
  expect(await client.updateMemory({ id: free, importance: 1 })).toMatchObject({ version: 2 })
  await held.release()
  for (const version of (await Promise.all(stuck)).flat()) expect(version).toBe(2)
})

test('a caller that waits too long for a memory lock gets an error, and its change never happens', async () => {
  const { client, tenant } = service
  await using hurried = await startService({ settings: { SERVICE_REQUEST_TIMEOUT_MS: '1000' } })
  const [id, other] = (await remember(2)) as [string, string]
  await using held = await holdLocks(tenant, [id])
  const first = client.updateMemory({ id, importance: 1 })
  await expect.poll(held.waiting, limit).toBe(1)
  const { updateMemory, deleteMemory, createConnection } = hurried.clientOf(tenant)
  // The connection shares a commit with those of others and may still be made: to make it again changes nothing.
  const calls = [
    updateMemory({ id, importance: 0 }),
    deleteMemory({ id }),
    deleteMemory({ id, hard: true }),
    createConnection({ source_id: id, target_id: other }),
  ]
  for (const problem of await Promise.all(calls.map(problemOf)))
    expect(problem).toMatchObject({
      status: 503,
      code: 'database_unavailable',
      // The first of them waits in the database; the others wait for it, in the process.
      detail: expect.stringMatching(/(?:Other changes of the same memory took all|did not answer in) /),
    })
  await held.release()
  expect(await first).toMatchObject({ version: 2, importance: 1 })
  expect(await client.getMemory({ id })).toMatchObject({ version: 2, importance: 1, state: 'active' })
})

test('a caller that waits too long for the database gets an error, and its write never happens', async () => {
  const semaphore = createSemaphore({ all: 1, each: 1 })
  using _taken = await semaphore.take('another', AbortSignal.timeout(60_000))
  await using neo4j = connectDriver({ ...inject('neo4j'), database: 'neo4j' })
  const caller = { app: { neo4j, semaphore }, share: 'mine', signal: AbortSignal.timeout(50) }
  await expect(write(caller, 'CREATE (:Forbidden)')).rejects.toMatchObject({
    code: 'database_unavailable',
    message: expect.stringContaining('The requests before it took all the time.'),
  })
})

test('the turns of one tenant at a memory are no business of another', async () => {
  const { client, tenant } = service
  const [id] = (await remember(1)) as [string]
  await using held = await holdLocks(tenant, [id])
  const change = client.updateMemory({ id, importance: 1 })
  await expect.poll(held.waiting, limit).toBe(1)
  const otherTenant = service.clientOf(freshTenant())
  expect(await problemOf(otherTenant.deleteMemory({ id }))).toMatchObject({ code: 'memory_not_found' })
  await held.release()
  await change
})

/** The version that came of a change; none where the database let it wait for the lock no longer, which is after 5 s. */
async function changed(change: Promise<{ version: number }>): Promise<number[]> {
  try {
    return [(await change).version]
  } catch {
    expect(await problemOf(change)).toMatchObject({ code: 'database_unavailable' })
    return []
  }
}

async function remember(count: number): Promise<string[]> {
  const ids: string[] = []
  while (ids.length < count) {
    const left = Math.min(100, count - ids.length)
    const some = Array.from({ length: left }, (_, at) => someMemory({ content: `note ${ids.length + at}` }))
    ids.push(...(await service.client.createMemories({ memories: some })).memories.map(({ id }) => id))
  }
  return ids
}
