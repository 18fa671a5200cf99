import { randomUUID } from 'node:crypto'
import { beforeEach, expect, test } from 'vitest'
import { leaseJobs } from '../../src/store/jobs/leases.ts'
import { nextTenantWithJobs } from '../../src/store/jobs/rounds.ts'
import { makeJobsDue } from '../support/queue.ts'
import { idOf, numbered, remember } from '../support/seed.ts'
import { freshTenant, problemOf, withService } from '../support/service.ts'

const service = withService()
beforeEach(() =>
  service.cypher('MATCH (n:Memory|Job {tenant: $tenant}) DETACH DELETE n', { tenant: service.tenant }),
)

const caller = () => ({ app: service.app, signal: AbortSignal.timeout(60_000) })
const jobs = async () => (await service.client.listJobs({ limit: 500 })).jobs

test('every write of new content queues one discovery, oldest first', async () => {
  const [first, second] = await remember(service.client, ['a cat', 'a truck'])
  await service.client.updateMemory({ id: first?.id as string, content: 'a kitten' })
  await service.client.updateMemory({ id: first?.id as string, importance: 1 })
  const queued = await jobs()
  expect(queued.map(({ memory_id }) => memory_id).toSorted()).toEqual(
    [first?.id, first?.id, second?.id].toSorted(),
  )
  expect(queued.at(-1)?.memory_id).toBe(first?.id)
  for (const job of queued)
    expect(job).toMatchObject({
      kind: 'discover',
      tenant: service.tenant,
      state: 'queued',
      attempt: 0,
      lease_until: null,
      last_error: null,
      report: null,
    })
  await service.drain()
  expect(await jobs()).toEqual([])
})

test('jobs are filtered by state, kind and memory, and counted by state', async () => {
  const memories = await remember(service.client, ['one', 'two', 'three'])
  await leaseJobs(caller(), service.tenant, 'somebody', 1)
  const list = service.client.listJobs
  const memory_id = memories[1]?.id as string
  expect((await list({ state: 'running' })).jobs).toMatchObject([
    { attempt: 1, lease_until: expect.any(String) },
  ])
  expect((await list({ memory_id })).jobs).toMatchObject([{ memory_id }])
  expect((await list({ kind: 'discover' })).jobs).toHaveLength(3)
  expect((await list({ kind: 'other' })).jobs).toEqual([])
  expect(await list({ limit: 2 })).toMatchObject({ has_more: true, counts: { queued: 2, running: 1 } })
  expect(await list({ limit: 3 })).toMatchObject({ has_more: false })
  expect(await problemOf(list({ limit: 501 }))).toMatchObject({ status: 422, pointers: ['/limit'] })
})

test('only a failed job can be retried', async () => {
  await remember(service.client, ['one'])
  const [queued] = await jobs()
  const retry = (id: string) => problemOf(service.client.retryJob({ id }))
  expect(await retry(queued?.id as string)).toMatchObject({ status: 409, code: 'job_not_failed' })
  expect(await retry(`discover:${randomUUID()}:1`)).toMatchObject({ status: 404, code: 'job_not_found' })
  expect(await retry('no such job / at all?')).toMatchObject({ status: 404, code: 'job_not_found' })
})

test('jobs are for keys with the scope admin, and for their own tenant', async () => {
  await remember(service.client, ['one'])
  const keyWith = async (scope: 'write' | 'admin', tenant = service.tenant) =>
    service.clientOf(tenant, (await service.clientOf(tenant).createKey({ scopes: [scope] })).key)
  const writer = await keyWith('write')
  const [job] = await jobs()
  expect(await problemOf(writer.listJobs())).toMatchObject({ status: 403, code: 'forbidden' })
  expect(await problemOf(writer.retryJob({ id: job?.id as string }))).toMatchObject({ status: 403 })
  expect((await (await keyWith('admin')).listJobs()).jobs).toEqual([job])
  const otherTenant = await keyWith('admin', freshTenant())
  expect(await otherTenant.listJobs()).toEqual({ jobs: [], counts: {}, has_more: false, paused_until: null })
  expect(await problemOf(otherTenant.retryJob({ id: job?.id as string }))).toMatchObject({ status: 404 })
})

