import { beforeEach, expect, test } from 'vitest'
import { completeJob, continueJob, recordFailure } from '../../src/store/jobs/ending.ts'
import { type LeasedJob, leaseJobs, releaseJobs, renewLeases } from '../../src/store/jobs/leases.ts'
import { makeJobsDue } from '../support/queue.ts'
import { relatedConnections } from '../support/related-connections.ts'
import { numbered, remember } from '../support/seed.ts'
import { withService } from '../support/service.ts'

const service = withService()
beforeEach(() =>
  service.cypher('MATCH (n:Memory|Job {tenant: $tenant}) DETACH DELETE n', { tenant: service.tenant }),
)

const caller = () => ({ app: service.app, signal: AbortSignal.timeout(60_000) })
const claim = (owner: string, count = 8) => leaseJobs(caller(), service.tenant, owner, count)
const jobs = async () => (await service.client.listJobs({ limit: 500 })).jobs
const endLeases = () =>
  service.cypher(
    "MATCH (j:Job {tenant: $tenant, state: 'running'}) SET j.leaseUntil = datetime({year: 2020, timezone: 'Z'})",
    {
      tenant: service.tenant,
    },
  )

test('16 workers that claim at once never hold the same job', async () => {
  await remember(service.client, numbered(60))
  const claimed = await Promise.all(
    Array.from({ length: 16 }, async (_, at) => [
      ...(await claim(`worker ${at}`, 4)),
      ...(await claim(`worker ${at}`, 4)),
    ]),
  )
  const ids = claimed.flat().map(({ id }) => id)
  expect(ids.length).toBeGreaterThan(0)
  expect(new Set(ids).size).toBe(ids.length)
  expect((await jobs()).filter(({ state }) => state === 'running')).toHaveLength(ids.length)
})

test('the work of a dead worker is taken up when its lease ends, and only then', async () => {
  await remember(service.client, ['one'])
  const [dead] = await claim('dead')
  await service.worker.revive()
  expect(await claim('heir')).toEqual([])
  await endLeases()
  await service.worker.revive()
  expect(await claim('heir')).toMatchObject([{ id: dead?.id, owner: 'heir', attempt: 2 }])
})

const lateSteps: [string, (job: LeasedJob) => Promise<unknown>][] = [
  ['complete it', job => completeJob(caller(), job, 'a late report')],
  [
    'fail it',
    job => recordFailure(caller(), job, { reason: 'late', retryInMs: null, countsAsAttempt: true }),
  ],
  ['extend its lease', job => renewLeases(caller(), [job])],
  ['give it back', job => releaseJobs(caller(), [job])],
  ['continue it later', job => continueJob(caller(), job)],
]
test.each(lateSteps)('a worker whose job was taken over can no longer %s', async (_name, step) => {
  await remember(service.client, ['one'])
  const [late] = await claim('late')
  await endLeases()
  await service.worker.revive()
  await claim('late')
  const before = await jobs()
  await step(late as LeasedJob)
  expect(await jobs()).toEqual(before)
})

test('a discovery whose job was taken over connects nothing', async () => {
  const [first] = await remember(service.client, ['a cat'])
  await service.drain()
  service.embeddings.fail(['down'])
  await remember(service.client, ['a kitten'])
  const before = service.embeddings.requests.length
  const release = service.embeddings.hold()
  const drained = service.drain()
  await service.embeddings.arrived(before + 1)
  await service.cypher("MATCH (j:Job {tenant: $tenant}) SET j.owner = 'heir', j.attempt = 2", {
    tenant: service.tenant,
  })
  release()
  await drained
  expect(await relatedConnections(service)).toEqual([])
  expect(await jobs()).toMatchObject([{ state: 'running', attempt: 2 }])
  await endLeases()
  await service.worker.revive()
  await service.drain()
  expect(await relatedConnections(service)).toMatchObject([{ target: first?.id }])
})

test('a lease that is extended lasts for the whole time again', async () => {
  await remember(service.client, ['one'])
  const held = await claim('alive')
  await service.cypher(
    'MATCH (j:Job {tenant: $tenant}) SET j.leaseUntil = j.leaseUntil - duration({seconds: 8})',
    { tenant: service.tenant },
  )
  const [before] = await jobs()
  expect(await renewLeases(caller(), held)).toEqual(new Set(held.map(({ id }) => id)))
  const [after] = await jobs()
  const gain = Date.parse(after?.lease_until ?? '') - Date.parse(before?.lease_until ?? '')
  expect(gain).toBeGreaterThanOrEqual(8000)
  expect(after).toMatchObject({ state: 'running', attempt: 1 })
})

test('work that is given back is there for others at once, and was no attempt', async () => {
  await remember(service.client, ['one'])
  await releaseJobs(caller(), await claim('leaving'))
  expect(await claim('heir')).toMatchObject([{ owner: 'heir', attempt: 1 }])
})

test('a job that waits becomes runnable when it is due, and not before', async () => {
  await remember(service.client, ['one'])
  const [job] = await claim('worker')
  await recordFailure(caller(), job as LeasedJob, {
    reason: 'busy',
    retryInMs: 60_000,
    countsAsAttempt: true,
  })
  await service.worker.revive()
  expect(await jobs()).toMatchObject([{ state: 'waiting', attempt: 1, last_error: 'busy' }])
  await makeJobsDue(service)
  await service.worker.revive()
  expect(await jobs()).toMatchObject([{ state: 'queued', attempt: 1 }])
})

test('a job that kills every worker that takes it is kept as failed, with the reason', async () => {
  await remember(service.client, ['one'])
  for (let attempt = 1; attempt <= 8; attempt++) {
    expect(await claim(`victim ${attempt}`)).toMatchObject([{ attempt }])
    await endLeases()
    await service.worker.revive()
  }
  expect(await jobs()).toMatchObject([
    { state: 'failed', attempt: 8, last_error: expect.stringContaining('worker') },
  ])
})
