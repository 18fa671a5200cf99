import { beforeAll, expect, test } from 'vitest'
import type { Input } from '../../src/contract/index.ts'
import type { Memory } from '../../src/contract/memory.ts'
import { idOf, remember } from '../support/seed.ts'
import { withService } from '../support/service.ts'

const service = withService()
let memories: Memory[]
beforeAll(async () => {
  const policies = ['short_term', 'long_term', 'pinned']
  memories = await remember(
    service.client,
    Array.from({ length: 24 }, (_, at) => ({
      content: `cat number ${at}`,
      policy: policies[at % 3] as string,
      importance: at / 24,
      tags: [`two-${at % 2}`, `four-${at % 4}`, `Comma, "quote" ${at % 5}`],
      ...(at % 3 === 0 ? { source: `file:///notes ${at % 6}.md` } : {}),
      session_id: `session ${at % 8}`,
      metadata: { number: at % 6, text: `${at % 6}`, even: at % 2 === 0 },
      ...(at % 5 === 1 ? { valid_until: '2001-01-01T00:00:00Z' } : {}),
      ...(at % 5 === 2 ? { valid_from: '2999-01-01T00:00:00Z' } : {}),
    })),
  )
  // Each a second later than the one before, so that their times differ.
  await service.cypher(
    `UNWIND range(0, size($ids) - 1) AS at MATCH (m:Memory {tenant: $tenant, id: $ids[at]})
     WITH m, datetime($start) + duration({seconds: at}) AS time
     SET m.createdAt = time, m.updatedAt = time`,
    { ids: memories.map(idOf), start, tenant: service.tenant },
  )
})

const start = '2030-05-05T10:00:00Z'
const at = (second: number, millisecond = 0) =>
  new Date(Date.parse(start) + 1000 * second + millisecond).toISOString()

type Filter = Omit<Input<'searchMemories'>, 'query' | 'search_type'>
const keptOfAll = (passes: (memory: Memory, at: number) => boolean) => () =>
  memories.filter((memory, index) => passes(memory, index)).map(idOf)
const holdsNow = (at: number) => at % 5 !== 1 && at % 5 !== 2
const kept = (passes: (memory: Memory, at: number) => boolean) =>
  keptOfAll((memory, index) => holdsNow(index) && passes(memory, index))

