import { randomUUID } from 'node:crypto'
import { afterAll, beforeEach, expect, inject, test } from 'vitest'
import { completeJob, recordFailure } from '../../src/store/jobs/ending.ts'
import { type LeasedJob, leaseJobs, renewLeases, reviveJobs } from '../../src/store/jobs/leases.ts'
import { connectDriver } from '../../src/store/neo4j/driver.ts'
import { idsOf, queueOf, workerOf } from '../support/queue.ts'
import { freshTenant } from '../support/service.ts'

const TRIES = 8
const neo4j = connectDriver(inject('neo4j'))
let tenant: string
let queue: ReturnType<typeof queueOf>

beforeEach(() => {
  tenant = freshTenant()
  queue = queueOf(neo4j, tenant)
})
afterAll(() => neo4j[Symbol.asyncDispose]())

const claim = (count = 8, owner = randomUUID()) => leaseJobs(queue.caller(), tenant, owner, count)

test('two thousand jobs are claimed once each by sixteen workers', async () => {
  await queue.fill(2_000)
  const claimed: string[] = []
  await Promise.all(
    Array.from({ length: 16 }, async () => {
      while (claimed.length < 2_000) {
        const ids = idsOf(await claim())
        await queue.keep(ids)
        claimed.push(...ids)
      }
    }),
  )
  expect(claimed).toHaveLength(2_000)
  expect(new Set(claimed).size).toBe(2_000)
  await queue.clear()
})

test('a worker whose lease has ended changes nothing any more', async () => {
  await queue.fill(1)
  const [late] = await claim()
  if (!late) throw new Error('nothing was claimed')
  await queue.pass()
  await reviveJobs(queue.caller(), TRIES)
  const [current] = await claim()
  expect(current).toMatchObject({ id: late.id, attempt: 2 })

  expect(await completeJob(queue.caller(), late)).toBe(false)
  expect(await renewLeases(queue.caller(), [late])).toEqual(new Set())
  await recordFailure(queue.caller(), late, { reason: 'late', retryInMs: null, countsAsAttempt: true })
  expect(await queue.jobs()).toMatchObject([{ state: 'running', attempt: 2 }])
  expect(await completeJob(queue.caller(), current as typeof late)).toBe(true)
  expect(await queue.jobs()).toEqual([])
})

test('a job that kills every worker is given up after the last try, and says so', async () => {
  await queue.fill(1)
  for (let attempt = 1; attempt <= TRIES; attempt++) {
    expect(await claim()).toMatchObject([{ attempt }])
    await queue.pass()
    await reviveJobs(queue.caller(), TRIES)
  }
  expect(await queue.jobs()).toMatchObject([
    { state: 'failed', attempt: TRIES, lastError: 'The worker that held it ended without finishing it' },
  ])
})

test('a job that kills every worker takes none with it that was claimed at its side', async () => {
  await queue.fill(20)
  const poison = (await queue.jobs())[3]?.id
  for (let turn = 0; turn < 200 && (await queue.jobs()).some(({ state }) => state !== 'failed'); turn++) {
    const claimed = await claim()
    const survived = !idsOf(claimed).includes(poison ?? '')
    if (survived) for (const job of claimed) await completeJob(queue.caller(), job)
    else await queue.pass()
    await reviveJobs(queue.caller(), TRIES)
  }
  expect(await queue.jobs()).toMatchObject([{ id: poison, state: 'failed', attempt: TRIES }])
})

test('a job that always fails is given up with its reason, and holds up no other', async () => {
  await queue.fill(3)
  const [poison] = await queue.jobs()
  const worker = workerOf(neo4j, async job => {
    if (job.id === poison?.id) throw new Error('It cannot be done')
    await completeJob(queue.caller(), job)
  })
  expect(await worker.runBatchOf(tenant)).toBe(3)
  expect(await queue.jobs()).toMatchObject([{ id: poison?.id, state: 'waiting', attempt: 1 }])
  for (let attempt = 2; attempt <= TRIES; attempt++) {
    await queue.pass()
    await worker.revive()
    expect(await worker.runBatchOf(tenant)).toBe(1)
  }
  expect(await queue.jobs()).toMatchObject([
    { state: 'failed', attempt: TRIES, lastError: 'It cannot be done' },
  ])
})

test('what is no fault of the job costs it no try, however often', async () => {
  await queue.fill(1)
  const down = async () => {
    throw new Error('The provider is down')
  }
  const worker = workerOf(neo4j, down, { external: true })
  for (let attempt = 0; attempt < 2 * TRIES; attempt++) {
    expect(await worker.runBatchOf(tenant)).toBe(1)
    await queue.pass()
    await worker.revive()
  }
  expect(await queue.jobs()).toMatchObject([{ state: 'queued', attempt: 0 }])
})

test('a worker that stops gives back what it has not finished, as if it had not been taken', async () => {
  await queue.fill(5)
  const taken = Promise.withResolvers<void>()
  let started = 0
  const worker = workerOf(neo4j, (_job, signal) => {
    if (++started === 5) taken.resolve()
    return new Promise((_, reject) => signal.addEventListener('abort', () => reject(signal.reason)))
  })
  const turn = worker.runBatchOf(tenant)
  await taken.promise
  await worker.stop()
  await turn
  const jobs = await queue.jobs()
  expect(jobs.map(({ state, attempt }) => ({ state, attempt }))).toEqual(
    Array(5).fill({ state: 'queued', attempt: 0 }),
  )
  expect(await claim()).toHaveLength(5)
})

test('a job that is tried again stands behind what was queued before it was due', async () => {
  await queue.fill(2)
  const [first, second] = await queue.jobs()
  const [tried] = await claim(1)
  expect(tried?.id).toBe(first?.id)
  await recordFailure(queue.caller(), tried as LeasedJob, {
    reason: 'not yet',
    retryInMs: 0,
    countsAsAttempt: true,
  })
  await reviveJobs(queue.caller(), TRIES)
  expect(idsOf(await claim(1))).toEqual([second?.id])
})

test('times that a clock which had gone wrong has set hold up no job', async () => {
  await queue.fill(2)
  const [waiting, held] = await claim(2)
  await recordFailure(queue.caller(), waiting as LeasedJob, {
    reason: 'not yet',
    retryInMs: 10 * 365 * 86_400_000,
    countsAsAttempt: true,
  })
  await renewLeases(queue.caller(), [held as LeasedJob])
  await neo4j.driver.executeQuery(
    'MATCH (j:Job {id: $id}) SET j.leaseUntil = j.leaseUntil + duration({years: 10})',
    { id: held?.id },
  )
  await reviveJobs(queue.caller(), TRIES)
  expect(await queue.jobs()).toMatchObject([{ state: 'queued' }, { state: 'queued' }])
})
