import { randomUUID } from 'node:crypto'
import type { Plan } from 'neo4j-driver'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { PAGE_BOUND } from '../../src/service/memories/read-page.ts'
import { remember } from '../support/seed.ts'
import { withService } from '../support/service.ts'
import { listenTo, type Statement } from '../support/statements.ts'

/** Tenants whose memories give the planner a database of some size to plan for. */
const crowd = `plans-${randomUUID()}`

const service = withService()
beforeAll(async () => {
  await service.cypher(
    `UNWIND range(1, 5000) AS at
     CREATE (m:Memory {id: $crowd + '-' + at, tenant: $crowd + '-' + (at % 50), state: 'active', health: at % 100,
       importance: (at % 100) / 100.0, recallOrder: at, createdAt: datetime.realtime('Z') - duration({seconds: at}),
       updatedAt: datetime.realtime('Z') - duration({seconds: at}), liveUntil: 0, policy: 'short_term', tags: []})`,
    { crowd },
  )
  await remember(
    service.client,
    Array.from({ length: 300 }, (_, at) => ({ content: `note ${at}`, importance: at / 300 })),
  )
  await service.cypher('CALL db.prepareForReplanning(60)')
})
afterAll(async () => {
  await service.cypher('MATCH (n:Memory) WHERE n.tenant STARTS WITH $crowd DETACH DELETE n', {
    crowd,
  })
})

const orderings = ['created_at', 'updated_at', 'importance', 'health', 'last_recalled_at'] as const
const cases = orderings.flatMap(order_by => (['asc', 'desc'] as const).map(order => ({ order_by, order })))

/** Ascending recalls are two seeks, those never recalled last: each may be read up to the bound on work. */
const reach = ({ order_by, order }: (typeof cases)[number]) =>
  order_by === 'last_recalled_at' && order === 'asc' ? PAGE_BOUND : 20

test.each(cases)(
  'a list by $order_by $order reads its index in order, and no further than the page',
  async walk => {
    const heard = listenTo(service)
    const { next_cursor } = await service.client.listMemories({ ...walk, limit: 5 })
    await service.client.listMemories({ ...walk, limit: 5, cursor: next_cursor as string })
    const lists = heard.filter(({ text }) => text.includes('AS found'))
    expect(lists).toHaveLength(2)
    expect(waysUp(await profile(lists[0] as Statement)).length).toBeGreaterThan(0)
    for (const statement of lists)
      for (const way of waysUp(await profile(statement))) {
        const [leaf, ...above] = way
        expect(leaf?.operatorType).toMatch(/^NodeIndexSeek/)
        const bounded = above.findIndex(({ operatorType }) => operatorType.startsWith('Limit'))
        expect(bounded).toBeGreaterThanOrEqual(0)
        const sorts = above
          .slice(0, bounded)
          .filter(({ operatorType }) => /Sort|Top|Eager/.test(operatorType))
        expect(sorts).toEqual([])
        expect(leaf?.rows).toBeLessThanOrEqual(reach(walk))
      }
  },
)

type Operator = Pick<Plan, 'operatorType' | 'arguments'> & { rows?: number | undefined; children: Operator[] }

async function profile({ text, parameters }: Statement): Promise<Operator> {
  const { driver, database } = service.app.neo4j
  const { summary } = await driver.executeQuery(`PROFILE ${text}`, parameters, { database })
  return summary.profile as Operator
}

/** For each leaf of a plan that reads the graph the operators from it up to the root. */
function waysUp(operator: Operator): Operator[][] {
  if (operator.children.length === 0)
    return /^(Argument|Unwind)/.test(operator.operatorType) ? [] : [[operator]]
  return operator.children.flatMap(child => waysUp(child).map(way => [...way, operator]))
}

/** An operator of a plan and all below it, which run first. */
const withChildren = (plan: Plan): Plan[] => [plan, ...plan.children.flatMap(withChildren)]
const detailsOf = (plan: Plan) => String(plan.arguments.Details ?? '')

test('what is read of a memory together with its lock is read behind it', async () => {
  const { id } = await service.client.createMemory({ content: 'Locked', policy: 'pinned', ttl_seconds: 0 })
  const heard = listenTo(service)
  await service.client.updateMemory({ id, content: 'Locked and changed' })
  const locks = heard.filter(({ text }) => text.includes('SET m.lock = true'))
  expect(locks).toHaveLength(1)
  const { text, parameters } = locks[0] as Statement
  const { driver, database } = service.app.neo4j
  const { summary } = await driver.executeQuery(`EXPLAIN ${text}`, parameters, { database })
  const all = withChildren(summary.plan as Plan)
  const lock = all.find(plan => detailsOf(plan).includes('m.lock = true'))
  expect(all.some(plan => /m\.revision/.test(detailsOf(plan)))).toBe(true)
  const before = (lock as Plan).children.flatMap(withChildren).map(detailsOf)
  expect(before.filter(details => /\bm\.(?!tenant\b|id\b)\w+/.test(details))).toEqual([])
})
