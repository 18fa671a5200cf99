import { expect, test } from 'vitest'
import type { Input } from '../../src/contract/index.ts'
import { rememberIds } from '../support/seed.ts'
import { withService } from '../support/service.ts'

const service = withService()

const [FIRST, SECOND, THIRD] = [
  'the cat sleeps on the sofa',
  'The cat sleeps on the sofa!',
  'the cat sleeps on the sofa.',
]
const PAST = '2021-03-01T00:00:00Z'
const FUTURE = '2093-03-01T00:00:00Z'
const LATER = '2094-03-01T00:00:00Z'

type Given = Partial<Input<'createMemory'>>

/** Near duplicates made one after the other, some recalled, and what a plan to merge would do. */
async function planned(given: readonly Given[], recalled: readonly number[] = []) {
  const { client } = service.newTenant()
  await client.putPolicy({ name: 'fleeting', health_decay: 10, archive_at_health: 0 })
  for (const name of ['lasting', 'steady']) await client.putPolicy({ name, health_decay: 0 })
  const ids: string[] = []
  for (const [at, fields] of given.entries())
    ids.push(...(await rememberIds(client, [{ content: [FIRST, SECOND, THIRD][at] as string, ...fields }])))
  for (const at of recalled) await client.getMemory({ id: ids[at] as string })
  const plan = await client.planMaintenance({ kind: 'merge' })
  const kept = plan.changes.filter(({ change }) => change === 'merge')
  return {
    ...{ client, ids, plan },
    kept: kept.map(({ memory_id }) => ids.indexOf(memory_id)),
    why: kept.map(({ reason }) => reason),
  }
}

const cases: [string, readonly Given[], readonly number[], number, string][] = [
  ['is pinned', [{}, { policy: 'pinned' }], [0], 1, 'pinned one'],
  ['lives on when the recalled one ends', [{ ttl_seconds: 3600 }, {}], [0], 1, 'one that lives longer'],
  ['ends later', [{ ttl_seconds: 3600 }, { ttl_seconds: 7200 }], [0], 1, 'one that lives longer'],
  [
    'has no time limit, however the limited one was pinned',
    [{ ttl_seconds: 60 }, { policy: 'pinned' }],
    [0],
    1,
    'pinned one',
  ],
  [
    'has the policy that lasts',
    [{ policy: 'short_term' }, { policy: 'long_term' }],
    [0],
    1,
    'one that lives longer',
  ],
  [
    'has an own policy that never ends',
    [{ policy: 'fleeting' }, { policy: 'lasting' }],
    [0],
    1,
    'one that lives longer',
  ],
  ['was recalled', [{}, {}], [1], 1, 'most recalled one'],
  ['is the oldest', [{}, {}, {}], [], 0, 'oldest one'],
]

for (const [title, given, recalled, kept, why] of cases)
  test(`a merge keeps the memory that ${title}, and says so`, async () => {
    const found = await planned(given, recalled)
    expect(found.kept).toEqual([kept])
    expect(found.why).toEqual([`kept as the ${why}; takes over from ${given.length - 1}`])
  })

const apart: [string, Given, Given][] = [
  ['is over', { valid_until: PAST }, {}],
  ['is not valid yet', { valid_from: FUTURE }, {}],
  ['ends sooner', { valid_until: FUTURE }, { valid_until: LATER }],
  ['began at another time', { valid_from: PAST }, { valid_from: '2020-03-01T00:00:00Z' }],
]

for (const [title, one, other] of apart)
  test(`a memory that ${title} is no duplicate of one that says the same, and the plan says so`, async () => {
    const { plan, ids, client } = await planned([one, other], [0])
    expect(plan).toMatchObject({ plan_id: null, changes: [] })
    expect(plan.left_out.map(({ memory_id }) => memory_id).sort()).toContain(ids[0])
    expect(plan.left_out[0]?.reason).toMatch(
      /^near duplicate of .*, but holds at another time: review which is right$/,
    )
    const { results } = await client.searchMemories({ query: FIRST, search_type: 'keyword' })
    expect(results.map(({ memory }) => memory.id)).toContain(ids[1])
  })

test('of three that last as long, a merge keeps one with the policy of the others', async () => {
  const { kept, why } = await planned(
    [{ policy: 'lasting' }, { policy: 'steady' }, { policy: 'steady' }],
    [0],
  )
  expect(kept).toEqual([1])
  expect(why).toEqual(['kept as the one with the policy of the others; takes over from 2'])
})