const filters: [string, Filter, () => string[]][] = [
  ['a tag', { tags: ['two-1'] }, kept(({ tags }) => tags.includes('two-1'))],
  ['tags that must all match', { tags: ['two-0', 'four-2'] }, kept((_, at) => at % 4 === 2)],
  ['tags that exclude each other', { tags: ['two-0', 'two-1'] }, () => []],
  [
    'tags of which one must match',
    { tags: ['four-1', 'four-2'], tags_match: 'any' },
    kept((_, at) => at % 4 === 1 || at % 4 === 2),
  ],
  ['a tag with a comma and quotes', { tags: ['Comma, "quote" 3'] }, kept((_, at) => at % 5 === 3)],
  ['a tag in another case', { tags: ['TWO-1'] }, () => []],
  ['a tag that is part of another', { tags: ['two'] }, () => []],
  [
    'tags that none may have',
    { tags: ['two-1', 'four-2'], tags_match: 'none' },
    kept((_, at) => at % 4 === 0),
  ],
  ['a tag that none has and none may have', { tags: ['*'], tags_match: 'none' }, kept(() => true)],
  ['a source', { source: 'file:///notes 3.md' }, kept((_, at) => at % 6 === 3)],
  ['a part of a source', { source: 'notes' }, () => []],
  ['a session', { session_id: 'session 4' }, kept((_, at) => at % 8 === 4)],
  ['a session in another case', { session_id: 'Session 4' }, () => []],
  ['a number in the metadata', { metadata: { number: 4 } }, kept((_, at) => at % 6 === 4)],
  ['a text in the metadata', { metadata: { text: '4' } }, kept((_, at) => at % 6 === 4)],
  ['a number that is a text there', { metadata: { number: '4' } }, () => []],
  ['several metadata', { metadata: { number: 4, even: true } }, kept((_, at) => at % 6 === 4)],
  ['metadata that exclude each other', { metadata: { number: 4, even: false } }, () => []],
  ['no metadata in the object', { metadata: {} }, kept(() => true)],
  ['a time of change from which on', { updated_after: at(7) }, kept((_, index) => index >= 7)],
  ['a time of change up to which', { updated_before: at(7) }, kept((_, index) => index < 7)],
  ['what holds at any time', { valid_at: 'any' }, keptOfAll(() => true)],
  ['what held once', { valid_at: '2000-01-01T00:00:00Z' }, keptOfAll((_, at) => at % 5 !== 2)],
  ['what will hold', { valid_at: '2999-01-01T00:00:00Z' }, keptOfAll((_, at) => at % 5 !== 1)],
  ['a session at any time', { session_id: 'session 1', valid_at: 'any' }, keptOfAll((_, at) => at % 8 === 1)],
  [
    'one filter or another',
    { any: [{ tags: ['four-1'] }, { session_id: 'session 4' }] },
    kept((_, at) => at % 4 === 1 || at % 8 === 4),
  ],
  [
    'a time or an importance, of which the full-text index knows nothing',
    { any: [{ created_after: at(20) }, { max_importance: 0.2 }] },
    kept(({ importance }, at) => at >= 20 || importance <= 0.2),
  ],
  [
    'one of several filters that each have several parts',
    {
      any: [
        { tags: ['two-0'], min_importance: 0.5 },
        { tags: ['four-1'], tags_match: 'none', policy: 'pinned' },
      ],
    },
    kept((m, at) => (at % 2 === 0 && m.importance >= 0.5) || (at % 4 !== 1 && m.policy === 'pinned')),
  ],
  [
    'all but a source, with what has no source',
    { none: [{ source: 'file:///notes 3.md' }] },
    kept((_, at) => at % 6 !== 3),
  ],
  [
    'neither a session nor what is important',
    { none: [{ session_id: 'session 4' }, { min_importance: 0.5 }] },
    kept(({ importance }, at) => at % 8 !== 4 && importance < 0.5),
  ],
  [
    'all but what has two parts together',
    { none: [{ tags: ['two-1'], updated_before: at(7) }] },
    kept((_, index) => !(index % 2 === 1 && index < 7)),
  ],
  [
    'filters, alternatives and exceptions together',
    {
      policy: 'short_term',
      any: [{ tags: ['two-0'] }, { metadata: { number: 3 } }],
      none: [{ created_before: at(4) }],
    },
    kept((_, i) => i % 3 === 0 && (i % 2 === 0 || i % 6 === 3) && i >= 4),
  ],
  ['a tag that nothing has', { tags: ['*'] }, () => []],
  ['no tags in the list', { tags: [] }, kept(() => true)],
  ['a policy', { policy: 'pinned' }, kept(({ policy }) => policy === 'pinned')],
  ['a policy that nothing has', { policy: 'eternal' }, () => []],
  ['a least importance', { min_importance: 0.5 }, kept(({ importance }) => importance >= 0.5)],
  ['a greatest importance', { max_importance: 0.25 }, kept(({ importance }) => importance <= 0.25)],
  ['a span of importance with nothing in it', { min_importance: 0.9, max_importance: 0.1 }, () => []],
  ['a time from which on', { created_after: at(7) }, kept((_, index) => index >= 7)],
  ['a time just after one', { created_after: at(7, 1) }, kept((_, index) => index >= 8)],
  ['a time up to which', { created_before: at(7) }, kept((_, index) => index < 7)],
  ['a time in another zone', { created_after: '2030-05-05T12:00:07+02:00' }, kept((_, index) => index >= 7)],
  ['a time finer than a millisecond', { created_before: at(7).replace('Z', '9Z') }, kept((_, i) => i <= 7)],
  [
    'everything together',
    {
      tags: ['two-0'],
      policy: 'short_term',
      min_importance: 0.1,
      max_importance: 0.9,
      created_after: at(3),
      created_before: at(19),
    },
    kept(
      (m, i) => i % 2 === 0 && i % 3 === 0 && m.importance >= 0.1 && m.importance <= 0.9 && i >= 3 && i < 19,
    ),
  ],
]

test.each(filters)('%s narrows every kind of search alike', async (_name, filter, expected) => {
  const search = (search_type: Input<'searchMemories'>['search_type']) =>
    service.client.searchMemories({ query: 'cat', search_type, limit: 200, ...filter })
  const answers = await Promise.all([search('semantic'), search('keyword'), search('hybrid')])
  for (const answer of answers) {
    const { search_type } = answer
    expect(answer.results.map(({ memory }) => memory.id).toSorted(), search_type).toEqual(
      expected().toSorted(),
    )
    expect(answer).toMatchObject({ has_more: false, truncated: false })
    if (search_type === 'hybrid')
      for (const { sources } of answer.results) expect(Object.values(sources)).not.toContain(null)
  }
})
