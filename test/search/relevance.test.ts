import { beforeAll, expect, test } from 'vitest'
import type { Input } from '../../src/contract/index.ts'
import { indexedWords, queryWords } from '../../src/platform/text/words.ts'
import { Coverage } from '../../src/service/search/coverage.ts'
import { relevanceOf } from '../../src/service/search/evidence.ts'
import { remember } from '../support/seed.ts'
import { freshTenant, withService } from '../support/service.ts'

const service = withService()
const large = freshTenant()
beforeAll(async () => {
  await remember(service.client, ['The kitten sleeps on the sofa', 'A truck with a new engine'])
  const topics = ['kitten', 'truck', 'bread', 'graph', 'guitar', 'harbour', 'nurse', 'summit']
  await remember(
    service.clientOf(large),
    Array.from({ length: 80 }, (_, at) => `Anna spoke of ${topics[at % topics.length]} ${at}`),
  )
  await service.drain(large)
})

const search = (query: string, fields: Partial<Input<'searchMemories'>> = {}, tenant = service.tenant) =>
  service.clientOf(tenant).searchMemories({ query, search_type: 'hybrid', ...fields })

test.each(['semantic', 'keyword', 'hybrid'] as const)(
  'each result of a %s search has a relevance from 0 to 1',
  async search_type => {
    for (const tenant of [service.tenant, large]) {
      const { results } = await search('kitten on the sofa', { search_type }, tenant)
      expect(results.length).toBeGreaterThan(0)
      for (const { relevance } of results) {
        expect(relevance).toBeGreaterThanOrEqual(0)
        expect(relevance).toBeLessThanOrEqual(1)
      }
    }
  },
)

test('a memory about the question is more relevant than one about something else', async () => {
  const { results } = await search('Anna spoke of a guitar', { limit: 80 }, large)
  const about = (topic: string) =>
    results.filter(({ memory }) => memory.content.includes(topic)).map(({ relevance }) => relevance)
  expect(Math.min(...about('guitar'))).toBeGreaterThan(Math.max(...about('truck')))
})

test('`min_relevance` leaves out what has less, and `has_more` does not count it', async () => {
  const { results } = await search('kitten on the sofa', { min_relevance: 0 })
  const [first, second] = results.map(({ relevance }) => relevance).toSorted((a, b) => b - a)
  expect(first).toBeGreaterThan(second ?? Number.NaN)
  const above = await search('kitten on the sofa', { limit: 1, min_relevance: first ?? Number.NaN })
  expect(above.results).toHaveLength(1)
  expect(above.has_more).toBe(false)
})

test('a keyword result has its share of the words of the query, of which rare ones count more', () => {
  const coverage = new Coverage(queryWords('kitten sofa'), {
    rarity: stem => (stem.startsWith('sof') ? 3 : 1),
  })
  const shares = ['kitten sofa', 'kitten', 'sofa', 'truck'].map(content =>
    relevanceOf({ share: coverage.of({ id: content, words: indexedWords(content) }) }),
  )
  expect(shares).toEqual([1, 0.25, 0.75, 0])
})
