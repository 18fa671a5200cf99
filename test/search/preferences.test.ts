import { expect, test } from 'vitest'
import { age } from '../support/lifecycle.ts'
import { remember, rememberIds } from '../support/seed.ts'
import { freshTenant, withService } from '../support/service.ts'

const service = withService()

test('importance and age count by their weights, and the explanation adds up to the score', async () => {
  const { tenant, client } = service.newTenant()
  const [old] = await rememberIds(client, [{ content: 'cat on the sofa', importance: 0.1 }])
  await age(service, tenant, 60)
  const [young] = await rememberIds(client, [{ content: 'cat', importance: 1 }])
  const search = (fields: object) =>
    client.searchMemories({ query: 'cat on the sofa', search_type: 'hybrid', explain: true, ...fields })
  const first = async (fields: object) => (await search(fields)).results[0]?.memory.id
  expect(await first({})).toBe(old)
  expect(await first({ importance_weight: 1 })).toBe(young)
  expect(await first({ recency_weight: 1 })).toBe(young)
  expect(await first({ recency_weight: 0.1, recency_half_life_days: 36_500 })).toBe(old)
  const { results } = await search({ importance_weight: 0.5, recency_weight: 0.5 })
  for (const { score, explain } of results) {
    if (!explain?.preferences) throw new Error('The explanation lacks the preferences')
    const { match, importance, recency } = explain.preferences
    expect(match.weight + importance.weight + recency.weight).toBeCloseTo(1, 9)
    expect(match.part + importance.part + recency.part).toBeCloseTo(score, 9)
    for (const { value, weight, part } of [match, importance, recency])
      expect(part).toBeCloseTo(value * weight, 9)
  }
  const ages = Object.fromEntries(
    results.map(({ memory, explain }) => [memory.id, explain?.preferences?.recency.value]),
  )
  expect(ages[old as string]).toBeCloseTo(0.25, 3)
  expect(ages[young as string]).toBeCloseTo(1, 3)
})

test('diversity moves what repeats the results before it down, and leaves the scores', async () => {
  const client = service.clientOf(freshTenant())
  await remember(client, ['cat cat cat', 'cat cat cat sofa', 'cat music of a guitar'])
  const search = async (diversity: number) =>
    (
      await client.searchMemories({
        query: 'cat',
        search_type: 'semantic',
        limit: 2,
        diversity,
        explain: true,
      })
    ).results
  const contents = (results: Awaited<ReturnType<typeof search>>) =>
    results.map(({ memory }) => memory.content)
  const plain = await search(0)
  expect(contents(plain)).toEqual(['cat cat cat', 'cat cat cat sofa'])
  const diverse = await search(0.9)
  expect(contents(diverse)).toEqual(['cat cat cat', 'cat music of a guitar'])
  expect(diverse[0]?.score).toBe(plain[0]?.score)
  expect(diverse[1]?.explain?.similarity).toBeLessThan(1)
  expect(plain[1]?.explain?.similarity).toBeNull()
})

test('a highlight is the sentence that matches best, with its place in the content', async () => {
  const client = service.clientOf(freshTenant())
  const content = 'A truck has an engine. The cats sleep on a sofa! Nobody knows why.'
  await remember(client, [content])
  const search = (query: string, fields: object = { highlight: true }) =>
    client.searchMemories({ query, search_type: 'semantic', min_relevance: 0, ...fields })
  const { highlight } = (await search('cat sleeping')).results[0] ?? {}
  expect(highlight?.text).toBe('The cats sleep on a sofa!')
  expect(content.slice(highlight?.start, highlight?.end)).toBe(highlight?.text)
  expect((await search('quarterly taxes')).results[0]?.highlight?.text).toBe('A truck has an engine.')
  expect((await search('cat', {})).results[0]?.highlight).toBeNull()
})
