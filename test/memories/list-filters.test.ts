import { beforeAll, expect, test } from 'vitest'
import type { Input } from '../../src/contract/index.ts'
import type { Memory } from '../../src/contract/memory.ts'
import { freshTenant, someMemory, withService } from '../support/service.ts'

const service = withService()
let times: { created: string[]; updated: string[] }
beforeAll(async () => {
  const made: Memory[] = []
  const rows = [
    {
      content: 'one',
      tags: ['red', 'Big'],
      importance: 0.1,
      policy: 'short_term',
      source: 'a, b',
      session_id: 'talk',
      metadata: { user: 'ada', line: 1 },
    },
    {
      content: 'two',
      tags: ['red'],
      importance: 0.5,
      policy: 'long_term',
      session_id: 'talk',
      metadata: { user: 'ada', line: 2 },
      valid_until: '2001-01-01T00:00:00Z',
    },
    {
      content: 'three',
      tags: ['blue', 'a,b'],
      importance: 0.9,
      policy: 'pinned',
      metadata: { user: 'a=b&c' },
      valid_from: '2999-01-01T00:00:00Z',
    },
    { content: 'four', tags: [], importance: 1, policy: 'short_term' },
  ]
  for (const row of rows) made.push(await service.client.createMemory(someMemory(row)))
  await service.client.deleteMemory({ id: made[3]?.id as string })
  times = { created: made.map(each => each.created_at), updated: made.map(each => each.updated_at) }
})

const filters: [string, () => Input<'listMemories'>, string[]][] = [
  ['nothing', () => ({}), ['three', 'two', 'one']],
  ['those that are archived too', () => ({ include_archived: true }), ['four', 'three', 'two', 'one']],
  ['those that are archived', () => ({ state: 'archived' }), ['four']],
  [
    'the archived, whatever include_archived says',
    () => ({ state: 'archived', include_archived: false }),
    ['four'],
  ],
  ['the active alone', () => ({ state: 'active', include_archived: true }), ['three', 'two', 'one']],
  ['a policy', () => ({ policy: 'long_term' }), ['two']],
  ['a policy that nothing has', () => ({ policy: 'eternal' }), []],
  ['a tag', () => ({ tags: ['red'] }), ['two', 'one']],
  ['a tag in another case', () => ({ tags: ['big'] }), []],
  ['the beginning of a tag', () => ({ tags: ['re'] }), []],
  ['two tags, both of them', () => ({ tags: ['red', 'Big'] }), ['one']],
  ['two tags that meet nowhere', () => ({ tags: ['red', 'blue'] }), []],
  ['two tags, any of them', () => ({ tags: ['blue', 'Big'], tags_match: 'any' }), ['three', 'one']],
  ['any tag of a list with unknown ones', () => ({ tags: ['x', 'blue'], tags_match: 'any' }), ['three']],
  ['tags that none may have', () => ({ tags: ['blue', 'Big'], tags_match: 'none' }), ['two']],
  ['a source', () => ({ source: 'a, b' }), ['one']],
  ['a session', () => ({ session_id: 'talk' }), ['two', 'one']],
  ['a session of nothing', () => ({ session_id: 'tal' }), []],
  ['metadata', () => ({ metadata: { user: 'ada' } }), ['two', 'one']],
  ['two metadata', () => ({ metadata: { user: 'ada', line: 2 } }), ['two']],
  ['metadata of another type', () => ({ metadata: { line: '2' } }), []],
  ['metadata with signs of a query', () => ({ metadata: { user: 'a=b&c' } }), ['three']],
  ['what holds at a time', () => ({ valid_at: '2000-01-01T00:00:00Z' }), ['two', 'one']],
  ['what holds when another has ended', () => ({ valid_at: '2001-01-01T00:00:00Z' }), ['one']],
  ['a tag and a policy', () => ({ tags: ['red'], policy: 'short_term' }), ['one']],
  ['a least importance', () => ({ min_importance: 0.5 }), ['three', 'two']],
  ['a greatest importance', () => ({ max_importance: 0.5 }), ['two', 'one']],
  ['one importance', () => ({ min_importance: 0.5, max_importance: 0.5 }), ['two']],
  ['no possible importance', () => ({ min_importance: 0.6, max_importance: 0.4 }), []],
  ['a time, inclusive', () => ({ created_after: times.created[1] as string }), ['three', 'two']],
  ['a time, exclusive', () => ({ created_before: times.created[1] as string }), ['one']],
  ['a time of change, inclusive', () => ({ updated_after: times.updated[2] as string }), ['three']],
  ['a time of change, exclusive', () => ({ updated_before: times.updated[2] as string }), ['two', 'one']],
  ['the far future', () => ({ created_after: '9999-12-31T23:59:59Z' }), []],
  ['the far past', () => ({ created_after: '0000-01-01T00:00:00Z' }), ['three', 'two', 'one']],
]

test.each(filters)('a list filtered by %s', async (_, input, expected) => {
  const { memories, truncated } = await service.client.listMemories(input())
  expect(memories.map(({ content }) => content)).toEqual(expected)
  expect(truncated).toBe(false)
})

test.each([
  ['tags=red,Big', ['one']],
  ['tags=red&tags=Big', ['one']],
  ['tags=Big,red&tags=red', ['one']],
  ['tags=%20red%20', ['two', 'one']],
  ['tags=a,b', []],
  ['tags=a%2Cb', []],
  ['tags=blue,Big&tags_match=any', ['three', 'one']],
])('tags in a query: %s', async (query, expected) => {
  const response = await service.request(`/memories?${query}`)
  const { memories } = (await response.json()) as { memories: Memory[] }
  expect(memories.map(({ content }) => content)).toEqual(expected)
})

test('a time is the same moment in any offset, and finer than the clock', async () => {
  const at = times.created[1] as string
  const shifted = new Date(Date.parse(at) + 2 * 3_600_000).toISOString().replace('Z', '+02:00')
  const { memories: same } = await service.client.listMemories({ created_after: shifted })
  expect(same.map(({ content }) => content)).toEqual(['three', 'two'])
  const { memories: later } = await service.client.listMemories({ created_after: at.replace('Z', '001Z') })
  expect(later.map(({ content }) => content)).toEqual(['three'])
})

test('another tenant sees nothing of all this', async () => {
  const client = service.clientOf(freshTenant())
  for (const [, input] of filters) expect((await client.listMemories(input())).memories).toEqual([])
})
