import { expect, test } from 'vitest'
import { maintain, maintainInSteps } from '../../src/service/lifecycle/maintenance.ts'
import { type LeasedJob, leaseJobs } from '../../src/store/jobs/leases.ts'
import { queueMaintenance } from '../../src/store/lifecycle/schedule.ts'
import { age, contextOf } from '../support/lifecycle.ts'
import { freshTenant, someMemory, withService } from '../support/service.ts'

const service = withService()

/** Copies of one memory, with its vector, past the service. */
async function crowd(count: number) {
  const tenant = freshTenant()
  const client = service.clientOf(tenant)
  const { id } = await client.createMemory(someMemory({ policy: 'long_term' }))
  await service.drain(tenant)
  await service.cypher(
    `MATCH (one:Memory {id: $id})
    UNWIND range(2, toInteger($count)) AS number
    CREATE (m) SET m = properties(one), m.id = randomUUID(),
      m.createdAt = one.createdAt - duration({milliseconds: number})
    SET m:Memory`,
    { id, count },
  )
  await age(service, tenant, 3)
  return { tenant, client }
}

test('more memories than one run holds are maintained in several, each with its record', async () => {
  const { tenant, client } = await crowd(1_400)
  const plan = await client.planMaintenance()
  expect(plan).toMatchObject({ truncated: true, summary: { memories: 1_400, decay: 1_000 } })
  await maintain(contextOf(service, tenant))
  const { runs } = await client.listMaintenanceRuns({ state: 'applied' })
  expect(runs.map(({ summary }) => summary.decay)).toEqual([400, 1_000])
  const counts = await service.cypher<{ health: number; n: number }>(
    'MATCH (m:Memory) WHERE m.tenant = $tenant RETURN m.health AS health, count(*) AS n',
    { tenant },
  )
  expect(counts).toEqual([{ health: 94, n: 1_400 }])
  const { undone } = await client.undoMaintenance({ id: runs[1]?.id as string })
  expect(undone).toBe(1_000)
})

test('maintenance that is not done in its turn goes on in the next, and has lost no try', async () => {
  const { tenant, client } = await crowd(1_400)
  const ctx = contextOf(service, tenant)
  const decayed = async () =>
    (await client.listMaintenanceRuns({ state: 'applied' })).runs.map(({ summary }) => summary.decay)
  await queueMaintenance(ctx, tenant)
  const [job] = await leaseJobs(ctx, tenant, 'a worker', 1)
  await maintainInSteps(ctx, job as LeasedJob, 0)
  expect(await decayed()).toEqual([1_000])
  expect((await client.listJobs()).jobs).toMatchObject([
    { kind: 'maintain', state: 'queued', attempt: 0, lease_until: null },
  ])
  await service.drain(tenant)
  expect(await decayed()).toEqual([400, 1_000])
  expect((await client.listJobs()).jobs).toEqual([])
})

test('the brake sees all memories, not only those that one run holds', async () => {
  const { tenant, client } = await crowd(1_400)
  await service.cypher(
    `MATCH (m:Memory) WHERE m.tenant = $tenant WITH m ORDER BY m.id DESC LIMIT 300 SET m.health = 1.0`,
    { tenant },
  )
  await maintain(contextOf(service, tenant))
  expect((await client.getStats()).memories.by_state.archived).toBe(0)
  expect((await client.listMaintenanceRuns()).runs).toMatchObject([
    { state: 'waiting', summary: { archive: 300, decay: 700 } },
  ])
})
