import { randomUUID } from 'node:crypto'
import type { Plan } from 'neo4j-driver'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { PAGE_BOUND } from '../../src/service/memories/read-page.ts'
import { graphql } from '../support/graphql.ts'
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
       updatedAt: datetime.realtime('Z') - duration({seconds: at}), liveUntil: 0, policy: 'short_term', tags: []})
     WITH collect(m) AS crowd
     UNWIND range(0, size(crowd) - 2) AS at
     WITH crowd[at] AS source, crowd[at + 1] AS target
     CREATE (source)-[:RELATED_TO {tenant: source.tenant, key: source.id + ':' + target.id, createdAt: source.createdAt}]->(target)`,
    { crowd },
  )
  await service.cypher(
    `UNWIND range(1, 2000) AS at
     WITH $crowd + '-' + at AS id, $crowd + '-' + (at % 50) AS tenant
     CREATE (:Job {id: id, tenant: tenant, kind: 'discover', memoryId: id, state: 'failed', attempt: 8, revision: 1,
       createdAt: datetime.realtime('Z'), runAt: datetime.realtime('Z')})
     CREATE (:Recall {id: id, tenant: tenant, memoryId: id, at: datetime.realtime('Z')})`,
    { crowd },
  )
  await remember(
    service.client,
    Array.from({ length: 300 }, (_, at) => ({ content: `note ${at}`, importance: at / 300 })),
  )
  await service.cypher('CALL db.prepareForReplanning(60)')
})
afterAll(async () => {
  await service.cypher('MATCH (n:Memory|Job|Recall) WHERE n.tenant STARTS WITH $crowd DETACH DELETE n', {
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

/** How the library begins to read memories; besides, it asks the database once for its version. */
const libraryPage = 'CYPHER 5\nMATCH (this:Memory)'

test.each(['createdAt', 'updatedAt', 'importance', 'health'])(
  'memories that GraphQL sorts by %s are read from its index in order, and no further than the page',
  async property => {
    const heard = listenTo(service)
    for (const order of ['ASC', 'DESC'])
      await graphql(service, `{ memories(sort: [{ ${property}: ${order} }], limit: 5) { content } }`)
    const pages = new Map(
      heard.filter(({ text }) => text.startsWith(libraryPage)).map(each => [each.text, each]),
    )
    expect([...pages.keys()]).toHaveLength(2)
    for (const page of pages.values()) {
      const [way = []] = waysUp(await profile(page))
      expect(way[0]).toMatchObject({ operatorType: expect.stringMatching(/^NodeIndexSeek/), rows: 5 })
      expect(way.filter(({ operatorType }) => /Sort|Top/.test(operatorType))).toEqual([])
    }
  },
)

test('for an owner GraphQL reads both tenants from the index in order, and no further than the page', async () => {
  const { key } = await service.client.createKey({ owner: 'anna', scopes: ['write'] })
  await remember(
    service.clientOf('', key),
    Array.from({ length: 30 }, (_, at) => `private note ${at}`),
  )
  const heard = listenTo(service)
  const sorted = await graphql(service, '{ memories(sort: [{ createdAt: DESC }], limit: 5) { id } }', { key })
  const ids = JSON.stringify(sorted.data.memories.map(({ id }: { id: string }) => id))
  await graphql(service, `{ memories(where: { id: { in: ${ids} } }) { content } }`, { key })
  const [page, named] = heard.filter(
    ({ text }) => text.startsWith('CYPHER 5') && text.includes('this:Memory'),
  )
  const ways = waysUp(await profile(page as Statement)).filter(([leaf]) =>
    leaf?.operatorType.startsWith('NodeIndexSeek'),
  )
  expect(ways).toHaveLength(1)
  for (const [leaf, ...above] of ways) {
    expect(leaf?.rows).toBeLessThanOrEqual(10)
    const bounded = above.findIndex(({ operatorType }) => operatorType.startsWith('Limit'))
    expect(bounded).toBeGreaterThanOrEqual(0)
    expect(above.slice(0, bounded).filter(({ operatorType }) => /Sort|Top|Eager/.test(operatorType))).toEqual(
      [],
    )
  }
  const [[leaf] = []] = waysUp(await profile(named as Statement))
  expect(leaf).toMatchObject({ operatorType: expect.stringMatching(/^NodeUniqueIndexSeek/), rows: 5 })
})

test('memories that GraphQL reads by their ids are looked up in the index of ids', async () => {
  const { memories } = await service.client.listMemories({ limit: 3 })
  const ids = JSON.stringify(memories.map(({ id }) => id))
  const heard = listenTo(service)
  await graphql(service, `{ memories(where: { id: { in: ${ids} } }) { content } }`)
  const [page] = heard.filter(({ text }) => text.startsWith(libraryPage))
  const [[leaf] = []] = waysUp(await profile(page as Statement))
  expect(leaf).toMatchObject({ operatorType: expect.stringMatching(/^NodeUniqueIndexSeek/), rows: 3 })
})

test('a list of connections reads its index in order', async () => {
  const heard = listenTo(service)
  await service.clientOf(`${crowd}-1`).listConnections({ relationship_type: 'related_to', limit: 5 })
  const [counting, page] = heard.filter(({ text }) => text.includes('[r:RELATED_TO]'))
  for (const statement of [counting, page]) {
    const seeks = waysUp(await profile(statement as Statement)).map(([leaf]) => leaf?.operatorType)
    expect(
      seeks.filter(operator => operator?.startsWith('DirectedRelationshipIndexSeek')).length,
    ).toBeGreaterThan(0)
    expect(seeks.filter(operator => /Scan/.test(operator ?? ''))).toEqual([])
  }
})

test('a list of the connections of one memory begins there', async () => {
  const heard = listenTo(service)
  const [one] = (await service.client.listMemories({ limit: 1 })).memories
  await service.client.listConnections({ source_id: one?.id as string })
  await service.client.listConnections({ target_id: one?.id as string })
  const lists = heard.filter(({ text }) => text.includes('count(r) AS n'))
  expect(lists).toHaveLength(2)
  for (const statement of lists)
    for (const [leaf] of waysUp(await profile(statement)))
      expect(leaf?.operatorType).toMatch(/^(NodeUniqueIndexSeek|Argument)/)
})

test('a search and a list among few memories look each of them up, and those of a search again to read them', async () => {
  await remember(
    service.client,
    Array.from({ length: 3 }, (_, at) => ({ content: `rare note ${at}`, tags: ['rare'] })),
  )
  const heard = listenTo(service)
  await service.client.searchMemories({ query: 'note', search_type: 'semantic', tags: ['rare'] })
  await service.client.listMemories({ tags: ['rare'] })
  const statements = heard.filter(({ text }) => text.includes('UNWIND $ids AS id'))
  expect(statements).toHaveLength(3)
  for (const statement of statements) {
    const seeks = waysUp(await profile(statement)).map(([leaf]) => `${leaf?.operatorType} ${leaf?.rows}`)
    expect(seeks).toEqual(['NodeUniqueIndexSeek@neo4j 3'])
  }
})

test('the neighbours in a session are read from its index in order, and no further than the bound', async () => {
  await remember(
    service.client,
    Array.from({ length: 60 }, (_, at) => ({ content: `minute ${at}`, session_id: 'plans' })),
  )
  // Those of one batch with the same time as a hit are passed over, however many they are.
  await service.cypher(
    `MATCH (m:Memory {tenant: $tenant, sessionId: 'plans'})
     SET m.createdAt = m.createdAt + duration({minutes: toInteger(split(m.content, ' ')[1])})`,
  )
  const heard = listenTo(service)
  await service.client.searchMemories({ query: 'minute 30', search_type: 'hybrid' })
  const [statement] = heard.filter(({ text }) => text.includes('range(1, size(side))'))
  const leaves = waysUp(await profile(statement as Statement)).map(([leaf]) => leaf)
  const seeks = leaves.filter(leaf => String(leaf?.arguments.Details).includes('sessionId'))
  expect(seeks).toHaveLength(2)
  for (const seek of seeks) {
    expect(seek?.operatorType).toMatch(/^NodeIndexSeek/)
    // Each of the ten hits whose neighbours count reads twenty memories at most, and itself.
    expect(seek?.rows).toBeLessThanOrEqual(10 * 21)
  }
})

test('no operation reads all memories, or all connections, to answer', { timeout: 300_000 }, async () => {
  const heard = listenTo(service)
  const { client } = service
  const { memories } = await client.listMemories({ limit: 2 })
  const [one, other] = memories.map(({ id }) => id) as [string, string]
  await client.createConnection({ source_id: one, target_id: other })
  await client.relatedMemories({ id: one, depth: 2, direction: 'both' })
  await client.findPath({ source_id: one, target_id: other })
  await client.listMemories({ tags: ['x'], include_archived: true })
  await client.searchMemories({ query: 'note', search_type: 'hybrid', tags: ['x'] })
  await client.listConnections({})
  await client.listJobs({ state: 'failed' })
  await client.getStats()
  await client.getInsights({})
  await client.getMemory({ id: one })
  await client.updateMemory({ id: one, content: 'another note' })
  await client.deleteConnection({ source_id: one, target_id: other })
  await client.deleteMemory({ id: one })
  await client.restoreMemory({ id: one })
  await client.deleteMemory({ id: one, hard: true })
  await service.worker.runBatchOf(service.tenant)
  const statements = [...new Map(heard.map(each => [each.text, each])).values()]
  expect(statements.length).toBeGreaterThan(20)
  for (const statement of statements) {
    const leaves = waysUp(await explain(statement)).map(
      ([leaf]) => `${leaf?.operatorType} ${leaf?.arguments.Details}`,
    )
    expect(
      leaves.filter(leaf => readsAll.test(leaf)),
      statement.text,
    ).toEqual([])
  }
})

/** Settings and embedding spaces are a handful, however many memories there are. */
const readsAll =
  /AllNodesScan|NodeByLabelScan (?!.*:(Setting|EmbeddingSpace)$)|RelationshipTypeScan|AllRelationshipsScan/

type Operator = Pick<Plan, 'operatorType' | 'arguments'> & { rows?: number | undefined; children: Operator[] }

const profile = (statement: Statement) => planOf('PROFILE', statement)
const explain = (statement: Statement) => planOf('EXPLAIN', statement)

async function planOf(how: 'PROFILE' | 'EXPLAIN', { text, parameters }: Statement): Promise<Operator> {
  const { driver, database } = service.app.neo4j
  const { summary } = await driver.executeQuery(`${how} ${text}`, parameters, { database })
  return (how === 'PROFILE' ? summary.profile : summary.plan) as Operator
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
