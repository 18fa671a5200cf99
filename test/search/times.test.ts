import { beforeAll, expect, test } from 'vitest'
import type { Input } from '../../src/contract/index.ts'
import type { Memory } from '../../src/contract/memory.ts'
import { timeIn } from '../../src/platform/text/times/index.ts'
import { remember } from '../support/seed.ts'
import { withService } from '../support/service.ts'

const NOW = '2026-11-27T10:00:00Z'

const dayOf = (time: number | null) => (time === null ? null : new Date(time).toISOString().slice(0, 10))
const spanIn = (text: string, language: string | null) => {
  const time = timeIn(text, Date.parse(NOW), language)
  return time ? [dayOf(time.from), dayOf(time.until)] : undefined
}

const week = ['2026-11-16', '2026-11-23']
const may = ['2023-05-01', '2023-06-01']
const thirdOfMay = ['2026-05-03', '2026-05-04']
const yesterday = ['2026-11-26', '2026-11-27']

const named: [string | null, ...[string, (string | null)[]][]][] = [
  [
    'english',
    ['what did we decide last week', week],
    ['plans in May 2023', may],
    ['met on 3 May', thirdOfMay],
  ],
  ['english', ['in spring 2023', ['2023-03-01', '2023-06-01']], ['on Monday', ['2026-11-23', '2026-11-24']]],
  ['english', ['two weeks ago', ['2026-11-09', '2026-11-16']], ['since 2021', ['2021-01-01', '2026-11-27']]],
  ['english', ['before last week', [null, '2026-11-16']], ['Q3 2024', ['2024-07-01', '2024-10-01']]],
  [
    'german',
    ['was war letzte Woche', week],
    ['im Mai 2023', may],
    ['am 3. Mai', thirdOfMay],
    ['gestern', yesterday],
  ],
  [
    'french',
    ['la semaine dernière', week],
    ['en mai 2023', may],
    ['le 3 mai', thirdOfMay],
    ['hier', yesterday],
  ],
  [
    'spanish',
    ['la semana pasada', week],
    ['en mayo de 2023', may],
    ['el 3 de mayo', thirdOfMay],
    ['ayer', yesterday],
  ],
  ['portuguese', ['em maio de 2023', may], ['ontem', yesterday]],
  ['italian', ['la settimana scorsa', week], ['maggio 2023', may], ['ieri', yesterday]],
  ['dutch', ['vorige week', week], ['in mei 2023', may], ['gisteren', yesterday]],
  ['russian', ['на прошлой неделе', week], ['в мае 2023', may], ['вчера', yesterday]],
  [null, ['先週の決定', week], ['上周', week], ['지난주', week], ['geçen hafta', week], ['2023年5月', may]],
]

test.each(named.map(([language, ...cases]) => ({ language, cases })))(
  'times are read in $language',
  ({ language, cases }) => {
    for (const [text, span] of cases) expect([text, spanIn(text, language)]).toEqual([text, span])
  },
)

test.each([
  'may I deploy to port 2022',
  'version 1.2.3',
  'Spring Boot',
  'Wer steht hier',
  'im Frühling',
  'at 10:30',
  'the sun is out',
  'the part 6may of 1/2 cup',
])('%s names no time', text =>
  expect(spanIn(text, text.startsWith('W') ? 'german' : 'english')).toBeUndefined(),
)

const service = withService()
let spring: Memory
let autumn: Memory

beforeAll(async () => {
  const made = await remember(service.client, [
    {
      content: 'The walrus team met in the harbour and chose a boat',
      valid_from: '2023-04-02T00:00:00Z',
      valid_until: '2023-04-03T00:00:00Z',
    },
    {
      content: 'The walrus team met in the harbour and chose a crew',
      valid_from: '2024-10-02T00:00:00Z',
      valid_until: '2024-10-03T00:00:00Z',
    },
  ])
  ;[spring, autumn] = made as [Memory, Memory]
})

const ask = (fields: Partial<Input<'searchMemories'>>) =>
  service.client.searchMemories({
    query: 'the walrus team in the harbour',
    search_type: 'hybrid',
    valid_at: 'any',
    explain: true,
    reference_time: NOW,
    ...fields,
  })

test('a time in the query brings what is of that time before the rest, and leaves nothing out', async () => {
  for (const [query, first] of [
    ['the walrus team in the harbour in spring 2023', spring],
    ['the walrus team in the harbour in October 2024', autumn],
  ] as const) {
    const { results, query: reading } = await ask({ query })
    expect(results.map(({ memory }) => memory.id)[0]).toBe(first.id)
    expect(results).toHaveLength(2)
    expect(results[0]?.explain?.time).toMatchObject({ rank: 1 })
    expect(results[1]?.explain?.time).toBeNull()
    expect(reading?.time?.text).toMatch(/2023|2024/)
  }
})

test('the explanation with a time recomputes to the score, which is at most 1', async () => {
  const { results, query } = await ask({ query: 'walrus harbour in spring 2023' })
  expect(query?.time).toEqual({
    text: 'spring 2023',
    from: '2023-03-01T00:00:00.000Z',
    until: '2023-06-01T00:00:00.000Z',
  })
  for (const { score, explain } of results) {
    const parts = [explain?.semantic, explain?.keyword, explain?.time].map(each => each?.part ?? 0)
    expect(score).toBeCloseTo(
      parts.reduce((sum, part) => sum + part, 0),
      3,
    )
    expect(score).toBeLessThanOrEqual(1)
  }
})

test('a reference time says what a relative time means', async () => {
  const { query } = await ask({ query: 'walrus last month', reference_time: '2023-05-10T00:00:00Z' })
  expect(query?.time?.from).toBe('2023-04-01T00:00:00.000Z')
  const { query: none } = await ask({})
  expect([none?.time, none?.current]).toEqual([null, false])
})

test('a query for a time alone is for what is of it', async () => {
  const { results } = await ask({ query: 'What happened in October 2024?' })
  expect(results[0]).toMatchObject({ memory: { id: autumn.id }, relevance: 1 })
  const { sources } = await service.client.composeContext({
    query: 'What happened last year?',
    reference_time: '2025-01-10T00:00:00Z',
    valid_at: 'any',
    min_relevance: 0.9,
  })
  expect(sources[0]?.memory_id).toBe(autumn.id)
})

test('a query for what is current lets recency count, unless the caller decides', async () => {
  const { results, query } = await ask({ query: 'the current walrus team' })
  expect(query?.current).toBe(true)
  expect(results[0]?.explain?.preferences?.recency.weight).toBeGreaterThan(0)
  const { results: without } = await ask({ query: 'the current walrus team', recency_weight: 0 })
  expect(without[0]?.explain?.preferences).toBeNull()
})

test('a result names the newer one that says nearly the same, and a context puts it beside that', async () => {
  const { results } = await ask({ min_relevance: 0 })
  const byId = new Map(results.map(({ memory, newer }) => [memory.id, newer]))
  expect(byId.get(spring.id)).toEqual([autumn.id])
  expect(byId.get(autumn.id)).toEqual([])
  const { sources, text } = await service.client.composeContext({
    query: 'the walrus team in the harbour',
    valid_at: 'any',
    min_relevance: 0,
  })
  const older = sources.find(({ memory_id }) => memory_id === spring.id)
  expect(older).toMatchObject({ role: 'older', beside_id: autumn.id, relationship_type: null })
  expect(text).toMatch(/older than \[1\]/)
})
