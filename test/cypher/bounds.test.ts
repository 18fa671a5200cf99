import { beforeAll, expect, test } from 'vitest'
import type { Permit } from '../../src/platform/semaphore.ts'
import { QueryWatch } from '../../src/service/cypher/watch.ts'
import { MARK } from '../../src/store/cypher/query.ts'
import { freshTenant, problemOf, withService } from '../support/service.ts'

const service = withService()
const other = freshTenant()

/** Takes longer than a query may, and little memory. */
const SLOW = 'MATCH (a), (b), (c), (d), (e) RETURN count(*) AS n'
const failure = async (query: string) => {
  const { status, code, detail } = await problemOf(service.client.runCypher({ query }))
  return [status, code, detail]
}

beforeAll(async () => {
  await service.cypher(
    `UNWIND range(1, 200) AS at CREATE (:Memory {id: randomUUID(), tenant: $tenant, state: 'active', content: $content + at})`,
    { content: 'x'.repeat(60_000) },
  )
})

/** Of this tenant, of which the database knows: other files of the run query in the same database. */
const running = async () => {
  const found = await service.cypher<{ query: string }>(
    `SHOW TRANSACTIONS YIELD metaData, currentQuery, status, parameters
     WHERE metaData.${MARK} IS NOT NULL AND currentQuery CONTAINS ':Memory' AND status = 'Running' AND parameters.t = $tenant
     RETURN metaData.${MARK} AS query`,
  )
  return found.length
}

test('two queries of a tenant run at once, others of it wait, and those of other tenants do not', async () => {
  // No thread has to start meanwhile.
  const one = (client = service.client) => client.runCypher({ query: 'RETURN 1 AS one' })
  await Promise.all([one(), one(), one(service.clientOf(other))])
  const leaving = new AbortController()
  const asked = Array.from({ length: 4 }, () =>
    service.client.runCypher({ query: SLOW }, { signal: leaving.signal }).catch(() => {}),
  )
  try {
    await expect.poll(running).toBe(2)
    expect((await one(service.clientOf(other))).rows).toEqual([{ one: 1 }])
    await expect.poll(running).toBe(2)
  } finally {
    leaving.abort()
  }
  await Promise.all(asked)
  await expect.poll(running).toBe(0)
})

test('a query that takes too long is ended, and says so', async () => {
  expect(await failure(SLOW)).toEqual([422, 'cypher_failed', 'The query took longer than 10 seconds.'])
  await expect.poll(running).toBe(0)
})

test('a query that holds more than 64 MB in the database is ended', async () => {
  const watch = new QueryWatch(service.app.neo4j)
  const id = crypto.randomUUID()
  const session = service.app.neo4j.driver.session({ fetchSize: 1 })
  const holding = session.beginTransaction({ metadata: { [MARK]: id } })
  const rows = holding.run(
    'UNWIND range(1, 1500000) AS at WITH collect({at: at}) AS all UNWIND all AS each RETURN each',
  )
  await rows[Symbol.asyncIterator]().next()
  const reasons: unknown[] = []
  watch.begin(id, reason => reasons.push(reason))
  await expect
    .poll(() => reasons[0])
    .toMatchObject({
      code: 'cypher_failed',
      message: 'The query needs more than 64 MB of memory.',
    })
  let isReturned = false
  watch.abandon(id, {
    [Symbol.dispose]() {
      isReturned = true
    },
  })
  await session.close().catch(() => {})
  await expect.poll(() => isReturned).toBe(true)
})

test.each([
  ['memories', 'MATCH (m) RETURN collect(m) AS all'],
  ['texts', 'MATCH (m) RETURN collect(m.content) AS all'],
  ['maps', 'MATCH (m) RETURN collect({of: [m.content]}) AS all'],
])('a row of many %s is not decoded, and the next query is answered', async (_, query) => {
  expect(await failure(query)).toEqual([422, 'cypher_failed', expect.stringContaining('8 MB')])
  expect((await service.client.runCypher({ query: 'RETURN 1 AS one' })).rows).toEqual([{ one: 1 }])
})

test('rows that are more than an answer holds together are cut, and each is whole', async () => {
  const { rows, truncated } = await service.client.runCypher({
    query: 'MATCH (m) RETURN m.content AS content',
  })
  expect(truncated).toBe(true)
  expect(rows.length).toBe(83)
  expect(rows.every(({ content }) => String(content).length > 60_000)).toBe(true)
})

test('a query that nobody waits for keeps its permit until the database has ended it', async () => {
  const watch = new QueryWatch(service.app.neo4j)
  let isReturned = false
  const permit: Permit = {
    [Symbol.dispose]() {
      isReturned = true
    },
  }
  const id = crypto.randomUUID()
  const session = service.app.neo4j.driver.session()
  const conditions = Array.from({ length: 16 }, (_, at) => `m.importance > 0.${at}`).join(' XOR ')
  const planned = session.run(
    `EXPLAIN MATCH (m:Memory) WHERE ${conditions} RETURN m`,
    { t: service.tenant },
    { metadata: { [MARK]: id } },
  )
  const ended = planned.then(
    () => isReturned,
    () => isReturned,
  )
  await expect.poll(running).toBe(1)
  watch.abandon(id, permit)
  expect(await ended).toBe(false)
  await expect.poll(() => isReturned).toBe(true)
  await session.close()
})
