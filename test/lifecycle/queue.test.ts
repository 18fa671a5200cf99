import { expect, test } from 'vitest'
import { nextTenantWithJobs } from '../../src/store/jobs/rounds.ts'
import { DAY } from '../support/lifecycle.ts'
import { problemOf, someMemory, startService, withService } from '../support/service.ts'

const service = withService()

const later = (days = 1) => new Date(Date.now() + days * DAY).toISOString()

async function tenantWith(contents: readonly string[]) {
  const { tenant, client } = service.newTenant()
  const { memories } = await client.createMemories({
    memories: contents.map(content => someMemory({ content })),
  })
  const counts = async (kind?: string) => (await client.listJobs(kind === undefined ? {} : { kind })).counts
  const keyWith = async (scope: 'write' | 'admin') =>
    service.clientOf(tenant, (await client.createKey({ scopes: [scope] })).key)
  return { tenant, client, counts, keyWith, ids: memories.map(({ id }) => id) }
}

const fail = (tenant: string) =>
  service.cypher(
    `MATCH (j:Job {tenant: $tenant}) SET j.state = 'failed', j.attempt = 8, j.lastError = 'no'`,
    {
      tenant,
    },
  )

test('all failed jobs are retried at once, or those of one kind', async () => {
  const { tenant, client, counts } = await tenantWith(['a cat', 'a truck', 'a loaf'])
  const other = await tenantWith(['a cat'])
  await Promise.all([fail(tenant), fail(other.tenant)])
  await client.rediscoverMemories()
  await service.drain(tenant)
  await fail(tenant)
  expect(await counts()).toEqual({ failed: 3 })
  expect(await client.retryJobs({ kind: 'maintain' })).toEqual({ retried: 0 })
  expect(await client.retryJobs({ kind: 'discover' })).toEqual({ retried: 3 })
  expect((await client.listJobs()).jobs).toMatchObject([1, 2, 3].map(() => ({ state: 'queued', attempt: 0 })))
  expect(await client.retryJobs()).toEqual({ retried: 0 })
  expect(await other.counts()).toEqual({ failed: 1 })
  await service.drain(tenant)
  expect(await counts()).toEqual({})
})

test('a paused queue begins nothing until it is resumed, while everything else goes on', async () => {
  const { tenant, client, counts } = await tenantWith(['a cat'])
  const until = later()
  expect(await client.pauseQueue({ until })).toEqual({ paused_until: until })
  await service.drain(tenant)
  await client.createMemory(someMemory({ content: 'a kitten' }))
  expect(await counts()).toEqual({ queued: 2 })
  expect(await client.listJobs()).toMatchObject({ paused_until: until })
  expect((await client.searchMemories({ query: 'kitten', search_type: 'keyword' })).results).toHaveLength(1)
  expect(await client.resumeQueue()).toEqual({ paused_until: null })
  await service.drain(tenant)
  expect(await counts()).toEqual({})
})

test('a pause ends on its own, and a second one replaces the first', async () => {
  const { tenant, client, counts } = await tenantWith(['a cat'])
  await client.pauseQueue({ until: later(20) })
  const until = later(2)
  expect(await client.pauseQueue({ until })).toEqual({ paused_until: until })
  await service.drain(tenant)
  expect(await counts()).toEqual({ queued: 1 })
  await service.cypher("MATCH (p:Setting {name: $name}) SET p.until = datetime.realtime('Z')", {
    name: `pause:${tenant}`,
  })
  expect((await client.listJobs()).paused_until).toBeNull()
  await service.drain(tenant)
  expect(await counts()).toEqual({})
})

test('the next tenant with work is returned with whether it is paused', async () => {
  const [paused, busy] = [await tenantWith(['a cat']), await tenantWith(['a cat'])]
  await paused.client.pauseQueue({ until: later() })
  const caller = { app: service.app, signal: AbortSignal.timeout(60_000) }
  const nextBehind = (tenant: string) =>
    nextTenantWithJobs(caller, { tenant: tenant.slice(0, -1), around: false }, '')
  expect(await nextBehind(paused.tenant)).toMatchObject({ tenant: paused.tenant, paused: true })
  expect(await nextBehind(busy.tenant)).toMatchObject({ tenant: busy.tenant, paused: false })
})

