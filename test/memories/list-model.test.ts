import fc from 'fast-check'
import { beforeAll, describe, expect, test } from 'vitest'
import type { Client } from '../../src/client.ts'
import type { Memory } from '../../src/contract/memory.ts'
import { allPages } from '../support/all-pages.ts'
import { type ListQuery, listed } from '../support/list-model.ts'
import { runs } from '../support/runs.ts'
import { idOf } from '../support/seed.ts'
import { freshTenant, someMemory, withService } from '../support/service.ts'

const service = withService()

const NOW = Date.now()
/** Few values, so that many memories share them. */
const instant = fc.integer({ min: 0, max: 6 }).map(day => NOW - day * 86_400_000)
const share = fc.constantFrom(0, 0.1, 0.30000000000000004, 0.5, 1)
const tag = fc.constantFrom('a', 'b', 'c', 'D')
const policy = fc.constantFrom('short_term', 'long_term', 'pinned')

const time = instant.map(ms => new Date(ms).toISOString())
const name = fc.constantFrom('one', 'two')
const origin = {
  source: name,
  session_id: name,
  metadata: fc.dictionary(name, fc.constantFrom(1, '1', true), { maxKeys: 2 }),
}

const person = fc.record({
  origin: fc.record({ ...origin, valid_until: time }, { requiredKeys: [] }),
  policy,
  tags: fc.uniqueArray(tag),
  importance: share,
  createdAt: instant,
  updatedAt: instant,
  health: fc.constantFrom(0, 33.333333333333336, 100),
  recalledAt: fc.option(instant),
  archived: fc.boolean(),
  expired: fc.integer({ min: 0, max: 7 }).map(die => die === 0),
})

const conditions = {
  policy,
  tags: fc.uniqueArray(tag, { minLength: 1 }),
  tags_match: fc.constantFrom('all', 'any', 'none'),
  ...origin,
  min_importance: share,
  max_importance: share,
  created_after: time,
  created_before: time,
  updated_after: time,
  updated_before: time,
}

const several = fc.array(
  fc
    .record(conditions, { requiredKeys: [] })
    .filter(given => Object.keys(given).some(name => name !== 'tags_match')),
  { minLength: 1, maxLength: 3 },
)

const query = fc.record(
  {
    order_by: fc.constantFrom('created_at', 'updated_at', 'importance', 'health', 'last_recalled_at'),
    order: fc.constantFrom('asc', 'desc'),
    include_archived: fc.boolean(),
    state: fc.constantFrom('active', 'archived'),
    ...conditions,
    any: several,
    none: several,
    valid_at: fc.oneof(time, fc.constantFrom('now', 'any')),
  },
  { requiredKeys: ['order_by', 'order'] },
)
/** Many filters at once leave nothing over: most queries have few. */
const someOf = query.chain(full =>
  fc
    .subarray(Object.keys(full), { maxLength: 3 })
    .map(kept =>
      Object.fromEntries(Object.entries(full).filter(([name]) => kept.includes(name) || /^order/.test(name))),
    ),
) as fc.Arbitrary<ListQuery>

describe.each([1, 2])('the memories of population %i', seed => {
  let client: Client
  let memories: Memory[]
  const expired = new Set<string>()
  beforeAll(async () => {
    const tenant = freshTenant()
    client = service.clientOf(tenant)
    const people = fc.sample(person, { numRuns: 36, seed })
    memories = await populate(tenant, people, expired)
  })

  test('are listed by any filter and ordering in pages of any size as the contract has it', async () => {
    await fc.assert(
      fc.asyncProperty(someOf, fc.integer({ min: 1, max: 40 }), async (input, limit) => {
        const found = await allPages(client, { ...input, limit })
        expect(found.map(idOf)).toEqual(listed(memories, expired, input).map(idOf))
      }),
      { numRuns: runs(20), seed },
    )
  })

  test.each(['created_at', 'updated_at', 'importance', 'health', 'last_recalled_at'] as const)(
    'are in order by %s, nulls last and ties by id, in either direction',
    async order_by => {
      for (const order of ['asc', 'desc'] as const) {
        const input = { order_by, order, include_archived: true }
        expect(await allPages(client, { ...input, limit: 5 })).toEqual(listed(memories, expired, input))
      }
    },
  )
})

/** Memories as no caller could make them: their times, health and recalls are set past the service. */
async function populate(tenant: string, people: Person[], expired: Set<string>): Promise<Memory[]> {
  const client = service.clientOf(tenant)
  const { memories } = await client.createMemories({
    memories: people.map(({ policy, tags, importance, origin }) =>
      someMemory({ policy, tags, importance, ...origin }),
    ),
  })
  const rows = memories.map(({ id }, at) => ({ id, ...(people[at] as Person), origin: null }))
  for (const { id, archived } of rows) if (archived) await client.deleteMemory({ id })
  await service.cypher(
    `UNWIND $rows AS row MATCH (m:Memory {tenant: $tenant, id: row.id})
    SET m.createdAt = datetime({epochMillis: toInteger(row.createdAt), timezone: 'Z'}),
      m.updatedAt = datetime({epochMillis: toInteger(row.updatedAt), timezone: 'Z'}), m.health = toFloat(row.health),
      m.recallOrder = toInteger(coalesce(row.recalledAt, 0)),
      m.liveUntil = CASE WHEN row.expired THEN timestamp() - 1 ELSE m.liveUntil END
    FOREACH (_ IN CASE WHEN row.recalledAt IS NULL THEN [] ELSE [1] END |
      SET m.lastRecalledAt = datetime({epochMillis: toInteger(row.recalledAt), timezone: 'Z'}))`,
    { rows, tenant },
  )
  for (const row of rows) if (row.expired) expired.add(row.id)
  return Promise.all(memories.map(({ id }) => client.getMemory({ id, record_recall: false })))
}

type Person = typeof person extends fc.Arbitrary<infer Value> ? Value : never
