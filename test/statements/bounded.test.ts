import type { ProfiledPlan } from 'neo4j-driver'
import { expect, test, vi } from 'vitest'
import { readFigures } from '../../src/store/figures.ts'
import { countJobs, listJobs } from '../../src/store/jobs/jobs.ts'
import { ROUND_LEASE_MS } from '../../src/store/lifecycle/schedule.ts'
import { int } from '../../src/store/neo4j/statements.ts'
import { readWaiting } from '../../src/store/webhooks/sending.ts'
import { Schedule } from '../../src/worker/schedule.ts'
import { seededRandom } from '../../tools/seeded-random.ts'
import { contextOf } from '../support/lifecycle.ts'
import { queueOf } from '../support/queue.ts'
import { idOf, remember } from '../support/seed.ts'
import { DIMENSIONS, freshTenant, withService } from '../support/service.ts'
import { listenTo } from '../support/statements.ts'

/** Texts are near each other only if they begin with the same word. */
const service = withService({ vector: text => directionOf(text.split(' ')[0] as string) })

function directionOf(word: string): number[] {
  const random = seededRandom([...word].reduce((sum, letter) => 31 * sum + letter.charCodeAt(0), 7) % 1e9)
  return Array.from({ length: DIMENSIONS }, () => random() - 0.5)
}

/** What the look-ups of a statement with a fragment read of a label, with other bounds than it was sent with. */
async function readOf(label: string, fragment: string, bounds: object, request: () => Promise<unknown>) {
  const heard = listenTo(service)
  await request()
  const { text, parameters } = heard.find(each => each.text.includes(fragment)) as (typeof heard)[number]
  const { driver, database } = service.app.neo4j
  const { summary } = await driver.executeQuery(`PROFILE ${text}`, { ...parameters, ...bounds }, { database })
  const leaves = operatorsOf(summary.profile as ProfiledPlan).filter(
    ({ operatorType, arguments: { Details } }) =>
      /Seek|Scan/.test(operatorType) && String(Details).includes(`:${label}`),
  )
  expect(leaves.length).toBeGreaterThan(0)
  return { rows: leaves.reduce((sum, { rows }) => sum + rows, 0), parameters, heard }
}

const operatorsOf = (plan: ProfiledPlan): ProfiledPlan[] => [plan, ...plan.children.flatMap(operatorsOf)]

const JOBS = 200
const STATES = 6

test('metrics and lists of jobs read a bounded part of the queue', async () => {
  const tenant = freshTenant()
  const queue = queueOf(service.app.neo4j, tenant)
  await queue.fill(JOBS)
  const caller = contextOf(service, tenant)
  const metrics = await readOf('Job', 'AS waitingPlans', { most: int(5) }, () => readFigures(caller))
  expect(metrics.rows).toBeLessThanOrEqual(5 * STATES)
  const all = { state: undefined, kind: undefined, memoryId: undefined }
  const listed = await readOf('Job', ' AS job', {}, () => listJobs(caller, all, 5))
  expect(listed.rows).toBeLessThanOrEqual(6 * STATES)
  const counted = await readOf('Job', 'count(*) AS n', { looked: int(5) }, () => countJobs(caller, all))
  expect(counted.rows).toBeLessThanOrEqual(5 * STATES)
  await queue.clear()
})

test('a turn of a webhook reads a bounded part of what waits', async () => {
  const tenant = freshTenant()
  await service.cypher(
    `UNWIND range(1, 200) AS at
     CREATE (:Delivery {id: $of + at, tenant: $of, webhook: $of, waitsFor: $of, number: at, about: [], attempts: 0,
       state: 'waiting', queuedAt: datetime.realtime('Z'), dueAt: datetime.realtime('Z')})`,
    { of: tenant },
  )
  const { rows } = await readOf('Delivery', 'd.waitsFor = $id AND', { limit: int(5) }, () =>
    readWaiting(contextOf(service, tenant), { id: tenant } as Parameters<typeof readWaiting>[1], 5),
  )
  expect(rows).toBeLessThanOrEqual(5)
  await service.cypher('MATCH (d:Delivery {webhook: $of}) DELETE d', { of: tenant })
})

test('insights read what was archived in their days, and nothing that was archived before or is active', async () => {
  const client = service.clientOf(freshTenant())
  const ids = (
    await remember(
      client,
      Array.from({ length: 20 }, (_, at) => `note ${at}`),
    )
  ).map(idOf)
  for (const id of ids.slice(0, 6)) await client.deleteMemory({ id })
  await service.cypher(
    'MATCH (m:Memory) WHERE m.id IN $ids SET m.archivedAt = m.archivedAt - duration({days: 9}), m.updatedAt = m.updatedAt - duration({days: 9})',
    { ids: ids.slice(0, 4) },
  )
  const insights = () => client.getInsights({ days: 2 })
  const { rows } = await readOf('Memory', 'date(m.archivedAt)', {}, insights)
  expect(rows).toBe(2)
  expect((await insights()).days.reduce((sum, { archived }) => sum + archived, 0)).toBe(2)
})

test('a visit of a schedule ends before the lease of its round', async () => {
  const given = vi.spyOn(AbortSignal, 'timeout')
  try {
    const visited: string[] = []
    const schedule = new Schedule({
      ...{ neo4j: service.app.neo4j, log: service.app.log, intervalSeconds: 60 },
      name: `of-a-test:${freshTenant()}`,
      next: async (_, after) => (after === '' ? 'a tenant' : undefined),
      visit: async ({ tenant }) => visited.push(tenant),
    })
    expect(await schedule.runRound()).toBe(true)
    expect(visited).toEqual(['a tenant'])
    // The lease may be a quarter of its time old.
    const longest = Math.max(...given.mock.calls.map(([milliseconds]) => milliseconds))
    expect(longest).toBeLessThanOrEqual(0.75 * ROUND_LEASE_MS)
  } finally {
    given.mockRestore()
  }
})

test('a plan to merge continues behind what the last one has looked at', { timeout: 300_000 }, async () => {
  const client = service.clientOf(freshTenant())
  const pairs = Array.from({ length: 550 }, (_, at) => [`word${at} here`, `word${at} there`]).flat()
  const ids = (await remember(client, pairs)).map(idOf)
  const { heard, parameters, rows } = await readOf(
    'Memory',
    'AS last\n    }\n    RETURN {ids: ids, next: CASE',
    { after: ids[1_000], looked: int(50) },
    () => client.planMaintenance({ kind: 'merge' }),
  )
  // Each of its two look-ups ends with the bound.
  expect(rows).toBeLessThanOrEqual(2 * 50)
  expect(parameters.after).toBe('')
  const searched = heard.flatMap(({ text, parameters: { ids } }) => (text.includes('AS near') ? [ids] : []))
  for (const each of searched) expect((each as string[]).length).toBeLessThanOrEqual(200)
  const archived: number[] = []
  for (let cursor: string | undefined; archived.length < 5; ) {
    const plan = await client.planMaintenance({ kind: 'merge', ...(cursor && { cursor }) })
    if (plan.plan_id) await client.applyMaintenance({ id: plan.plan_id })
    archived.push(plan.summary.archive)
    cursor = plan.next_cursor ?? undefined
    if (cursor === undefined) break
  }
  expect(archived.reduce((sum, n) => sum + n, 0)).toBe(550)
  expect(archived.length).toBeGreaterThan(1)
})
