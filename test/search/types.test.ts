import { beforeAll, expect, test } from 'vitest'
import type { Input } from '../../src/contract/index.ts'
import { remember } from '../support/seed.ts'
import { freshTenant, problemOf, withService } from '../support/service.ts'

const service = withService()
beforeAll(async () => {
  await remember(service.client, [
    'The feline purrs on the sofa',
    'A kitten with long whiskers',
    'The cat chased a truck',
    'The engine of the truck is loud',
    'Sourdough needs flour and a hot oven',
  ])
})

const types = ['semantic', 'keyword', 'hybrid'] as const

async function search(fields: Omit<Input<'searchMemories'>, 'query'> & { query?: string }) {
  const answer = await service.client.searchMemories({ query: 'cat', ...fields })
  return { ...answer, contents: answer.results.map(({ memory }) => memory.content) }
}

test('a semantic search finds what means the same and shares no word', async () => {
  const { contents } = await search({ search_type: 'semantic', query: 'pet', limit: 3 })
  expect(contents.toSorted()).toEqual(
    ['A kitten with long whiskers', 'The cat chased a truck', 'The feline purrs on the sofa'].toSorted(),
  )
})

test('a keyword search finds what holds one of the words, and nothing else', async () => {
  expect((await search({ search_type: 'keyword' })).contents).toEqual(['The cat chased a truck'])
  const { contents } = await search({ search_type: 'keyword', query: 'truck whiskers' })
  expect(contents).toHaveLength(3)
  expect(contents.every(content => /truck|whiskers/.test(content))).toBe(true)
})

test('a hybrid search puts first what is near in both ways', async () => {
  const { contents, results, degraded } = await search({ search_type: 'hybrid' })
  expect(contents[0]).toBe('The cat chased a truck')
  expect(contents).toContain('The feline purrs on the sofa')
  expect(results[0]?.sources).toEqual({
    semantic: { rank: expect.any(Number), score: expect.any(Number) },
    keyword: { rank: 1, score: 1 },
  })
  expect(degraded).toBe(false)
})

test.each(types)('the answer of a %s search is best first, with scores from 0 to 1', async search_type => {
  const answer = await search({ search_type, query: 'cat truck whiskers engine' })
  const scores = answer.results.map(({ score }) => score)
  expect(answer.search_type).toBe(search_type)
  expect(scores.length).toBeGreaterThan(2)
  expect(scores).toEqual(scores.toSorted((a, b) => b - a))
  for (const score of scores) expect(score).toSatisfy((value: number) => value >= 0 && value <= 1)
  for (const { explain } of answer.results) expect(explain).toBeNull()
})

test('the scores of a semantic search are cosines, and an opposite one is 0', async () => {
  const { results } = await search({ search_type: 'semantic', query: 'The feline purrs on the sofa' })
  expect(results[0]?.score).toBeCloseTo(1, 6)
  expect(results[0]?.sources).toEqual({ semantic: { rank: 1, score: results[0]?.score }, keyword: null })
})

test('the explanation of a semantic search recomputes to the score', async () => {
  const { results } = await search({ search_type: 'semantic', explain: true })
  for (const { score, explain } of results) {
    expect(score).toBe(Math.max(0, explain?.semantic?.cosine ?? Number.NaN))
    expect(explain).toMatchObject({ semantic: { part: score }, keyword: null })
  }
})

test('the explanation of a keyword search recomputes to the score', async () => {
  const { results } = await search({ search_type: 'keyword', query: 'cat truck engine', explain: true })
  const best = results[0]?.explain?.keyword?.relevance ?? Number.NaN
  expect(results).toHaveLength(2)
  for (const { score, explain } of results) {
    expect(score).toBeCloseTo((explain?.keyword?.relevance ?? Number.NaN) / best, 3)
    expect(explain).toMatchObject({ keyword: { part: score }, semantic: null })
  }
})

