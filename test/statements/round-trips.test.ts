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
]

test.each(reads)('%s asks the database once', async (_, read) => {
  // What is kept for the requests that follow is read with the first one.
  await read(service.client)
  const heard = listenTo(service)
  await read(service.client)
  expect(heardOf(service.tenant, heard)).toHaveLength(1)
})

test.each([
  ['semantic', query, 1],
  ['semantic', `${words[0]} ${words[125]}`, 1],
  ['keyword', query, 1],
  ['keyword', `… ${words.at(-1)}`, 1],
  ['hybrid', query, 2],
  ['hybrid', `${words[125]}`, 2],
] as const)(
  'a %s search for "%s" asks each index once, and reads the best once',
  async (search_type, query, indexes) => {
    const search = () => service.client.searchMemories({ query, search_type, limit: 5 })
    await search()
    const heard = listenTo(service)
    await search()
    expect(heardOf(service.tenant, heard)).toHaveLength(indexes + 1)
  },
)

test('a walk asks the database once', async () => {
  const heard = listenTo(service)
  const { related } = await service.client.relatedMemories({ id: ids[0] as string, depth: 5 })
  expect(related.map(({ depth }) => depth)).toEqual([1, 2, 3, 4, 5])
  expect(heardOf(service.tenant, heard)).toHaveLength(1)
})
