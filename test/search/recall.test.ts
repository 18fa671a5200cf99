import { beforeAll, expect, test } from 'vitest'
import type { Input } from '../../src/contract/index.ts'
import { breadthAmong } from '../../src/store/embeddings/spaces.ts'
import { SMALL_SET } from '../../src/store/memories/small-set.ts'
import { byId, idOf, remember } from '../support/seed.ts'
import { DIMENSIONS, withService } from '../support/service.ts'
import { exactCosine } from '../support/vectors.ts'

/** Every text has a direction of its own, which nothing else shares: the worst case for an approximate index. */
function scattered(text: string, dimensions: number): number[] {
  let seed = [...text].reduce((bits, character) => (bits * 31 + character.charCodeAt(0)) | 0, 17)
  return Array.from({ length: dimensions }, () => {
    seed = (Math.imul(seed, 1_664_525) + 1_013_904_223) | 0
    return seed / 2 ** 31
  })
}

const service = withService({ vector: scattered })
const total = SMALL_SET + 600
const contents = Array.from({ length: total }, (_, at) => `note ${at}`)
const tagsOf = (at: number) => [
  ...(at % 100 === 0 ? ['few'] : []),
  ...(at < SMALL_SET ? ['at-the-bound'] : []),
  ...(at < SMALL_SET + 1 ? ['over-the-bound'] : []),
  'every',
]

beforeAll(async () => {
  await remember(
    service.client,
    contents.map((content, at) => ({ content, tags: tagsOf(at), ...originOf(at) })),
  )
})

const isFew = (at: number) => at % 100 === 0
const originOf = (at: number) => ({
  ...(isFew(at) ? { session_id: 'few' } : {}),
  source: at < SMALL_SET + 1 ? 'over the bound' : 'others',
  metadata: { few: isFew(at) },
})

const queries = Array.from({ length: 6 }, (_, at) => `question ${at}`)

type Filter = Omit<Input<'searchMemories'>, 'query' | 'search_type'>
type Filters = (typeof filters)[number]

/** Sets that are measured one by one are answered exactly, what the index finds is an approximation of it. */
const filters: [name: string, filter: Filter, least: number, isIn: (at: number) => boolean][] = [
  ...(
    [
      ['few', 1],
      ['at-the-bound', 1],
      ['over-the-bound', 0.95],
      ['every', 0.95],
    ] as const
  ).map(
    ([tag, least]): Filters => [`the tag ${tag}`, { tags: [tag] }, least, at => tagsOf(at).includes(tag)],
  ),
  ['no filter', {}, 0.95, () => true],
  ['a session of few', { session_id: 'few' }, 1, isFew],
  ['metadata of few', { metadata: { few: true } }, 1, isFew],
  ['metadata of nearly all', { metadata: { few: false } }, 0.95, at => !isFew(at)],
  ['a source of many', { source: 'over the bound' }, 0.95, at => at < SMALL_SET + 1],
  ['no tag of many', { tags: ['over-the-bound'], tags_match: 'none' }, 1, at => at >= SMALL_SET + 1],
]

test.each(filters)(
  'with %s a semantic search finds what a scan of all memories finds',
  async (_, filter, least, isIn) => {
    const answers = await Promise.all(
      queries.map(query =>
        service.client.searchMemories({
          query,
          search_type: 'semantic',
          limit: 10,
          min_relevance: 0,
          ...filter,
        }),
      ),
    )
    let found = 0
    for (const [at, { results, has_more, truncated }] of answers.entries()) {
      const ranking = nearest(queries[at] as string, isIn)
      const places = results.map(({ memory }) =>
        ranking.findIndex(({ content }) => content === memory.content),
      )
      expect(places).toEqual(places.toSorted((a, b) => a - b))
      expect(new Set(places).size).toBe(10)
      for (const [nth, { score }] of results.entries())
        expect(score).toBeCloseTo(ranking[places[nth] as number]?.cosine as number, 3)
      expect({ has_more, truncated }).toEqual({ has_more: true, truncated: false })
      found += places.filter(place => place < 10).length
    }
    expect(found).toBeGreaterThanOrEqual(least * 10 * queries.length)
  },
)

test.each([
  [0, 20],
  [25_000, 20],
  [100_000, 40],
  [1_000_000, 127],
  [1_000_000_000, 200],
])('among %i memories a search asks the index for %i', (memories, asked) => {
  expect(breadthAmong(memories)).toBe(asked)
})

test.each(filters)('with %s a keyword search misses no memory', async (_, filter, _least, isIn) => {
  const wanted = contents.filter((_content, at) => isIn(at))
  const { results, has_more } = await service.client.searchMemories({
    query: 'note',
    search_type: 'keyword',
    limit: 200,
    ...filter,
  })
  expect(new Set(results.map(({ memory }) => memory.content)).size).toBe(Math.min(200, wanted.length))
  for (const { memory } of results) expect(wanted).toContain(memory.content)
  expect(has_more).toBe(wanted.length > 200)
})

test('of memories that are equally near the first by id are answered', async () => {
  const client = service.clientOf(`${service.tenant}-alike`)
  const alike = await remember(
    client,
    Array.from({ length: 700 }, () => 'the same note'),
  )
  // As they were made in the order of their ids, the index might give the right ones by chance.
  const renamed = await service.cypher<{ id: string }>(
    'UNWIND $ids AS id MATCH (m:Memory {tenant: $tenant, id: id}) SET m.id = randomUUID() RETURN m.id AS id',
    { ids: alike.map(idOf), tenant: `${service.tenant}-alike` },
  )
  const first = renamed.map(idOf).toSorted(byId)
  for (const limit of [1, 7, 200]) {
    const { results } = await client.searchMemories({ query: 'the same', search_type: 'semantic', limit })
    expect(results.map(({ memory }) => memory.id)).toEqual(first.slice(0, limit))
  }
})

test('a keyword search with a filter that keeps one memory finds it among thousands of better ones', async () => {
  const [last] = await remember(service.client, [
    { content: `note ${'and a long tail of other words '.repeat(40)}`, importance: 1 },
  ])
  const { results, truncated } = await service.client.searchMemories({
    query: 'note',
    search_type: 'keyword',
    min_importance: 0.9,
  })
  expect(results.map(({ memory }) => memory.id)).toEqual([last?.id])
  expect(truncated).toBe(false)
})

test('where most memories hold no longer, a search finds what a scan of the others finds', async () => {
  const client = service.clientOf(`${service.tenant}-ended`)
  const ended = { valid_until: '2001-01-01T00:00:00Z' }
  await remember(
    client,
    contents.slice(0, 1_000).map((content, at) => ({ content, ...(at % 20 === 0 ? {} : ended) })),
  )
  for (const search_type of ['semantic', 'hybrid', 'keyword'] as const) {
    const { results, truncated } = await client.searchMemories({ query: 'note', search_type, limit: 100 })
    const wanted = contents.filter((_, at) => at < 1_000 && at % 20 === 0)
    expect(results.map(({ memory }) => memory.content).toSorted()).toEqual(wanted.toSorted())
    expect(truncated).toBe(false)
  }
})

function nearest(query: string, isIn: (at: number) => boolean) {
  const direction = scattered(query, DIMENSIONS)
  return contents
    .map((content, at) => ({ content, at, cosine: exactCosine(direction, scattered(content, DIMENSIONS)) }))
    .filter(({ at }) => isIn(at))
    .sort((a, b) => b.cosine - a.cosine)
}
