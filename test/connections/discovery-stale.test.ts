import { randomUUID } from 'node:crypto'
import { expect, test } from 'vitest'
import type { Context } from '../../src/context.ts'
import { connectNeighbours } from '../../src/store/connections/discovery.ts'
import { leaseJobs } from '../../src/store/jobs/leases.ts'
import { relatedConnections } from '../support/related-connections.ts'
import { remember } from '../support/seed.ts'
import { withService } from '../support/service.ts'
import { vectorOfNumbers } from '../support/vectors.ts'

const service = withService({ vector: vectorOfNumbers })

const rest = { suspected: [], report: null, threshold: 0.7, byRule: false, measures: false }

test('a neighbour that has moved away between being found and being connected is not connected', async () => {
  const [cat] = await remember(service.client, ['1 0'])
  await service.drain()
  const [kitten] = await remember(service.client, ['9 1'])
  const { app, tenant } = service
  const ctx = { app, tenant, ...app.embeddings.active(), signal: AbortSignal.timeout(60_000) } as Context
  const [job] = await leaseJobs(ctx, tenant, randomUUID(), 1)
  if (!cat || !kitten || !job) throw new Error('Nothing was queued')

  await service.client.updateMemory({ id: cat.id, content: '0 1' })
  await service.drain()
  expect(await connectNeighbours(ctx, job, { found: [{ id: cat.id, cosine: 0.99 }], ...rest })).toBe(0)
  expect(await relatedConnections(service)).toEqual([])
  expect(await service.client.listJobs()).toMatchObject({ jobs: [] })
})
