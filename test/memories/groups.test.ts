import { beforeAll, expect, test } from 'vitest'
import type { Output } from '../../src/contract/index.ts'
import { idOf, remember, rememberIds } from '../support/seed.ts'
import { freshTenant, problemOf, someMemory, withService } from '../support/service.ts'

const service = withService()
type Group = Output<'groupMemories'>['groups'][number]
const countsOf = (groups: readonly Group[]) => groups.map(({ value, count }) => [value, count])

let ids: string[]
beforeAll(async () => {
  const memories = await remember(service.client, [
    { content: 'one', tags: ['bread', 'cold'], importance: 0.2, source: 'a', session_id: 's', kind: 'fact' },
    { content: 'two', tags: ['bread'], importance: 0.6, policy: 'long_term', kind: 'fact' },
    { content: 'three', tags: [], importance: 1, source: 'a', policy: 'pinned' },
    { content: 'four', tags: ['gone'], importance: 0.4 },
  ])
  ids = memories.map(idOf)
  const [one = '', two = '', three = '', four = ''] = ids
  const connect = (source_id: string, target_id: string, relationship_type: 'supports' | 'caused_by') =>
    service.client.createConnection({ source_id, target_id, relationship_type })
  await connect(one, two, 'supports')
  await connect(three, two, 'supports')
  await connect(one, three, 'caused_by')
  await connect(four, three, 'caused_by')
  await service.client.deleteMemory({ id: four })
  // What others have counts nowhere.
  await service.clientOf(freshTenant()).createMemory(someMemory({ tags: ['bread', 'foreign'], source: 'a' }))
})

test.each([
  [
    'policy',
    [
      ['long_term', 1],
      ['pinned', 1],
      ['short_term', 1],
    ],
  ],
  ['state', [['active', 3]]],
  [
    'tag',
    [
      ['bread', 2],
      ['cold', 1],
    ],
  ],
  [
    'source',
    [
      ['a', 2],
      [null, 1],
    ],
  ],
  [
    'session',
    [
      [null, 2],
      ['s', 1],
    ],
  ],
  [
    'kind',
    [
      ['fact', 2],
      [null, 1],
    ],
  ],
  [
    'relationship_type',
    [
      ['supports', 3],
      ['caused_by', 2],
    ],
  ],
] as const)('grouped by %s', async (by, expected) => {
  const { groups, truncated } = await service.client.groupMemories({ by })
  expect(truncated).toBe(false)
  expect(countsOf(groups)).toEqual(expected)
})

test('a group has the means of its memories', async () => {
  const { groups } = await service.client.groupMemories({ by: 'tag', tags: ['bread'] })
  expect(groups[0]).toMatchObject({ value: 'bread', count: 2, mean_health: 100 })
  expect(groups[0]?.mean_importance).toBeCloseTo(0.4)
})

test('periods are those of the creation in UTC, the newest first', async () => {
  const moments = ['2025-12-31T23:59:59Z', '2026-01-01T00:00:00Z', '2026-01-05T12:00:00Z']
  const tenant = freshTenant()
  const made = await rememberIds(service.clientOf(tenant), ['a', 'b', 'c'])
  await service.cypher(
    `UNWIND range(0, 2) AS at MATCH (m:Memory {tenant: $tenant, id: $made[at]}) SET m.createdAt = datetime($moments[at])`,
    { tenant, made, moments },
  )
  const by = async (period: 'day' | 'week' | 'month') =>
    countsOf((await service.clientOf(tenant).groupMemories({ by: period })).groups)
  expect(await by('day')).toEqual([
    ['2026-01-05', 1],
    ['2026-01-01', 1],
    ['2025-12-31', 1],
  ])
  expect(await by('week')).toEqual([
    ['2026-01-05', 1],
    ['2025-12-29', 2],
  ])
  expect(await by('month')).toEqual([
    ['2026-01', 2],
    ['2025-12', 1],
  ])
})

test('the filters are those of lists, and archived memories count if they are asked for', async () => {
  const { client } = service
  expect(countsOf((await client.groupMemories({ by: 'state', include_archived: true })).groups)).toEqual([
    ['active', 3],
    ['archived', 1],
  ])
  expect(countsOf((await client.groupMemories({ by: 'tag', state: 'archived' })).groups)).toEqual([
    ['gone', 1],
  ])
  const some = await client.groupMemories({
    by: 'kind',
    any: [{ source: 'a' }],
    none: [{ policy: 'pinned' }],
  })
  expect(countsOf(some.groups)).toEqual([['fact', 1]])
  const first = await client.groupMemories({ by: 'tag', limit: 1 })
  expect([countsOf(first.groups), first.truncated]).toEqual([[['bread', 2]], true])
  const refused = problemOf(client.groupMemories({ by: 'colour' as 'tag' }))
  expect(await refused).toMatchObject({ code: 'validation_failed', pointers: ['/by'] })
})
