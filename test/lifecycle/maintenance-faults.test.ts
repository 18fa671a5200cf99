import { expect, test } from 'vitest'
import { runScheduledMaintenance } from '../../src/service/lifecycle/scheduled.ts'
import { withBoltProxy } from '../support/bolt-proxy.ts'
import { age, contextOf, dumpOf } from '../support/lifecycle.ts'
import { someMemory, withService } from '../support/service.ts'

const proxy = withBoltProxy()
const service = withService(() => ({ settings: { NEO4J_URI: proxy.uri } }))

/** One memory to be removed, one to be archived, one to grow older, one to be promoted. */
async function variety() {
  const { tenant, client } = service.newTenant()
  const { memories } = await client.createMemories({
    memories: ['removed', 'archived', 'older', 'promoted'].map((content, index) =>
      someMemory({ content, policy: index === 2 ? 'long_term' : 'short_term' }),
    ),
  })
  const [removed, , , promoted] = memories.map(({ id }) => id) as [string, string, string, string]
  await client.deleteMemory({ id: removed })
  await age(service, tenant, 29)
  await service.cypher(
    `MATCH (m:Memory {id: $promoted}) SET m.recallCount = 3
    WITH m UNWIND range(1, 3) AS n
    CREATE (:Recall {id: m.id + n, memoryId: m.id, tenant: m.tenant, at: m.createdAt})`,
    { promoted },
  )
  await age(service, tenant, 2)
  return { tenant, client, dump: () => dumpOf(service, tenant, { versions: false }) }
}

test.each(['answer', 'request'] as const)(
  'a plan whose %s is lost is applied once and whole, and undone once and whole',
  async what => {
    const { client, dump } = await variety()
    const before = await dump()
    const plan = await client.planMaintenance()
    expect(plan.summary).toMatchObject({ archive: 1, promote: 1, decay: 1, remove: 1 })
    const id = plan.plan_id as string
    const applied = await proxy.losing(what, 'm.removedBy = $runId', () => client.applyMaintenance({ id }))
    expect(applied).toMatchObject({ applied: 4 })
    expect(await client.getStats()).toMatchObject({ memories: { total: 3 } })
    const undone = await proxy.losing(what, 'r.foldedBy = $runId', () => client.undoMaintenance({ id }))
    expect(undone).toMatchObject({ undone: 4, skipped: [] })
    expect(await dump()).toBe(before)
  },
)

test.each(['answer', 'request'] as const)(
  'a scheduled run whose %s is lost happens once, and its record says so',
  async what => {
    const { tenant, client, dump } = await variety()
    const before = await dump()
    await proxy.losing(what, 'm.removedBy = $runId', () =>
      runScheduledMaintenance(contextOf(service, tenant)),
    )
    const { runs } = await client.listMaintenanceRuns()
    expect(runs).toMatchObject([
      { state: 'applied', summary: { archive: 1, promote: 1, decay: 1, remove: 1 } },
    ])
    await client.undoMaintenance({ id: runs[0]?.id as string })
    expect(await dump()).toBe(before)
  },
)

test('two maintenances at once come to the same as one', async () => {
  const [one, two] = [await variety(), await variety()]
  await runScheduledMaintenance(contextOf(service, one.tenant))
  await Promise.all([1, 2, 3].map(() => runScheduledMaintenance(contextOf(service, two.tenant))))
  const figures = async ({ client }: typeof one) =>
    (await client.listMemories({ include_archived: true, order: 'asc' })).memories.map(
      ({ content, state, policy, health, version }) => ({ content, state, policy, health, version }),
    )
  expect(await figures(two)).toEqual(await figures(one))
  const { runs } = await two.client.listMaintenanceRuns()
  const changes = await Promise.all(runs.map(({ id }) => two.client.getMaintenanceRun({ id })))
  expect(changes.flatMap(run => run.changes)).toHaveLength(4)
})

test('a recall that another run has folded is not counted a second time', async () => {
  const { client, tenant } = await variety()
  const { plan_id } = await client.planMaintenance()
  await service.cypher('MATCH (r:Recall {tenant: $tenant}) SET r.foldedBy = "another"', { tenant })
  const { applied, left_out } = await client.applyMaintenance({ id: plan_id as string })
  expect(applied).toBe(3)
  expect(left_out).toMatchObject([{ reason: 'it has changed since the plan' }])
})