test('the explanation of a hybrid search recomputes to the score', async () => {
  const { results } = await search({ search_type: 'hybrid', query: 'cat truck', explain: true })
  for (const { score, explain, sources } of results) {
    for (const kind of ['semantic', 'keyword'] as const) {
      const { weight, part } = explain?.[kind] ?? { weight: 0, part: 0 }
      const rank = sources[kind]?.rank ?? Number.POSITIVE_INFINITY
      const coverage = kind === 'keyword' ? (explain?.keyword?.coverage ?? 0) : 1
      expect(part).toBeCloseTo(weight * coverage * (3 / (2 + rank)), 3)
      if (sources[kind]) expect(weight).toBe(0.5)
    }
    expect(score).toBeCloseTo((explain?.semantic?.part ?? 0) + (explain?.keyword?.part ?? 0), 3)
    expect(explain?.formula).toContain('part')
  }
})

test.each(types)(
  'min_score leaves out of a %s search what scores less, and counts as no more',
  async search_type => {
    const query = 'cat truck engine'
    const { results } = await search({ search_type, query })
    const bar = results[1]?.score ?? Number.NaN
    const above = await search({ search_type, query, min_score: bar })
    expect(above.results).toEqual(results.filter(({ score }) => score >= bar))
    const one = await search({ search_type, query, min_score: bar, limit: above.results.length })
    expect(one.has_more).toBe(false)
  },
)

test.each(types)('a %s search answers at most `limit` and says whether there is more', async search_type => {
  const query = 'cat truck engine'
  const all = await search({ search_type, query })
  expect(all).toMatchObject({ has_more: false, truncated: false })
  const one = await search({ search_type, query, limit: 1 })
  expect(one.results).toEqual(all.results.slice(0, 1))
  expect(one.has_more).toBe(true)
  expect((await search({ search_type, query, limit: all.results.length })).has_more).toBe(false)
})

const bad: [string, Record<string, unknown>, string][] = [
  ['no search_type', { query: 'cat' }, '/search_type'],
  ['an unknown search_type', { query: 'cat', search_type: 'vector' }, '/search_type'],
  ['no query', { search_type: 'keyword' }, '/query'],
  ['an empty query', { query: '', search_type: 'keyword' }, '/query'],
  ['a blank query', { query: ' \t\n\u3000', search_type: 'hybrid' }, '/query'],
  ['a query with NUL', { query: 'a\0b', search_type: 'keyword' }, '/query'],
  ['a query with a lone surrogate', { query: 'a\ud800', search_type: 'keyword' }, '/query'],
  ['a limit of 0', { query: 'cat', search_type: 'keyword', limit: 0 }, '/limit'],
  ['a limit above 200', { query: 'cat', search_type: 'keyword', limit: 201 }, '/limit'],
  ['a min_score above 1', { query: 'cat', search_type: 'keyword', min_score: 1.1 }, '/min_score'],
  ['a null filter', { query: 'cat', search_type: 'keyword', tags: null }, '/tags'],
  ['a misspelt filter', { query: 'cat', search_type: 'keyword', tag: ['a'] }, '/tag'],
]
test.each(bad)('a search with %s is refused', async (_name, body, pointer) => {
  const call = service.client.searchMemories(body as Input<'searchMemories'>)
  expect(await problemOf(call)).toMatchObject({ status: 422, code: 'validation_failed', pointers: [pointer] })
})

test('many matches have the same relevance in a hybrid search as in a search by words', async () => {
  const client = service.clientOf(freshTenant())
  await remember(
    client,
    Array.from({ length: 150 }, (_, at) => `lantern ${'and oil '.repeat(at % 7)}${at}`),
  )
  const relevances = async (search_type: 'keyword' | 'hybrid') => {
    const { results } = await client.searchMemories({
      query: 'lantern',
      search_type,
      limit: 100,
      explain: true,
    })
    return new Map(results.map(({ memory, explain }) => [memory.id, explain?.keyword?.relevance]))
  }
  const byWords = await relevances('keyword')
  const ratios = [...(await relevances('hybrid'))].flatMap(([id, value]) => {
    const other = byWords.get(id)
    return value && other ? [value / other] : []
  })
  expect(ratios.length).toBeGreaterThan(20)
  // What other tenants write in the meantime moves Lucene's figures a little; the tenant's own are far from them.
  for (const ratio of ratios) expect(ratio).toBeCloseTo(1, 0)
})
