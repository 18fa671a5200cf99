import { beforeAll, expect, test } from 'vitest'
import { idOf, remember } from '../support/seed.ts'
import { type TestService, withService } from '../support/service.ts'
import { heardOf, listenTo } from '../support/statements.ts'

const words = Array.from({ length: 130 }, (_, at) => (at * 7919 + 1).toString(36))
/** Each memory has one word more than the one before: no two are equally near. */
const contents = words.map((_, at) => words.slice(0, at + 1).join(' '))
const query = words.slice(0, 60).join(' ')

const service = withService()
let ids: string[]
beforeAll(async () => {
  ids = (await remember(service.client, contents)).map(idOf)
  await service.cypher(
    `CYPHER 25 UNWIND range(0, size($ids) - 2) AS at
     MATCH (a:Memory {tenant: $tenant, id: $ids[at]}), (b:Memory {tenant: $tenant, id: $ids[at + 1]})
     CREATE (a)-[:PART_OF {key: a.id + ':' + b.id, tenant: a.tenant, origin: 'asserted', strength: 0.9,
       createdAt: datetime.realtime('Z')}]->(b)`,
    { ids, tenant: service.tenant },
  )
})

type Client = TestService['client']

const reads: [string, (client: Client) => Promise<unknown>][] = [
  ['a fetch', client => client.getMemory({ id: ids[0] as string })],
  [
    'a fetch that is not recorded',
    client => client.getMemory({ id: ids[0] as string, record_recall: false }),
  ],
  ['a page', client => client.listMemories({ limit: 100 })],
  ['a semantic search', client => client.searchMemories({ query, search_type: 'semantic' })],
  [
    'a semantic search for a common and a rare word',
    client =>
      client.searchMemories({
        query: `${words[0]} ${words[125]}`,
        search_type: 'semantic',
        min_relevance: 0,
      }),
  ],
  [
    'a hybrid search with few matches',
    client =>
      client.searchMemories({ query: `${words[125]}`, search_type: 'hybrid', limit: 5, min_relevance: 0 }),
  ],
  [
    'a keyword search with up to forty matches',
    client => client.searchMemories({ query: words.slice(90).join(' '), search_type: 'keyword' }),
  ],
  [
    'a keyword search with a sign that is no word',
    client => client.searchMemories({ query: `… ${words.at(-1)}`, search_type: 'keyword' }),
  ],
]

test.each(reads)('%s asks the database once', async (_, read) => {
  // What is kept for the requests that follow is read with the first one.
  await read(service.client)
  const heard = listenTo(service)
  await read(service.client)
  expect(heardOf(service.tenant, heard)).toHaveLength(1)
})

test.each([
  ['hybrid', 'what only words found'],
  ['keyword', 'what the index has below its forty best'],
] as const)('a %s search asks the database once, and once more for %s', async (search_type, _) => {
  const search = () => service.client.searchMemories({ query, search_type })
  await search()
  const heard = listenTo(service)
  await search()
  expect(heardOf(service.tenant, heard).length).toBeLessThanOrEqual(2)
})

test('a walk asks the database once', async () => {
  const heard = listenTo(service)
  const { related } = await service.client.relatedMemories({ id: ids[0] as string, depth: 5 })
  expect(related.map(({ depth }) => depth)).toEqual([1, 2, 3, 4, 5])
  expect(heardOf(service.tenant, heard)).toHaveLength(1)
})
