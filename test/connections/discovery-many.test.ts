import { expect, test } from 'vitest'
import { deleteJobs } from '../support/queue.ts'
import { relatedConnections } from '../support/related-connections.ts'
import { idOf, remember } from '../support/seed.ts'
import { freshTenant, startService } from '../support/service.ts'
import { vectorOfNumbers } from '../support/vectors.ts'

const start = (settings: Record<string, string> = {}) => startService({ vector: vectorOfNumbers, settings })

test('each of 300 near memories is connected where a threshold is set, not only the first candidates', async () => {
  await using service = await start({ SERVICE_AUTO_DISCOVERY_THRESHOLD: '0.8' })
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

test('each memory keeps its nearest, in both directions', async () => {
  await using service = await start({ SERVICE_DISCOVERY_MAX_EDGES: '32' })
  const crowd = await remember(
    service.client,
    Array.from({ length: 120 }, (_, at) => `1000 ${at}`),
  )
  await service.drain()
  const edges = await relatedConnections(service)
  const counts = new Map<string, number>()
  for (const { source, target } of edges)
    for (const id of [source, target]) counts.set(id, (counts.get(id) ?? 0) + 1)
  expect([...counts.keys()].toSorted()).toEqual(crowd.map(idOf).toSorted())
  expect(Math.max(...counts.values())).toBe(32)
})

test('a nearer newcomer takes the place of the farthest', async () => {
  await using service = await start({ SERVICE_DISCOVERY_MAX_EDGES: '3' })
  const [centre] = await remember(service.client, ['1000 0'])
  const far = await remember(service.client, ['1000 30', '1000 -31', '1000 32'])
  await service.drain()
  const near = await remember(service.client, ['1000 1', '1000 -1'])
  await service.drain()
  const ends = (await relatedConnections(service)).flatMap(({ source, target }) =>
    source === centre?.id ? [target] : target === centre?.id ? [source] : [],
  )
  expect(ends).toHaveLength(3)
  expect(ends).toEqual(expect.arrayContaining(near.map(idOf)))
  expect(far.map(idOf).filter(id => ends.includes(id))).toEqual([far[0]?.id])
})

test('the bound leaves the same pairs, whatever the order and the pace of the writes', async () => {
  await using service = await start({ SERVICE_DISCOVERY_MAX_EDGES: '3' })
  const contents = Array.from({ length: 24 }, (_, at) => `100 ${(at * at * 7.31) % 61} ${(at * 13.17) % 29}`)
  const pairsIn = async (orders: readonly (readonly string[])[]) => {
    const tenant = freshTenant()
    for (const some of orders) {
      await remember(service.clientOf(tenant), some)
      await service.drain(tenant)
    }
    const pairs = await service.cypher<{ pair: string }>(
      `MATCH (m:Memory {tenant: $tenant})-[:RELATED_TO]->(n:Memory)
      RETURN CASE WHEN m.content < n.content THEN m.content + ', ' + n.content ELSE n.content + ', ' + m.content END AS pair
      ORDER BY pair`,
      { tenant },
    )
    return pairs.map(({ pair }) => pair)
  }
  const first = await pairsIn([contents])
  expect(first.length).toBeGreaterThan(20)
  expect(await pairsIn(contents.toReversed().map(each => [each]))).toEqual(first)
  expect(await pairsIn([contents.slice(8, 16), contents.slice(16), contents.slice(0, 8)])).toEqual(first)
})

test('memories that arrive together find each other exactly once, with two services at work', async () => {
  const settings = { SERVICE_AUTO_DISCOVERY_THRESHOLD: '0.8' }
  await using service = await start(settings)
  await using other = await startService({ vector: vectorOfNumbers, settings })
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
