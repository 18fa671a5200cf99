import { describe, expect, test } from 'vitest'
import { nextTenant, queueMaintenance } from '../../src/store/lifecycle/schedule.ts'
import { Schedule } from '../../src/worker/schedule.ts'
import type { TestDatabase } from '../support/lender.ts'
import { age } from '../support/lifecycle.ts'
import { emptyDatabase } from '../support/own-database.ts'
import { freshTenant, someMemory, startService, type TestService, withService } from '../support/service.ts'

describe('The schedule of maintenance', () => {
  let database: TestDatabase
  const service = withService(async () => {
    database = await emptyDatabase()
    return { database }
  })

  const INTERVAL = 3600

  const schedule = () =>
    new Schedule({
      neo4j: service.app.neo4j,
      log: service.app.log,
      name: 'maintenance',
      intervalSeconds: INTERVAL,
      next: nextTenant,
      visit: caller => queueMaintenance(caller, caller.tenant),
    })

  /** Sets the one schedule that all processes share. */
  const setSchedule = (set: string) =>
    service.cypher(`MERGE (s:Setting {name: 'maintenance'}) SET ${set} WITH s REMOVE s.owner`)

  const DUE = 's.dueAt = datetime.realtime(), s.leaseUntil = datetime.realtime()'

  async function tenantWithMemory() {
    const tenant = freshTenant()
    const { id } = await service.clientOf(tenant).createMemory(someMemory())
    await service.drain(tenant)
    return { tenant, id, client: service.clientOf(tenant) }
  }

  const queued = async (client: TestService['client']) =>
    (await client.listJobs({ kind: 'maintain' })).jobs.map(({ state }) => state)

  test('of schedules in several processes one queues a round, each tenant once, and a worker does it', async () => {
    const [one, two] = [await tenantWithMemory(), await tenantWithMemory()]
    await age(service, one.tenant, 1)
    await setSchedule(DUE)
    const took = await Promise.all([1, 2, 3].map(() => schedule().runRound()))
    expect(took.filter(Boolean)).toHaveLength(1)
    expect([await queued(one.client), await queued(two.client)]).toEqual([['queued'], ['queued']])
    expect(await schedule().runRound()).toBe(false)
    await service.drain(one.tenant)
    expect(await queued(one.client)).toEqual([])
    expect((await one.client.getMemory({ id: one.id, record_recall: false })).health).toBe(92)
    await setSchedule(DUE)
    expect(await schedule().runRound()).toBe(true)
    expect([await queued(one.client), await queued(two.client)]).toEqual([['queued'], ['queued']])
  })

  test('a round that a dead process has started is taken over when its lease ends', async () => {
    const { client } = await tenantWithMemory()
    await setSchedule(
      's.dueAt = datetime.realtime(), s.leaseUntil = datetime.realtime() + duration({seconds: 60})',
    )
    expect(await schedule().runRound()).toBe(false)
    expect(await queued(client)).toEqual([])
    await setSchedule('s.leaseUntil = datetime.realtime() - duration({seconds: 1})')
    expect(await schedule().runRound()).toBe(true)
    expect(await queued(client)).toEqual(['queued'])
  })

  test('a clock that was ahead and is right again does not stop the schedule', async () => {
    const { client } = await tenantWithMemory()
    await setSchedule(
      's.dueAt = datetime.realtime() + duration({years: 10}), s.leaseUntil = datetime.realtime() + duration({years: 10})',
    )
    expect(await schedule().runRound()).toBe(true)
    expect(await queued(client)).toEqual(['queued'])
  })

  test('a maintenance that had failed is queued again by the next round', async () => {
    const { client, tenant } = await tenantWithMemory()
    await setSchedule(DUE)
    await schedule().runRound()
    await service.cypher(`MATCH (j:Job {tenant: $tenant}) SET j.state = 'failed', j.attempt = 8`, { tenant })
    await setSchedule(DUE)
    await schedule().runRound()
    expect((await client.listJobs({ kind: 'maintain' })).jobs).toMatchObject([
      { state: 'queued', attempt: 0 },
    ])
  })

  test('a tenant of which only removed memories are left is still visited', async () => {
    const { client, tenant, id } = await tenantWithMemory()
    await service.cypher(
      `MATCH (m:Memory {id: $id}) REMOVE m:Memory SET m:RemovedMemory, m.removedBy = 'a run',
      m.removedAt = datetime.realtime() - duration({days: 8})`,
      { id },
    )
    await setSchedule(DUE)
    await schedule().runRound()
    expect(await queued(client)).toEqual(['queued'])
    await service.drain(tenant)
    expect(await service.cypher('MATCH (m {id: $id}) WHERE m:RemovedMemory RETURN m', { id })).toEqual([])
  })

  test('what is over is removed, and feeds are numbered, also where scheduled maintenance is off', async () => {
    const { client, tenant } = await tenantWithMemory()
    const unread = await tenantWithMemory()
    await client.putPolicy({ name: 'notes', health_decay: 1 })
    await client.putPolicy({ name: 'other', health_decay: 1 })
    await service.cypher(
      `MATCH (x:Change|AuditEntry) WHERE x.tenant = $tenant SET x.at = x.at - duration({years: 3})`,
      { tenant },
    )
    await using worker = await startService({
      database,
      settings: { SERVICE_ROLE: 'worker', SERVICE_MAINTENANCE_INTERVAL_SECONDS: '0' },
    })
    expect(worker.app.config.maintenance.intervalSeconds).toBe(0)
    const left = async () => {
      const [row] = await service.cypher<{ changes: number; entries: number }>(
        `RETURN COUNT { MATCH (c:Change {tenant: $tenant}) } AS changes,
          COUNT { MATCH (a:AuditEntry {tenant: $tenant}) } AS entries`,
        { tenant },
      )
      return row
    }
    // The newest entry of an audit log stays.
    await expect.poll(left).toEqual({ changes: 0, entries: 1 })
    const { tenant: read } = unread
    await expect
      .poll(() => service.cypher('MATCH (c:Change {unnumbered: $read}) RETURN c', { read }))
      .toEqual([])
    expect((await unread.client.listChanges({})).changes).not.toEqual([])
  }, 180_000)

  test('the operator pauses the queue of all tenants, and ends that', async () => {
    const [one, two] = [await tenantWithMemory(), await tenantWithMemory()]
    const until = new Date(Date.now() + 60_000).toISOString()
    expect(await one.client.pauseQueue({ until, all_tenants: true })).toEqual({ paused_until: until })
    await one.client.updateMemory({ id: one.id, content: 'something new' })
    await two.client.updateMemory({ id: two.id, content: 'something else' })
    expect(await service.worker.runBatch()).toBe(0)
    expect(await two.client.listJobs()).toMatchObject({ paused_until: until, counts: { queued: 1 } })
    expect(await two.client.resumeQueue()).toEqual({ paused_until: until })
    expect(await one.client.resumeQueue({ all_tenants: true })).toEqual({ paused_until: null })
    expect(await service.worker.runBatch()).toBeGreaterThan(0)
  })
})
