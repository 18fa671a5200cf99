import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { createClient } from '../../src/client.ts'
import { completeJob } from '../../src/store/jobs/ending.ts'
import { connectDriver } from '../../src/store/neo4j/driver.ts'
import { startEmbeddingEndpoint } from '../../tools/embedding-endpoint.ts'
import { type ChildService, spawnService, startChildService } from '../support/child-service.ts'
import type { TestDatabase } from '../support/lender.ts'
import { bareDatabase } from '../support/own-database.ts'
import { queueOf, workerOf } from '../support/queue.ts'
import { DIMENSIONS, endpointSettings, freshTenant, OPERATOR_KEY, someMemory } from '../support/service.ts'

describe('Several processes on one database', () => {
  const resources = new AsyncDisposableStack()
  const limit = { timeout: 120_000, interval: 100 }
  let database: TestDatabase
  let embeddings: Awaited<ReturnType<typeof startEmbeddingEndpoint>>

  beforeAll(async () => {
    database = await bareDatabase()
    embeddings = resources.use(await startEmbeddingEndpoint({ dimensions: DIMENSIONS }))
  })
  afterAll(() => resources.disposeAsync())

  const settingsOf = (role: 'all' | 'api' | 'worker', url = embeddings.url) => ({
    SERVICE_ROLE: role,
    NEO4J_URI: database.uri,
    NEO4J_PASSWORD: database.password,
    SERVICE_EMBEDDING_WRITE_WAIT_MS: '0',
    SERVICE_EMBEDDING_TIMEOUT_MS: '60000',
    ...endpointSettings(url),
  })

  const clientOf = ({ baseUrl }: ChildService, tenant: string) =>
    createClient({ baseUrl, apiKey: OPERATOR_KEY, tenant })

  test('two services that start at once on an empty database both serve', async () => {
    await using stack = new AsyncDisposableStack()
    const start = async () => stack.use(await startChildService(settingsOf('api')))
    const services = await Promise.all([start(), start()])
    for (const service of services) {
      const memory = await clientOf(service, 'first').createMemory(someMemory())
      expect(memory).toMatchObject({ version: 1 })
      service.signal('SIGTERM')
      expect(await service.ended).toBe(0)
    }
  })

  test('a database that refuses the user ends the start with the names of the settings', async () => {
    await using child = spawnService({ ...settingsOf('api'), NEO4J_PASSWORD: 'not-the-password' })
    expect(await child.ended).toBe(78)
    expect(child.said()).toContain('NEO4J_PASSWORD')
    expect(child.said()).not.toContain('not-the-password')
  })

  test('a tenant with one job waits for no tenant with a thousand', async () => {
    await using neo4j = connectDriver(database)
    const [crowd, single] = ['a-crowd', 'z-single']
    const queue = queueOf(neo4j, crowd)
    await queue.fill(1_000)
    await queue.fill(1, single)
    const order: string[] = []
    const worker = workerOf(neo4j, async job => {
      order.push(job.tenant)
      await completeJob(queue.caller(), job)
    })
    for (let turn = 0; turn < 4; turn++) await worker.runBatch()
    expect(order).toContain(single)
    expect(order.length).toBeLessThanOrEqual(4 * 32)
    await queue.clear()
  })

  test('a slow job keeps neither another tenant waiting nor the rest of its own', async () => {
    await using neo4j = connectDriver(database)
    const [slow, quick] = ['b-slow', 'c-quick']
    const queue = queueOf(neo4j, slow)
    const [held, gate] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()]
    const done: string[] = []
    const worker = workerOf(neo4j, async job => {
      if (done.length === 0 && job.tenant === slow) {
        held.resolve()
        await gate.promise
      }
      await completeJob(queue.caller(), job)
      done.push(job.tenant)
    })
    await queue.fill(1)
    await using running = new AsyncDisposableStack()
    running.defer(() => {
      gate.resolve()
      return worker.stop()
    })
    worker.start()
    await held.promise
    await queue.fill(40, quick)
    await expect.poll(() => done.filter(tenant => tenant === quick).length, limit).toBe(40)
    await queue.fill(40)
    await expect.poll(() => done.filter(tenant => tenant === slow).length, limit).toBe(40)
    await running.disposeAsync()
    expect(await queue.jobs()).toEqual([])
  })

  test('what a killed worker held is taken up by another, and done once', async () => {
    const tenant = freshTenant()
    const content = `held for ${tenant}`
    await using api = await startChildService(settingsOf('api'))
    const client = clientOf(api, tenant)
    const { id } = await client.createMemory(someMemory({ content }))
    await using holding = await startHoldingWorker()
    await holding.worker.kill()
    await using neo4j = connectDriver(database)
    await queueOf(neo4j, tenant).pass()

    await using provider = await startEmbeddingEndpoint({ dimensions: DIMENSIONS })
    await using _other = spawnService(settingsOf('worker', provider.url))
    const status = async () => (await client.getMemory({ id })).embedding.status
    await expect.poll(status, limit).toBe('ready')
    const jobs = async () => (await client.listJobs()).jobs
    await expect.poll(jobs, limit).toEqual([])
    const asked = provider.requests.flatMap(({ texts }) => texts)
    expect(asked.filter(text => text === content)).toHaveLength(1)
    expect((await client.listChanges()).changes.map(({ kind }) => kind)).toEqual(['created'])
  })

  test('what a worker held that is stopped in good order is free at once', async () => {
    const tenant = freshTenant()
    await using api = await startChildService(settingsOf('api'))
    await clientOf(api, tenant).createMemory(someMemory())
    await using holding = await startHoldingWorker()
    holding.worker.signal('SIGTERM')
    expect(await holding.worker.ended).toBe(0)
    expect((await clientOf(api, tenant).listJobs()).jobs).toMatchObject([{ state: 'queued', attempt: 0 }])
  })

  test('a service that is asked to stop answers what is in progress, and ends well', async () => {
    await using stopping = await stopWhileWriting()
    const { service, created, release } = stopping
    // A connection that was taken in the moment of the stop may get no answer any more: that too is a refusal.
    const asked = () =>
      fetch(`${service.url}/health`, { signal: AbortSignal.timeout(500) }).catch(() => 'refused')
    await expect.poll(asked, limit).toBe('refused')
    release()
    expect(await created).toMatchObject({ version: 1, embedding: { status: 'ready' } })
    expect(await service.ended).toBe(0)
  })

  test('a service that is asked to stop twice ends at once', async () => {
    await using stopping = await stopWhileWriting()
    const { service, created } = stopping
    await expect.poll(() => service.said(), limit).toContain('Stopping')
    service.signal('SIGTERM')
    await expect(created).rejects.toThrow()
    expect(await service.ended).toBe(1)
  })

  /** A service that is asked to stop while a write waits for its vector, until `release` lets that come. */
  async function stopWhileWriting() {
    await using starting = new AsyncDisposableStack()
    const settings = { ...settingsOf('api'), SERVICE_EMBEDDING_WRITE_WAIT_MS: '60000' }
    const service = starting.use(await startChildService(settings))
    const release = embeddings.hold()
    starting.defer(release)
    const arrived = embeddings.arrived(embeddings.requests.length + 1)
    const created = clientOf(service, freshTenant()).createMemory(someMemory())
    await arrived
    service.signal('SIGTERM')
    const stack = starting.move()
    return { service, created, release, [Symbol.asyncDispose]: () => stack.disposeAsync() }
  }

  /** A worker that has taken its jobs and cannot finish them, as its provider takes requests and does not answer. */
  async function startHoldingWorker() {
    await using starting = new AsyncDisposableStack()
    const held = starting.use(await startEmbeddingEndpoint({ dimensions: DIMENSIONS }))
    held.hold()
    const worker = starting.use(spawnService(settingsOf('worker', held.url)))
    await held.arrived(1)
    const stack = starting.move()
    return { worker, [Symbol.asyncDispose]: () => stack.disposeAsync() }
  }
})
