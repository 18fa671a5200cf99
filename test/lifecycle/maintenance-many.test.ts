import { expect, test } from 'vitest'
import { maintainInSteps, runScheduledMaintenance } from '../../src/service/lifecycle/scheduled.ts'
import { leaseJobs, reviveJobs } from '../../src/store/jobs/leases.ts'
import { queueMaintenance } from '../../src/store/lifecycle/schedule.ts'
import { age, contextOf } from '../support/lifecycle.ts'
import { someMemory, type TestService, withService } from '../support/service.ts'
import { listenTo, type Statement } from '../support/statements.ts'

const service = withService()

/** Copies of one memory, with its vector, past the service. */
async function crowd(count: number) {
  const { tenant, client } = service.newTenant()
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

/** Lets so many of the memories that maintenance comes to last fade within a day. */
const endLast = (tenant: string, count: number) =>
  service.cypher(
    'MATCH (m:Memory) WHERE m.tenant = $tenant WITH m ORDER BY m.id DESC LIMIT toInteger($count) SET m.health = 1.0',
    { tenant, count },
  )

test('more memories than one run holds are maintained in several, each with its record', async () => {
  const { tenant, client } = await crowd(1_400)
  const plan = await client.planMaintenance()
  expect(plan).toMatchObject({ truncated: true, summary: { memories: 1_400, decay: 1_000 } })
  await runScheduledMaintenance(contextOf(service, tenant))
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

/** Maintains in steps of one plan each. */
async function slowly(tenant: string) {
  const ctx = contextOf(service, tenant)
  await queueMaintenance(ctx, tenant)
  const lease = async () => (await leaseJobs(ctx, tenant, 'a worker', 1))[0]
  return {
    lease,
    async step() {
      const job = await lease()
      if (job) await maintainInSteps(ctx, job, 0)
      return job !== undefined
    },
    /** Lets a worker take the job, and die. */
    async kill() {
      const job = await lease()
      await service.cypher('MATCH (j:Job {id: $id}) SET j.leaseUntil = j.leaseUntil - duration("PT1H")', {
        id: job?.id,
      })
      await reviveJobs(ctx, 6)
    },
  }
}

/** How often maintenance has looked at each memory. */
const looks = (heard: readonly Statement[]) => {
  const ids = heard.flatMap(({ text, parameters }) =>
    text.includes('AS lastRunVersion, recalls') ? (parameters.ids as string[]) : [],
  )
  return [...Map.groupBy(ids, id => id).values()].map(({ length }) => length)
}

const decayed = async (client: TestService['client']) =>
  (await client.listMaintenanceRuns({ state: 'applied' })).runs.map(({ summary }) => summary.decay)

test('each step of maintenance continues where the last one ended, also after a worker that died', async () => {
  const { tenant, client } = await crowd(1_400)
  const { step, kill } = await slowly(tenant)
  const heard = listenTo(service)
  await step()
  expect(await decayed(client)).toEqual([])
  expect((await client.listJobs()).jobs).toMatchObject([
    { kind: 'maintain', state: 'queued', attempt: 0, lease_until: null },
  ])
  await kill()
  await step()
  expect(await decayed(client)).toEqual([1_000])
  await kill()
  await step()
  expect(await decayed(client)).toEqual([400, 1_000])
  expect((await client.listJobs()).jobs).toEqual([])
  const seen = looks(heard)
  expect(seen).toHaveLength(1_400)
  expect(Math.max(...seen), 'to count, to apply, and behind its lock').toBe(3)
})

test('the brake counts over all steps before any of them applies something', async () => {
  const { tenant, client } = await crowd(1_400)
  await endLast(tenant, 300)
  const { step } = await slowly(tenant)
  while (await step()) expect(await decayed(client)).toEqual([])
  expect((await client.listMaintenanceRuns()).runs).toMatchObject([
    { state: 'waiting', summary: { archive: 300, decay: 700 } },
  ])
})

test('memories that come to end while maintenance applies are counted before they do', async () => {
  const { tenant, client } = await crowd(1_400)
  const { step } = await slowly(tenant)
  await step()
  await step()
  await endLast(tenant, 300)
  while (await step());
  expect((await client.getStats()).memories.by_state.archived).toBe(0)
  expect((await client.listMaintenanceRuns()).runs).toMatchObject([
    { state: 'waiting', summary: { archive: 300 } },
    { state: 'applied', summary: { decay: 1_000 } },
  ])
})

test('a queued round starts again, whatever one that failed had counted', async () => {
  const { tenant, client } = await crowd(3)
  const { step } = await slowly(tenant)
  await service.cypher(
    `MATCH (j:Job {id: 'maintain:' + $tenant})
    SET j.state = 'failed', j.progress = '{"phase": "applying", "at": 0, "memories": 0, "after": "g", "ending": 0}'`,
    { tenant },
  )
  await queueMaintenance(contextOf(service, tenant), tenant)
  await step()
  expect(await decayed(client)).toEqual([3])
})

test('the brake sees all memories, not only those that one run holds', async () => {
  const { tenant, client } = await crowd(1_400)
  await endLast(tenant, 300)
  await runScheduledMaintenance(contextOf(service, tenant))
  expect((await client.getStats()).memories.by_state.archived).toBe(0)
  expect((await client.listMaintenanceRuns()).runs).toMatchObject([
    { state: 'waiting', summary: { archive: 300, decay: 700 } },
  ])
})
