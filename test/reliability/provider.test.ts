import { afterAll, expect, inject, test } from 'vitest'
import { connectDriver } from '../../src/store/neo4j/driver.ts'
import type { Fault } from '../../tools/embedding-endpoint.ts'
import { queueOf } from '../support/queue.ts'
import { someMemory, startService, withService } from '../support/service.ts'

const resources = new AsyncDisposableStack()
const neo4j = resources.use(connectDriver(inject('neo4j')))
const recovered = withService()
afterAll(() => resources.disposeAsync())

const settings = { SERVICE_EMBEDDING_WRITE_WAIT_MS: '200', SERVICE_EMBEDDING_TIMEOUT_MS: '300' }

test.for([
  ['is down', 'down'],
  ['does not answer', 'silent'],
  ['is unavailable', { status: 503 }],
  ['asks to wait', { status: 429, retryAfter: '1' }],
  ['refuses the key', { status: 401 }],
  ['gives vectors of the wrong length', 'short'],
  ['gives vectors that hold no numbers', 'nan'],
  ['gives nothing but zeros', 'zero'],
  ['answers with a page for people', 'html'],
] satisfies [string, Fault][])(
  'a provider that %s costs no write, and no memory its vector in the end',
  async ([, fault]) => {
    await using service = await startService({ settings })
    const queue = queueOf(neo4j, service.tenant)
    service.embeddings.fail(fault)
    const written = await Promise.all(
      ['The cat purrs', 'Bread from the oven', 'A graph query'].map(content =>
        service.client.createMemory(someMemory({ content })),
      ),
    )
    expect(written.map(({ embedding }) => embedding.status)).toEqual(['pending', 'pending', 'pending'])
    for (let attempt = 0; attempt < 3; attempt++) {
      await service.drain()
      await queue.pass()
      await service.worker.revive()
    }
    const { counts } = await service.client.listJobs()
    expect(counts).toEqual({ queued: 3 })

    await recovered.drain(service.tenant)
    const { memories } = await service.client.listMemories()
    expect(memories.map(({ embedding }) => embedding.status)).toEqual(['ready', 'ready', 'ready'])
    expect((await service.client.listJobs()).jobs).toEqual([])
  },
)
