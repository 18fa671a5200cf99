import { afterAll, beforeAll, expect, test } from 'vitest'
import type { Input } from '../../src/contract/index.ts'
import { mnemograph } from '../support/cli.ts'
import { expectProblem } from '../support/expect-problem.ts'
import { graphql } from '../support/graphql.ts'
import { ask as askMcp } from '../support/mcp.ts'
import { emptyDatabase, returnDatabase } from '../support/own-database.ts'
import { remember } from '../support/seed.ts'
import { type TestService, withService } from '../support/service.ts'

/** A model whose cosines are known. */
const judged = withService(async () => ({
  database: await emptyDatabase(),
  settings: { SERVICE_EMBEDDING_MODEL: 'e5-of-the-tests' },
}))
afterAll(returnDatabase)
const unknown = withService()

const contents = [
  'The kitten sleeps on the sofa',
  'A truck with a new engine',
  'Bread rises overnight',
  'The harbour is closed in winter',
]
beforeAll(async () => {
  for (const service of [judged, unknown]) {
    await remember(service.client, contents)
    await service.drain()
  }
})

const QUERY = 'kitten on the sofa'

const search = (service: TestService, fields: Partial<Input<'searchMemories'>> = {}) =>
  service.client.searchMemories({ query: QUERY, search_type: 'hybrid', ...fields })

const idsOf = ({ results }: { results: { memory: { id: string } }[] }) =>
  results.map(({ memory }) => memory.id)

test.each(['semantic', 'hybrid'] as const)(
  'a %s search returns as many results as asked, best first, each with its relevance',
  async search_type => {
    for (const service of [judged, unknown]) {
      const answer = await search(service, { search_type })
      expect(answer).toMatchObject({ weak_left_out: 0, has_more: false })
      expect(answer.results).toHaveLength(contents.length)
      expect(answer.results[0]?.memory.content).toBe(contents[0])
      for (const { relevance } of answer.results) expect(relevance).toBeTypeOf('number')
      expect((await search(service, { search_type, limit: 2 })).results).toHaveLength(2)
    }
  },
)

test('`min_relevance: 0` is the default, and changes no order', async () => {
  for (const limit of [2, 10])
    expect(idsOf(await search(judged, { limit, min_relevance: 0 }))).toEqual(
      idsOf(await search(judged, { limit })),
    )
})

test('`auto` leaves out what does not bear on the query, and says how much', async () => {
  const answer = await search(judged, { min_relevance: 'auto' })
  expect(answer.results.map(({ memory }) => memory.content)).toEqual([contents[0]])
  expect(answer).toMatchObject({ has_more: false, weak_left_out: 3 })
  const nothing = await search(judged, { query: 'quarterly xylophone taxes', min_relevance: 'auto' })
  expect(nothing).toMatchObject({ results: [], weak_left_out: 4 })
  const context = await judged.client.composeContext({ query: 'quarterly xylophone taxes' })
  expect(context).toMatchObject({ text: 'Nothing is remembered about this.', sources: [], left_out: 0 })
})

test('with a model that nobody has judged, and by words, `auto` leaves out nothing', async () => {
  expect((await search(unknown, { min_relevance: 'auto' })).results).toHaveLength(contents.length)
  const { sources } = await unknown.client.composeContext({ query: QUERY })
  expect(sources).toHaveLength(contents.length)
  const words = { search_type: 'keyword' as const, query: 'kitten engine' }
  expect(idsOf(await search(judged, { ...words, min_relevance: 'auto' }))).toEqual(
    idsOf(await search(judged, words)),
  )
})

test('a context, the tool and the command leave it out by default, and say how many', async () => {
  const { sources, weak_left_out } = await judged.client.composeContext({ query: QUERY, diversity: 0 })
  expect([sources.length, weak_left_out]).toEqual([1, 3])
  const all = await judged.client.composeContext({ query: QUERY, min_relevance: 0 })
  expect([all.sources.length, all.weak_left_out]).toEqual([4, 0])
  const called = async (name: string, args: object) =>
    JSON.stringify(
      (await askMcp(judged, 'tools/call', { name, arguments: { query: QUERY, ...args } })).result,
    )
  const found = await called('search_memories', { search_type: 'hybrid' })
  expect(found).toContain('3 weaker results are left out: min_relevance 0 shows them.')
  expect(found).not.toContain(contents[1])
  for (const min_relevance of [0, '0'])
    expect(await called('search_memories', { search_type: 'hybrid', min_relevance })).toContain(contents[1])
  expect(await called('search_memories', { search_type: 'hybrid', min_relevance: 'auto' })).not.toContain(
    contents[1],
  )
  expect(await called('compose_context', {})).toContain('3 weaker results are left out')
  const typed = await mnemograph(['search', QUERY], { service: judged })
  expect(typed.out).not.toContain(contents[1])
  expect(typed.err).toContain('3 weaker results are left out: --min-relevance 0 shows them.')
  const shown = await mnemograph(['search', QUERY, '--min-relevance', '0'], { service: judged })
  expect(shown.out).toContain(contents[1])
})

test.each(['minRelevance: 0', 'minRelevance: "auto"', 'minRelevance: AUTO', ''])(
  'GraphQL takes a number or the word: %s',
  async given => {
    const query = (name: string, field: string) =>
      `{ ${name}(query: "${QUERY}", searchType: HYBRID, ${given}) { ${field} } }`
    const plain = await graphql(judged, query('searchMemories', 'weakLeftOut results { relevance }'))
    expect(plain.errors).toEqual([])
    const paged = await graphql(judged, query('searchMemoriesConnection', 'edges { relevance }'))
    const count = /auto/i.test(given) ? 1 : 4
    expect(plain.data.searchMemories.results).toHaveLength(count)
    expect(paged.data.searchMemoriesConnection.edges).toHaveLength(count)
  },
)

test.each([-0.1, 1.1, 'none', true])(
  '`min_relevance` is a number from 0 to 1 or `auto`: %s',
  async min_relevance => {
    for (const path of ['/memories/search', '/context']) {
      const body = JSON.stringify({
        query: QUERY,
        min_relevance,
        ...(path === '/context' ? {} : { search_type: 'hybrid' }),
      })
      await expectProblem(
        await judged.request(path, { method: 'POST', body, headers: { 'content-type': 'application/json' } }),
        'validation_failed',
      )
    }
  },
)
