import { afterAll, beforeAll, expect, test } from 'vitest'
import type { Memory } from '../../src/contract/memory.ts'
import { PAGE_BOUND } from '../../src/service/memories/read-page.ts'
import { allPages } from '../support/all-pages.ts'
import { someMemory, withService } from '../support/service.ts'

const MANY = PAGE_BOUND + 500
/** Among the many, newest first, and recalled in the same order; the last two were never recalled. */
const MATCHES = [0, 4_000, 10_200, 10_400, 10_450]
const matching = { min_importance: 0.9, tags: ['many'] }

const service = withService({ settings: { SERVICE_EMBEDDING_WRITE_WAIT_MS: '0' } })
beforeAll(async () => {
  const { id } = await service.client.createMemory(someMemory({ tags: ['many'], importance: 0.1 }))
  await service.cypher(
    `MATCH (template:Memory {id: $id})
    UNWIND range(0, $many - 1) AS at
    CREATE (m:Memory)
    SET m = template{.*, id: randomUUID()}, m.content = 'Note ' + at,
      m.createdAt = template.createdAt - duration({seconds: toInteger(at)}),
      m.importance = CASE WHEN at IN $matches THEN 0.9 ELSE 0.1 END,
      m.recallOrder = CASE WHEN at >= 10400 THEN 0 ELSE toInteger(at) + 1 END
    SET m.lastRecalledAt = CASE WHEN m.recallOrder > 0 THEN datetime({epochMillis: m.recallOrder}) END
    WITH count(*) AS made
    MATCH (template:Memory {id: $id}) DETACH DELETE template`,
    { id, many: MANY, matches: MATCHES },
  )
})
afterAll(async () => {
  await service.cypher('MATCH (m:Memory {tenant: $tenant}) DETACH DELETE m', { tenant: service.tenant })
})

test('a page that looked at too many memories says that it is truncated, and goes on from there', async () => {
  const { client } = service
  const first = await client.listMemories(matching)
  expect(first.memories.map(placeOf)).toEqual([0, 4_000])
  expect(first).toMatchObject({ truncated: true, has_more: true })
  const second = await client.listMemories({ ...matching, cursor: first.next_cursor as string })
  expect(second.memories.map(placeOf)).toEqual([10_200, 10_400, 10_450])
  expect(second).toMatchObject({ truncated: false, has_more: false, next_cursor: null })
})

test('a page that is full is not truncated', async () => {
  for (const limit of [1, 2]) {
    const page = await service.client.listMemories({ ...matching, limit })
    expect(page.memories).toHaveLength(limit)
    expect(page).toMatchObject({ truncated: false, has_more: true })
  }
})

test.each([1, 2, 3, 20])('a walk in pages of %i finds all that match, in order', async limit => {
  const found = await allPages(service.client, { ...matching, limit })
  expect(found.map(placeOf)).toEqual(MATCHES)
})

test.each([1, 2, 20])(
  'a walk by recall in pages of %i leaves none out before the never recalled',
  async limit => {
    const input = { ...matching, order_by: 'last_recalled_at', order: 'asc', limit } as const
    const found = (await allPages(service.client, input)).map(placeOf)
    expect(found.slice(0, 3)).toEqual([0, 4_000, 10_200])
    expect(found.slice(3).toSorted()).toEqual([10_400, 10_450])
  },
)

test('archived memories do not disturb the bound', async () => {
  const found = await allPages(service.client, { ...matching, include_archived: true, limit: 2 })
  expect(found.map(placeOf)).toEqual(MATCHES)
})

test('a list without filters goes on page by page for as long as there are memories', async () => {
  const first = await service.client.listMemories({ limit: 200 })
  expect(first).toMatchObject({ truncated: false, has_more: true })
  expect(first.memories.map(placeOf)).toEqual(Array.from({ length: 200 }, (_, at) => at))
})

test('a tag that few have is not bounded by the many', async () => {
  const { id } = await service.client.createMemory(someMemory({ tags: ['few'] }))
  await service.cypher(`MATCH (m:Memory {id: $id}) SET m.createdAt = datetime('2001-01-01T00:00:00Z')`, {
    id,
  })
  const page = await service.client.listMemories({ tags: ['few'] })
  expect(page.memories.map(memory => memory.id)).toEqual([id])
  expect(page).toMatchObject({ truncated: false, has_more: false })
  await service.client.deleteMemory({ id, hard: true })
})

const placeOf = ({ content }: Memory) => Number(content.split(' ')[1])
