import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest'
import { completeJob } from '../../src/store/jobs/ending.ts'
import { connectDriver } from '../../src/store/neo4j/driver.ts'
import { emptyDatabase } from '../support/own-database.ts'
import { queueOf, workerOf } from '../support/queue.ts'
import { freshTenant } from '../support/service.ts'

describe('The batches of a worker', () => {
  const stack = new AsyncDisposableStack()
  let neo4j: ReturnType<typeof connectDriver>
  beforeAll(async () => {
    neo4j = stack.use(connectDriver(await emptyDatabase()))
  })
  afterAll(() => stack.disposeAsync())

  const HOUR_MS = 3_600_000
  /** So many jobs of one tenant are in progress at once, in three batches. */
  const HELD = 96
  const JOBS = 200

  test('a tenant with more work than its batches hold is not left waiting when one of them ends', async () => {
    const queue = queueOf(neo4j, freshTenant())
    await queue.fill(JOBS)
    const [held, all] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()]
    let [started, done] = [0, 0]
    const complete = async (job: Parameters<typeof completeJob>[1]) => {
      if (++started === HELD) held.resolve()
      await held.promise
      await completeJob(queue.caller(), job)
      if (++done === JOBS) all.resolve()
    }
    const worker = workerOf(neo4j, complete, {}, { pollMs: HOUR_MS })
    onTestFinished(() => {
      held.resolve()
      return worker.stop()
    })
    worker.start()
    await all.promise
    expect(await queue.jobs()).toEqual([])
  })

  test('a job that has become due runs while others always have more work', async () => {
    const quiet = queueOf(neo4j, freshTenant())
    // Two, which together have all batches.
    const busy = [freshTenant(), freshTenant()]
    await Promise.all([quiet.fill(1), ...busy.map(tenant => quiet.fill(JOBS, tenant))])
    const [job] = await quiet.jobs()
    const tries = Promise.withResolvers<number>()
    let isOver = false
    const handle = async (claimed: Parameters<typeof completeJob>[1]) => {
      if (claimed.id === job?.id && claimed.attempt === 1) throw new Error('not yet')
      if (claimed.id === job?.id) tries.resolve(claimed.attempt)
      else if (!isOver) await quiet.fill(1, claimed.tenant)
      await completeJob(quiet.caller(), claimed)
    }
    const worker = workerOf(neo4j, handle, { retryAfterMs: 1 })
    onTestFinished(async () => {
      isOver = true
      await worker.stop()
      await neo4j.driver.executeQuery('MATCH (j:Job) DETACH DELETE j')
    })
    worker.start()
    expect(await tries.promise).toBe(2)
  })

  test('paused tenants are passed by, on both sides of the last name', async () => {
    const names = [1, 2, 3, 4].map(number => `${freshTenant()}-${number}`).toSorted()
    const [first, second, third, fourth] = names as [string, string, string, string]
    const queue = queueOf(neo4j, second)
    for (const tenant of names) await queue.fill(1, tenant)
    const pause = `UNWIND $tenants AS tenant CREATE (:Setting {name: 'pause:' + tenant, pauses: tenant,
      until: datetime.realtime('Z') + duration({hours: 1})})`
    await neo4j.driver.executeQuery(pause, { tenants: [first, third] })
    const done: string[] = []
    const worker = workerOf(neo4j, async job => {
      done.push(job.tenant)
      await completeJob(queue.caller(), job)
    })
    for (const left of [1, 1, 0]) expect(await worker.runBatch()).toBe(left)
    expect(done).toEqual([second, fourth])
  })
})
