import { beforeAll, expect, test } from 'vitest'
import type { Input } from '../../src/contract/index.ts'
import type { Memory } from '../../src/contract/memory.ts'
import { idOf, remember, rememberIds } from '../support/seed.ts'
import { freshTenant, withService } from '../support/service.ts'

const service = withService()
const other = freshTenant()
const talk = { session_id: 'talk' }
let before: Memory
let hit: Memory
let after: Memory

beforeAll(async () => {
  const others = Array.from(
    { length: 60 },
    (_, at) => `The ${at}th page of the ledger lists ${at * 37} crates`,
  )
  await remember(service.client, others)
  const spoken = [
    'Where did you leave it?',
    'Who borrowed it?',
    'My zeppelin is in the hangar',
    'Since last spring',
    'Good to know',
  ]
  const spokenOf = await remember(
    service.client,
    spoken.map((content, at) => ({ content, tags: at < 2 ? [] : ['spoken'], ...talk })),
  )
  ;[, before, hit, after] = spokenOf as [Memory, Memory, Memory, Memory]
  await remember(service.client, ['It stands alone: the bathysphere'])
  await remember(service.clientOf(other), [
    { content: 'Another tenant also talks', ...talk },
    { content: 'A dirigible', ...talk },
  ])
})

const ask = (fields: Partial<Input<'searchMemories'>> = {}, client = service.client) =>
  client.searchMemories({ query: 'zeppelin', search_type: 'hybrid', explain: true, limit: 50, ...fields })

type Results = Awaited<ReturnType<typeof ask>>['results']
const byId = (results: Results) => new Map(results.map(result => [result.memory.id, result]))
const nextToAHit = (results: Results) => results.filter(({ explain }) => explain?.session != null)

test('the memories near a strong hit of a session count, and less with distance', async () => {
  const { results } = await ask()
  expect(results[0]?.memory.id).toBe(hit.id)
  const next = nextToAHit(results).filter(({ explain }) => explain?.session?.next_to === hit.id)
  const distances = new Map(next.map(({ memory, explain }) => [memory.id, explain?.session?.distance]))
  expect([distances.get(before.id), distances.get(after.id)]).toEqual([1, 1])
  expect([...distances.values()].every(distance => distance === 1 || distance === 2)).toBe(true)
  for (const { explain } of next) expect(explain?.session).toMatchObject({ rank: 1 })
})

test('the explanation with a session recomputes to the score, which is at most 1', async () => {
  const { results } = await ask()
  expect(results.some(({ explain }) => explain?.session)).toBe(true)
  for (const { score, explain, sources } of results) {
    const { semantic, keyword, session } = explain ?? {}
    const byRank = (rank: number | undefined) => 3 / (2 + (rank ?? Number.POSITIVE_INFINITY))
    const parts = [
      semantic ? semantic.weight * byRank(sources.semantic?.rank) : 0,
      keyword ? keyword.weight * keyword.coverage * byRank(sources.keyword?.rank) : 0,
      session ? session.weight * session.score * 0.7 ** (session.distance - 1) : 0,
    ]
    expect(semantic?.part ?? 0).toBeCloseTo(parts[0] ?? 0, 3)
    expect(keyword?.part ?? 0).toBeCloseTo(parts[1] ?? 0, 3)
    expect(session?.part ?? 0).toBeCloseTo(parts[2] ?? 0, 3)
    expect(score).toBeCloseTo(
      parts.reduce((sum, part) => sum + part, 0),
      3,
    )
    expect(score).toBeLessThanOrEqual(1)
  }
})

test('a neighbour that both lists lack is a result', async () => {
  const { results } = await ask({ limit: 10 })
  expect(results.map(({ memory }) => memory.id)).toEqual(expect.arrayContaining([before.id, after.id]))
})

test('a neighbour passes the filters of the search', async () => {
  const found = byId((await ask({ tags: ['spoken'] })).results)
  expect(found.has(before.id)).toBe(false)
  expect(found.get(after.id)?.explain?.session?.next_to).toBe(hit.id)
})

test('an archived neighbour does not count, and the next one takes its place', async () => {
  const client = service.clientOf(freshTenant())
  const contents = ['One moment', 'Two of them', 'A zeppelin lands', 'Three more']
  const memories = await remember(
    client,
    contents.map(content => ({ content, ...talk })),
  )
  const [first, second] = memories.map(idOf) as [string, string]
  await client.deleteMemory({ id: second })
  const found = byId((await ask({}, client)).results)
  expect(found.has(second)).toBe(false)
  expect(found.get(first)?.explain?.session?.next_to).toBe(memories[2]?.id)
})

test('no memory of another tenant with the same session is a neighbour', async () => {
  const { memories } = await service.clientOf(other).listMemories({ limit: 10 })
  const found = byId((await ask()).results)
  for (const { id } of memories) expect(found.has(id)).toBe(false)
})

test("a hit that the tenant's own words lift brings its neighbours too", async () => {
  // For the index, which counts the words of all tenants, a gasket is rare and a flange is not.
  const others = Array.from({ length: 200 }, (_, at) => `flange ${at}`)
  await remember(service.clientOf(freshTenant()), others)
  const client = service.clientOf(freshTenant())
  const gaskets = Array.from({ length: 40 }, (_, at) => `gasket gasket ${at}`)
  await remember(client, gaskets)
  const said = ['Is it tight?', `The flange of the ${'old '.repeat(20)} pump`, 'It will do']
  const [, lifted] = await rememberIds(
    client,
    said.map(content => ({ content, ...talk })),
  )
  const { results } = await ask({ query: 'gasket flange', limit: 5 }, client)
  const hit = results.find(({ memory }) => memory.id === lifted)
  expect(hit?.sources.keyword?.rank).toBe(1)
  // With a third list, each of the others weighs less.
  expect(hit?.explain?.keyword?.weight).toBeCloseTo(0.5 / 1.3, 3)
})

test('semantic and keyword searches do not count sessions', async () => {
  for (const search_type of ['semantic', 'keyword'] as const)
    expect(nextToAHit((await ask({ search_type })).results)).toEqual([])
})