test('a pause lies ahead, by at most 30 days, and one of all tenants is for the operator', async () => {
  const { client, keyWith } = await tenantWith(['a cat'])
  for (const until of [later(-1), later(31)])
    expect(await problemOf(client.pauseQueue({ until }))).toMatchObject({ status: 422, pointers: ['/until'] })
  const [admin, writer] = [await keyWith('admin'), await keyWith('write')]
  expect(await admin.pauseQueue({ until: later() })).toMatchObject({ paused_until: expect.any(String) })
  expect(await admin.resumeQueue()).toEqual({ paused_until: null })
  for (const call of [
    () => admin.pauseQueue({ until: later(), all_tenants: true }),
    () => admin.resumeQueue({ all_tenants: true }),
    () => writer.pauseQueue({ until: later() }),
    () => writer.resumeQueue(),
    () => writer.retryJobs(),
    () => writer.rediscoverMemories(),
  ])
    expect(await problemOf(call())).toMatchObject({ status: 403, code: 'forbidden' })
})

test('a changed threshold is applied to what exists: discovered connections come and go, asserted ones stay', async () => {
  const { tenant, client, counts, ids } = await tenantWith([
    'a cat and a kitten',
    'a cat and a truck',
    'a truck',
  ])
  await service.drain(tenant)
  await client.createConnection({
    source_id: ids[0] as string,
    target_id: ids[2] as string,
    relationship_type: 'related_to',
    strength: 0.1,
  })
  const connected = async () =>
    (await client.listConnections()).connections
      .map(({ connection }) => [connection.origin, connection.threshold])
      .sort()
  expect(await connected()).toEqual([
    ['asserted', null],
    ['discovered', 0.7],
    ['discovered', 0.7],
  ])
  for (const [threshold, expected] of [
    ['0.99', [['asserted', null]]],
    [
      '0.5',
      [
        ['asserted', null],
        ['discovered', 0.5],
        ['discovered', 0.5],
      ],
    ],
  ] as const) {
    await using changed = await startService({
      settings: { SERVICE_AUTO_DISCOVERY_THRESHOLD: threshold, OPENAI_BASE_URL: service.embeddings.url },
    })
    const asked = await changed.clientOf(tenant).rediscoverMemories()
    expect(asked).toMatchObject({ memories: 3, threshold: Number(threshold) })
    expect(await counts()).toEqual({ queued: 1 })
    await changed.worker.runBatchOf(tenant)
    expect(await counts('rediscover')).toEqual({ queued: 3 })
    expect((await client.getStats()).queue.depth).toBe(3)
    await changed.drain(tenant)
    expect([await counts(), await connected()]).toEqual([{}, expected])
  }
})

test('a rediscovery of many memories goes on in windows, and leaves archived ones out', async () => {
  const { tenant, client, counts, ids } = await tenantWith(
    Array.from({ length: 500 }, (_, index) => `number ${index} ${crypto.randomUUID()}`),
  )
  await client.createMemory(someMemory({ content: 'one more' }))
  await client.createMemory(someMemory({ content: 'and another' }))
  await client.deleteMemory({ id: ids[7] as string })
  await service.cypher(`MATCH (j:Job {tenant: $tenant}) DELETE j`, { tenant })
  expect(await client.rediscoverMemories()).toMatchObject({ memories: 501 })
  await service.worker.runBatchOf(tenant)
  expect(await counts('rediscover')).toEqual({ queued: 500 })
  expect(await counts('rediscover_all')).toEqual({ queued: 1 })
  await service.cypher(`MATCH (j:Job {tenant: $tenant, kind: 'rediscover'}) DELETE j`, { tenant })
  await service.worker.runBatchOf(tenant)
  expect(await counts()).toEqual({ queued: 1 })
})
