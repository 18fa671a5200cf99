import { expect, inject, test } from 'vitest'
import { bundleLines, imported, memoryLine } from '../../tools/bundle-lines.ts'
import { withBoltProxy } from '../support/bolt-proxy.ts'
import { remember, rememberIds } from '../support/seed.ts'
import { freshTenant, problemOf, startService, withService } from '../support/service.ts'

const service = withService()
const proxy = withBoltProxy()

type Client = ReturnType<typeof service.clientOf>
type Type = 'semantic' | 'keyword' | 'hybrid'

/** The pages of a search; `between` runs after each. */
async function pagesOf(
  client: Client,
  search: { query: string; search_type: Type; limit: number; importance_weight?: number },
  between: () => Promise<unknown> = async () => {},
) {
  const pages: string[][] = []
  let cursor: string | null = null
  do {
    const answer = await client.searchMemories({ ...search, ...(cursor === null ? {} : { cursor }) })
    pages.push(answer.results.map(({ memory }) => memory.id))
    cursor = answer.next_cursor
    expect(answer.has_more).toBe(cursor !== null)
    await between()
  } while (cursor !== null)
  return pages
}

test.each(['semantic', 'keyword', 'hybrid'] as const)(
  'a %s search returns each match once, and past 200 results',
  async search_type => {
    const client = service.clientOf(freshTenant())
    const contents = Array.from({ length: 450 }, (_, at) => `cat number ${at} ${'meow '.repeat(at % 7)}`)
    const stored = await rememberIds(client, contents)
    const pages = await pagesOf(client, { query: 'cat', search_type, limit: 200 })
    expect(pages.map(({ length }) => length)).toEqual([200, 200, 50])
    expect(pages.flat().sort()).toEqual(stored.sort())
    const small = await pagesOf(client, { query: 'cat', search_type, limit: 150, importance_weight: 0.5 })
    expect(small.flat().sort()).toEqual(stored)
  },
)

test('imported memories whose ids begin or end alike are on their pages, in every kind of search', async () => {
  const { tenant, client } = service.newTenant()
  const ids = [
    ...[1, 2, 3, 4, 5, 6].map(at => `0000000${at}-1111-7111-8111-222222222222`),
    ...[1, 2, 3].map(at => `00000000-1111-7111-8111-22222222222${at}`),
  ]
  await imported(client, bundleLines(ids.map((id, at) => memoryLine({ id, content: `cat number ${at}` }))))
  await service.drain(tenant)
  for (const search_type of ['keyword', 'semantic', 'hybrid'] as const) {
    const pages = await pagesOf(client, { query: 'cat', search_type, limit: 2 })
    expect([search_type, ...pages.flat().sort()]).toEqual([search_type, ...ids.toSorted()])
  }
})

test('a write between two pages returns no memory twice', async () => {
  const client = service.clientOf(freshTenant())
  const contents = Array.from({ length: 30 }, (_, at) => `cat number ${at}`)
  const stored = await rememberIds(client, contents)
  const pages = await pagesOf(client, { query: 'cat', search_type: 'hybrid', limit: 10 }, async () =>
    remember(client, ['cat']),
  )
  const returned = pages.flat()
  expect(new Set(returned).size).toBe(returned.length)
  expect(returned).toEqual(expect.arrayContaining(stored))
})

test('a walk ends after 1,000 results', async () => {
  const client = service.clientOf(freshTenant())
  const contents = Array.from({ length: 1_100 }, (_, at) => `cat ${at}`)
  for (let at = 0; at < contents.length; at += 100) await remember(client, contents.slice(at, at + 100))
  const search = { query: 'cat', search_type: 'keyword' as const, limit: 200 }
  let cursor: string | null = null
  let count = 0
  let last: Awaited<ReturnType<Client['searchMemories']>> | undefined
  do {
    last = await client.searchMemories({ ...search, ...(cursor === null ? {} : { cursor }) })
    count += last.results.length
    cursor = last.next_cursor
  } while (cursor !== null)
  expect(count).toBe(1_000)
  expect(last).toMatchObject({ has_more: true, next_cursor: null })
})

test('a cursor belongs to its tenant and to its search', async () => {
  const client = service.clientOf(freshTenant())
  await remember(client, ['cat one', 'cat two', 'cat three'])
  const search = { query: 'cat', search_type: 'keyword' as const, limit: 1 }
  const { next_cursor } = await client.searchMemories(search)
  if (next_cursor === null) throw new Error('There is a second page')
  const cursor = next_cursor
  const refused = { status: 400, code: 'invalid_cursor' }
  expect(await problemOf(client.searchMemories({ ...search, query: 'dog', cursor }))).toMatchObject(refused)
  expect(await problemOf(client.searchMemories({ ...search, cursor: `${cursor}x` }))).toMatchObject(refused)
  const other = service.clientOf(freshTenant())
  expect(await problemOf(other.searchMemories({ ...search, cursor }))).toMatchObject(refused)
  const { results } = await client.searchMemories({ ...search, limit: 2, explain: true, cursor })
  expect(results).toHaveLength(2)
})

test('a deep page reads no more contents than the first', async () => {
  const database = { ...inject('neo4j'), uri: proxy.uri }
  await using own = await startService({ database })
  const client = own.clientOf(freshTenant())
  const length = 16_000
  const contents = Array.from({ length: 140 }, (_, at) => `cat number ${at} `.padEnd(length, `meow${at} `))
  for (let at = 0; at < contents.length; at += 20) await remember(client, contents.slice(at, at + 20))
  for (const search_type of ['semantic', 'keyword', 'hybrid'] as const) {
    const search = { query: 'cat', search_type, limit: 10, min_relevance: 0 }
    const walk = async () => {
      const read: number[] = []
      for (let cursor: string | null | undefined; cursor !== null; ) {
        const before = proxy.answered()
        cursor = (await client.searchMemories({ ...search, ...(cursor ? { cursor } : {}) })).next_cursor
        read.push((proxy.answered() - before) / length)
      }
      return read
    }
    // The words of what it meets are kept for the second walk.
    await walk()
    const read = await walk()
    expect(read).toHaveLength(14)
    expect(Math.max(...read)).toBeLessThan(1.1 * (read[0] ?? 0))
  }
})
