import { expect, test } from 'vitest'
import { deleteJobs } from '../support/queue.ts'
import { relatedConnections } from '../support/related-connections.ts'
import { idOf, remember } from '../support/seed.ts'
import { startService } from '../support/service.ts'
import { vectorOfNumbers } from '../support/vectors.ts'

const start = (settings: Record<string, string> = {}) => startService({ vector: vectorOfNumbers, settings })

test('each of 300 near memories is connected, not only the first candidates', async () => {
  await using service = await start()
  const crowd = await remember(
    service.client,
    Array.from({ length: 300 }, (_, at) => `100 0 ${at / 100}`),
  )
  await remember(
    service.client,
    Array.from({ length: 50 }, (_, at) => `0 100 ${at / 100}`),
  )
  await deleteJobs(service)
  const [newcomer] = await remember(service.client, ['100 0 0'])
  await service.drain()
  const edges = await relatedConnections(service)
  expect(edges.every(({ source }) => source === newcomer?.id)).toBe(true)
  expect(edges.map(({ target }) => target).toSorted()).toEqual(crowd.map(idOf).toSorted())
  expect((await service.client.listJobs({})).jobs).toEqual([])
})

test('the cap takes the strongest, and the job reports it', async () => {
  await using service = await start({ SERVICE_DISCOVERY_MAX_EDGES: '5' })
  const crowd = await remember(
    service.client,
    Array.from({ length: 60 }, (_, at) => `100 ${at}`),
  )
  await deleteJobs(service)
  const [newcomer] = await remember(service.client, ['100 0'])
  await service.drain()
  const edges = await relatedConnections(service)
  expect(edges.map(({ target }) => target).toSorted()).toEqual(crowd.slice(0, 5).map(idOf).toSorted())
  const { jobs, counts } = await service.client.listJobs({ memory_id: newcomer?.id as string })
  expect(counts).toEqual({ done: 1 })
  expect(jobs).toMatchObject([{ state: 'done', kind: 'discover', report: expect.stringContaining('5') }])
})

test('exactly as many as the cap allows is no case for a report', async () => {
  await using service = await start({ SERVICE_DISCOVERY_MAX_EDGES: '5' })
  await remember(
    service.client,
    Array.from({ length: 5 }, (_, at) => `100 ${at}`),
  )
  await deleteJobs(service)
  await remember(service.client, ['100 0'])
  await service.drain()
  expect(await relatedConnections(service)).toHaveLength(5)
  expect((await service.client.listJobs({})).jobs).toEqual([])
})

test('memories that arrive together find each other exactly once, with two services at work', async () => {
  await using service = await start()
  await using other = await startService({ vector: vectorOfNumbers })
  const clients = [service.client, other.clientOf(service.tenant)]
  service.embeddings.fail(['down', 'down'])
  const writes = Array.from({ length: 48 }, (_, at) =>
    remember(clients[at % 2] as (typeof clients)[number], [`100 ${at}`]),
  )
  const early = [service.drain(), other.drain(service.tenant)]
  const memories = (await Promise.all(writes)).flat()
  await Promise.all(early)
  const open = async () => {
    await service.cypher("MATCH (j:Job {tenant: $tenant, state: 'waiting'}) SET j.state = 'queued'", {
      tenant: service.tenant,
    })
    await Promise.all([service.drain(), other.drain(service.tenant)])
    return (await service.client.getStats()).queue
  }
  await expect.poll(open).toMatchObject({ depth: 0, failed: 0 })
  const edges = await relatedConnections(service)
  const pairs = new Set(edges.map(({ source, target }) => [source, target].toSorted().join()))
  expect(pairs.size).toBe((memories.length * (memories.length - 1)) / 2)
  expect(edges).toHaveLength(pairs.size)
})
