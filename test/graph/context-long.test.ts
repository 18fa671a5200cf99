import { beforeAll, expect, test } from 'vitest'
import { MemoryRetriever } from '../../clients/typescript/src/langchain.ts'
import { expectProblem } from '../support/expect-problem.ts'
import { runInProcess } from '../support/in-process-cli.ts'
import { ask } from '../support/mcp.ts'
import { someMemory, withService } from '../support/service.ts'

const service = withService()
const contents = {
  first: 'The lighthouse of Kvitholm is repainted every seventh summer',
  last: 'Ferry tickets to Kvitholm are sold in the bakery',
  middle: 'Zymurgy, spelaeology and quincunx are the words of the crossword club',
}
beforeAll(async () => {
  await service.client.createMemories({
    memories: Object.values(contents).map(content => someMemory({ content })),
  })
})

const filler =
  'Please write in a friendly voice, keep to the rules of the house, and show each step as you go along. '
const prompt = (length: number) => {
  const [start, end] = [
    'When is the lighthouse of Kvitholm repainted? ',
    'Also think of zymurgy, spelaeology and quincunx. '.padEnd(60),
  ]
  const half = filler.repeat(Math.ceil(length / 2 / filler.length)).slice(0, length / 2 - 100)
  return `${start}${half}. ${end}${half}. Where are ferry tickets to Kvitholm sold?`
}

test.each([1_200, 9_999, 12_800, 90_000])(
  'a prompt of %i characters finds what its beginning, its end and its rare words ask',
  async length => {
    const { text, parts, sources } = await service.client.composeContext({ query: prompt(length) })
    expect(sources.length).toBeGreaterThan(0)
    for (const content of Object.values(contents)) expect(text).toContain(content)
    expect(parts[0]).toBe('When is the lighthouse of Kvitholm repainted?')
    expect(parts[1]).toBe('Where are ferry tickets to Kvitholm sold?')
    expect(parts.every(part => part.length <= 1_000)).toBe(true)
  },
)

test('that a question was searched by its parts is said to an agent, in a prompt and on the command line', async () => {
  const query = prompt(12_800)
  const said = 'The question is long'
  const answer = await ask(service, 'tools/call', { name: 'compose_context', arguments: { query } })
  expect(JSON.stringify(answer.result)).toContain(said)
  expect(JSON.stringify(answer.result)).toContain(contents.first)
  const recalled = await ask(service, 'prompts/get', { name: 'recall_for_task', arguments: { task: query } })
  expect(JSON.stringify(recalled.result)).toContain(contents.last)
  const { err, out } = await runInProcess(['context', query], { service })
  expect(err).toContain(said)
  expect(out).toContain(contents.last)
})

test('a question of ordinary length is searched as it is', async () => {
  expect((await service.client.composeContext({ query: 'lighthouse of Kvitholm' })).parts).toEqual([])
})

const search = (fields: object) =>
  service.request('/memories/search', {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ search_type: 'hybrid', ...fields }),
  })

test('a search of a whole text keeps its limit, and names what takes longer ones', async () => {
  const response = await search({ query: prompt(12_800) })
  const { detail } = await expectProblem(response, 'validation_failed')
  expect(detail).toContain('10000')
  expect(detail).toContain('`by_parts`')
  expect(detail).toContain('100000')
  await expectProblem(await search({ query: 'x'.repeat(100_001), by_parts: true }), 'validation_failed')
})

test.each(['semantic', 'keyword', 'hybrid'] as const)(
  'a %s search by parts finds what each part asks, and pages without repeating',
  async search_type => {
    const ask = { query: prompt(12_800), by_parts: true, search_type, limit: 1 }
    const found: string[] = []
    for (let cursor: string | undefined; ; ) {
      const page = await service.client.searchMemories({ ...ask, ...(cursor && { cursor }) })
      expect(page.parts[0]).toBe('When is the lighthouse of Kvitholm repainted?')
      for (const { score, relevance } of page.results) expect(score).toBe(relevance)
      found.push(...page.results.map(({ memory }) => memory.content))
      if (page.next_cursor === null) break
      cursor = page.next_cursor
    }
    expect(found.toSorted()).toEqual(Object.values(contents).toSorted())
  },
)

test('a search by parts filters, weighs and explains as every search does', async () => {
  const ask = { query: prompt(12_800), by_parts: true, search_type: 'hybrid', explain: true } as const
  const plain = await service.client.searchMemories(ask)
  const scores = plain.results.map(({ score }) => score)
  expect(scores).toEqual(scores.toSorted((a, b) => b - a))
  expect(plain.query).toBeNull()
  expect(plain.results[0]?.explain?.formula).toBe('score = relevance')
  const least = scores.at(-1) ?? 0
  const few = await service.client.searchMemories({ ...ask, min_score: least + 0.001 })
  expect(few.results.map(({ score }) => score)).toEqual(scores.filter(score => score > least + 0.001))
  expect(few.results.length).toBeLessThan(3)
  const weighed = await service.client.searchMemories({ ...ask, recency_weight: 1, diversity: 0.5 })
  expect(weighed.results).toHaveLength(3)
  expect(weighed.results[0]?.explain?.preferences).not.toBeNull()
})

test('a short query is searched as a whole', async () => {
  const ask = { query: 'lighthouse of Kvitholm', search_type: 'hybrid' } as const
  const whole = await service.client.searchMemories({ ...ask, explain: true })
  expect(await service.client.searchMemories({ ...ask, explain: true, by_parts: true })).toEqual(whole)
  expect(whole.parts).toEqual([])
})

test('an agent, the command line and a retriever search a whole prompt', async () => {
  const query = prompt(12_800)
  const { result } = await ask(service, 'tools/call', {
    name: 'search_memories',
    arguments: { query, search_type: 'hybrid' },
  })
  expect(JSON.stringify(result)).toContain(contents.last)
  expect(JSON.stringify(result)).toContain('The question is long')
  const { out, err } = await runInProcess(['search', query], { service })
  expect(out).toContain(contents.last)
  expect(err).toContain('The question is long')
  const documents = await new MemoryRetriever({ client: service.client, search: { limit: 3 } }).invoke(query)
  expect(documents.map(({ pageContent }) => pageContent)).toContain(contents.first)
})
