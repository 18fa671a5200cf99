import { expect, test } from 'vitest'
import type { Context } from '../../src/context.ts'
import { queueRediscoveries, queueRediscovery } from '../../src/store/connections/rediscovery.ts'
import { queueFill } from '../../src/store/embeddings/vectors.ts'
import { completeJob, continueJob, walkOf } from '../../src/store/jobs/ending.ts'
import { type LeasedJob, leaseJobs } from '../../src/store/jobs/leases.ts'
import { queueMaintenance } from '../../src/store/lifecycle/schedule.ts'
import { isBlocked } from '../support/blocked.ts'
import { remember } from '../support/seed.ts'
import { withService } from '../support/service.ts'

const service = withService()

const limit = { interval: 10 }

/** Deletes a job, as one that ends it does, and commits once somebody waits for it. */
async function endMeanwhile(id: string, queueing: () => Promise<unknown>) {
  const { driver, database } = service.app.neo4j
  const session = driver.session({ database })
  try {
    const ending = await session.beginTransaction()
    await ending.run('MATCH (j:Job {id: $id}) SET j.lock = true DELETE j', { id })
    const queued = queueing()
    await expect.poll(() => isBlocked(service, service.tenant), limit).toBe(true)
    await ending.commit()
    await queued
  } finally {
    await session.close()
  }
}

const ways: [string, (ctx: Context, memory: string) => string, (ctx: Context) => Promise<unknown>][] = [
  ['maintenance', ({ tenant }) => `maintain:${tenant}`, ctx => queueMaintenance(ctx, ctx.tenant)],
  [
    'the filling of a space',
    ({ tenant, space }) => `fill:${space.id}:${tenant}`,
    ctx => queueFill(ctx, ctx.tenant, ctx.space),
  ],
  ['rediscovery', ({ tenant }) => `rediscover_all:${tenant}`, queueRediscovery],
  [
    'rediscovery of a memory',
    ({ tenant }, memory) => `rediscover:${tenant}:${memory}:1`,
    ctx => queueRediscoveries(ctx, { createdAt: 0, id: '' }, 10),
  ],
]

test.each(ways)(
  '%s that is queued in the moment in which its job ends is queued',
  async (_, idFor, queue) => {
    const [memory] = await remember(service.client, ['one'])
    const { app, tenant } = service
    const ctx = { app, tenant, ...app.embeddings.active(), signal: AbortSignal.timeout(60_000) } as Context
    const id = idFor(ctx, memory?.id as string)
    await queue(ctx)
    await service.cypher("MATCH (j:Job {id: $id}) SET j.state = 'running'", { id })
    await endMeanwhile(id, () => queue(ctx))
    expect(await stateOf(id)).toEqual([{ state: 'queued', lock: null }])
  },
)

test('discovery that a restore queues in the moment in which its job is forgotten is queued', async () => {
  const [memory] = await remember(service.client, ['two'])
  const id = memory?.id as string
  const job = `discover:${service.tenant}:${id}:1`
  await service.cypher("MATCH (j:Job {id: $job}) SET j.state = 'done'", { job })
  await service.client.deleteMemory({ id })
  await endMeanwhile(job, () => service.client.restoreMemory({ id }))
  expect(await stateOf(job)).toEqual([{ state: 'queued', lock: null }])
})

const stateOf = (id: string) =>
  service.cypher('MATCH (j:Job {id: $id}) RETURN j.state AS state, j.lock AS lock', { id })

test.each(ways.slice(1, 3))(
  '%s that is asked for while it is in progress starts again, whatever its worker still writes',
  async (_, idFor, queue) => {
    const [memory] = await remember(service.client, ['three'])
    const { app, tenant } = service
    const ctx = { app, tenant, ...app.embeddings.active(), signal: AbortSignal.timeout(60_000) } as Context
    await service.drain()
    await queue(ctx)
    const id = idFor(ctx, memory?.id as string)
    const [late] = await leaseJobs(ctx, tenant, 'a worker', 1)
    expect(late?.id).toBe(id)
    await queue(ctx)
    await continueJob(ctx, late as LeasedJob, { place: { createdAt: 1, id: 'far' } })
    expect(await completeJob(ctx, late as LeasedJob)).toBe(false)
    const [again] = await leaseJobs(ctx, tenant, 'a worker', 1)
    expect(await walkOf(ctx, again as LeasedJob)).toMatchObject({ place: { createdAt: 0, id: '' } })
    expect(await completeJob(ctx, again as LeasedJob)).toBe(true)
  },
)
