import { afterAll, beforeAll, expect, test } from 'vitest'
import { relevanceSet } from '../../bench/quality/questions.ts'
import { ENGLISH } from '../../src/platform/embeddings/builtin/description.ts'
import { emptyDatabase, returnDatabase } from '../support/own-database.ts'
import { remember } from '../support/seed.ts'
import { freshTenant, withService } from '../support/service.ts'

afterAll(returnDatabase)

const service = withService(async () => ({
  database: await emptyDatabase(),
  settings: {
    SERVICE_EMBEDDING_PROVIDER: 'builtin',
    SERVICE_EMBEDDING_MODEL: ENGLISH.name,
    SERVICE_EMBEDDING_DIMENSIONS: String(ENGLISH.reading.dimensions),
  },
}))

/** Questions that nothing in a household or a team answers. */
const unanswerable = [
  'How does a submarine dive?',
  'What is the capital of Mongolia?',
  'How many moons does Jupiter have?',
  'Who painted the Mona Lisa?',
  'What is the speed of light?',
  'Which enzyme breaks down lactose?',
  'When did the Roman empire fall?',
  'How is a violin string made?',
  'What are the rules of cricket?',
  'Why do volcanoes erupt?',
]

const { memories, questions } = relevanceSet()

const tenants = [5, 20, 100].map(size => ({ size, tenant: freshTenant() }))
beforeAll(async () => {
  for (const { size, tenant } of tenants) await remember(service.clientOf(tenant), memories.slice(0, size))
})

test.each(tenants)(
  'with `auto`, of $size memories a question that none answers shows at most five',
  async ({ tenant }) => {
    const client = service.clientOf(tenant)
    for (const query of unanswerable)
      for (const search_type of ['semantic', 'hybrid'] as const) {
        const { results, has_more } = await client.searchMemories({
          query,
          search_type,
          min_relevance: 'auto',
        })
        const shown = results.map(({ memory, relevance }) => [memory.content, relevance])
        expect([query, shown.slice(5), has_more]).toEqual([query, [], false])
      }
  },
)

test.each(tenants)(
  'of $size memories `auto` leaves out few of the answers that a search finds',
  async ({ size, tenant }) => {
    const client = service.clientOf(tenant)
    const asked = [...questions.tuning, ...questions['held-out']].filter(({ answer = size }) => answer < size)
    const missed: string[] = []
    for (const { text, answer } of asked) {
      const found = async (fields: object) => {
        const search = { query: text, search_type: 'hybrid', limit: 20, ...fields } as const
        const { results } = await client.searchMemories(search)
        return results.some(({ memory }) => memory.content === memories[answer ?? 0])
      }
      if ((await found({})) && !(await found({ min_relevance: 'auto' }))) missed.push(text)
    }
    expect(missed.length, missed.join(' · ')).toBeLessThanOrEqual(0.08 * asked.length)
  },
)

test('a walk over what bears on a question shows what one long page does', async () => {
  const client = service.clientOf(tenants[2]?.tenant ?? '')
  for (const query of [
    'Where does my sister live?',
    'What do we drink?',
    'What is the capital of Mongolia?',
  ]) {
    const search = { query, search_type: 'hybrid', min_relevance: 'auto' } as const
    const { results } = await client.searchMemories({ ...search, limit: 100 })
    const walked: string[] = []
    for (let cursor: string | null | undefined; cursor !== null; ) {
      const page = await client.searchMemories({ ...search, limit: 3, ...(cursor ? { cursor } : {}) })
      walked.push(...page.results.map(({ memory }) => memory.id))
      cursor = page.next_cursor
    }
    expect(new Set(walked)).toEqual(new Set(results.map(({ memory }) => memory.id)))
  }
})