test('a job whose work goes wrong for no known reason fails after its last attempt, and not before', async () => {
  const [broken] = await remember(service.client, ['one'])
  await service.cypher(
    `MATCH (m:Memory {id: $id}) SET m.content = 42, m.embeddingStatus = 'pending'
     WITH m UNWIND [key IN keys(m) WHERE key STARTS WITH 'embedding'] AS key REMOVE m[key]`,
    { id: broken?.id },
  )
  for (let attempt = 1; attempt <= 8; attempt++) {
    await service.drain()
    expect(await jobs()).toMatchObject([{ state: attempt < 8 ? 'waiting' : 'failed', attempt }])
    await makeJobsDue(service)
    await service.worker.revive()
  }
  expect(await jobs()).toMatchObject([{ state: 'failed', last_error: expect.stringContaining('unexpected') }])
  expect((await service.client.getStats()).queue).toMatchObject({ depth: 0, failed: 1 })
  await service.cypher("MATCH (m:Memory {id: $id}) SET m.content = 'one'", { id: broken?.id })
  await service.client.retryJob({ id: (await jobs())[0]?.id as string })
  await service.drain()
  expect(await jobs()).toEqual([])
})

test('a job whose statement fails each time is kept as failed after its last attempt, and holds up no other', async () => {
  const [cat] = await remember(service.client, ['a cat'])
  await service.drain()
  const [kitten] = await remember(service.client, ['a kitten', 'a truck'])
  // No connection of the two can be made: it would have a key that is taken.
  const key = `${service.tenant}:${kitten?.id}:${cat?.id}`
  await service.cypher('CREATE (:Taken {key: $key})-[:RELATED_TO {key: $key}]->(:Taken {key: $key})', { key })
  for (let attempt = 1; attempt <= 8; attempt++) {
    await service.drain()
    expect(await jobs()).toMatchObject([
      { memory_id: kitten?.id, state: attempt < 8 ? 'waiting' : 'failed', attempt },
    ])
    await makeJobsDue(service)
    await service.worker.revive()
  }
  const [failed] = await jobs()
  expect(failed).toMatchObject({ state: 'failed', last_error: expect.stringContaining('unexpected') })
  await service.cypher('MATCH (n:Taken {key: $key}) DETACH DELETE n', { key })
  await service.client.retryJob({ id: failed?.id as string })
  await service.drain()
  expect(await jobs()).toEqual([])
  expect((await service.client.listConnections({ source_id: kitten?.id as string })).total).toBe(1)
})

test('a tenant with much work does not keep another waiting', async () => {
  const [big, small] = [`${service.tenant}-big`, `${service.tenant}-small`]
  await remember(service.clientOf(big), numbered(40))
  await remember(service.clientOf(small), ['note'])
  const nextBehind = async (tenant: string, last = '') =>
    (await nextTenantWithJobs(caller(), { tenant, around: false }, last))?.tenant
  expect(await nextBehind(service.tenant)).toBe(big)
  expect(await service.worker.runBatchOf(big)).toBeLessThan(40)
  expect(await nextBehind(big)).toBe(small)
  await Promise.all([service.drain(big), service.drain(small)])
  expect(await nextBehind(service.tenant)).not.toBe(big)
})

test('the round of the tenants starts again after the last name, and ends where it started', async () => {
  const [first, second] = [`--first-${service.tenant}`, `--second-${service.tenant}`]
  const beyond = '~'
  for (const tenant of [first, second]) await remember(service.clientOf(tenant), ['note'])
  const next = (tenant: string, around: boolean, last: string) =>
    nextTenantWithJobs(caller(), { tenant, around }, last)
  expect(await next(beyond, false, beyond)).toEqual({ tenant: first, around: true, paused: false })
  expect(await next(first, true, second)).toEqual({ tenant: second, around: true, paused: false })
  expect(await next(second, true, second)).toBeUndefined()
  expect(await next(first, true, first)).toBeUndefined()
  await Promise.all([service.drain(first), service.drain(second)])
})

test('removing a memory removes its queued work', async () => {
  const [memory] = await remember(service.client, ['one', 'two'])
  await service.client.deleteMemory({ id: memory?.id as string, hard: true })
  expect((await jobs()).map(({ memory_id }) => memory_id)).not.toContain(memory?.id)
  expect((await jobs()).map(idOf)).toHaveLength(1)
})
