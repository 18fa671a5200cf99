import { beforeAll, expect, test } from 'vitest'
import type { Input } from '../../src/contract/index.ts'
import { ask as query } from '../support/graphql.ts'
import { connectHttp } from '../support/mcp.ts'
import { remember } from '../support/seed.ts'
import { freshTenant, withService } from '../support/service.ts'

const service = withService()
const other = freshTenant()
const talk = { session_id: 'hangar' }
const spoken = [
  'Where did you leave it?',
  'Who borrowed it?',
  'My zeppelin is in the hangar',
  'Since last spring',
  'Good to know',
  'See you',
]

beforeAll(async () => {
  await remember(
    service.client,
    spoken.map((content, at) => ({ content, tags: at === 3 ? ['noted'] : [], ...talk })),
  )
  await remember(service.client, ['The zeppelin of a memory without a session'])
  await remember(service.clientOf(other), [{ content: 'Another tenant also talks', ...talk }])
})

const ask = (fields: Partial<Input<'searchMemories'>>) =>
  service.client.searchMemories({ query: 'hangar', search_type: 'keyword', ...fields })

const turnsOf = async (fields: Partial<Input<'searchMemories'>>) => {
  const { results } = await ask(fields)
  return results[0]?.around.map(({ memory, offset }) => [offset, memory.content])
}

test('a search returns the turns before and after a result, in order', async () => {
  expect(await turnsOf({ around: 2 })).toEqual([
    [-2, spoken[0]],
    [-1, spoken[1]],
    [1, spoken[3]],
    [2, spoken[4]],
  ])
  expect(await turnsOf({ around: 5 })).toHaveLength(5)
})

test('without around, and for a memory without a session, there are none', async () => {
  expect(await turnsOf({})).toEqual([])
  const { results } = await ask({ query: 'memory without session', around: 3 })
  expect(results[0]?.around).toEqual([])
})

test('turns pass the filters of the search, and no archived memory is one', async () => {
  const [gone] = await remember(service.client, [{ content: 'Gone again', ...talk }])
  await service.client.deleteMemory({ id: gone?.id as string })
  expect(await turnsOf({ around: 5, none: [{ tags: ['noted'] }] })).toEqual([
    [-2, spoken[0]],
    [-1, spoken[1]],
    [1, spoken[4]],
    [2, spoken[5]],
  ])
})

test('every kind of search returns them, and GraphQL does', async () => {
  for (const search_type of ['semantic', 'hybrid'] as const) {
    const { results } = await ask({ search_type, query: spoken[2] as string, around: 1, min_relevance: 0 })
    expect(results[0]?.around.map(({ offset }) => offset)).toEqual([-1, 1])
  }
  const data = await query(
    service,
    `{
    searchMemories(query: "hangar", searchType: KEYWORD, around: 1) { results { around { offset memory { content } } } }
  }`,
  )
  expect(data.searchMemories.results[0].around).toEqual([
    { offset: -1, memory: { content: spoken[1] } },
    { offset: 1, memory: { content: spoken[3] } },
  ])
})

test('a tool of MCP shows the turns of a result', async () => {
  const agent = await connectHttp('2.x, initialize', service)
  const input = { query: 'hangar', search_type: 'keyword', around: 1 }
  const { content } = await agent.callTool({ name: 'search_memories', arguments: input })
  await agent.close()
  const [{ text }] = content as unknown as [{ text: string }]
  expect(text).toMatch(/before it: .*\n.*Who borrowed it/)
  expect(text).toMatch(/after it: .*\n.*Since last spring/)
})

test('a context shows the turns under the hit, each with its place', async () => {
  const { sources, text } = await service.client.composeContext({ query: 'hangar', min_relevance: 0.45 })
  const turns = sources.filter(({ role }) => role === 'turn')
  expect(turns.length).toBeGreaterThan(0)
  for (const { beside_id, relationship_type } of turns) {
    expect(sources.some(({ role, memory_id }) => role === 'hit' && memory_id === beside_id)).toBe(true)
    expect(relationship_type).toBeNull()
  }
  expect(text).toMatch(/(before|after) \[1\] in its session/)
})
