import { beforeAll, expect, test } from 'vitest'
import type { Input } from '../../src/contract/index.ts'
import type { Memory } from '../../src/contract/memory.ts'
import { timeIn } from '../../src/platform/text/times/index.ts'
import { timeOfQuery } from '../../src/service/search/asked-time.ts'
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

const inNumbers: [string, (string | null)[] | undefined][] = [
  ['что решили 07.04.2026', ['2026-04-07', '2026-04-08']],
  ['12.11.2026', ['2026-11-12', '2026-11-13']],
  ['what did we decide on 3.2.2026?', ['2026-02-03', '2026-02-04']],
  ['am 07.04.26', ['2026-04-07', '2026-04-08']],
  ['Treffen am 7.4.', ['2026-04-07', '2026-04-08']],
  ['the release of 2026.04.07', ['2026-04-07', '2026-04-08']],
  ['between 01.03.2026 and 05.03.2026', ['2026-03-01', '2026-03-06']],
  ['с 01.03.2026 по 05.03.2026', ['2026-03-01', '2026-03-06']],
  ['since 01.03.2026', ['2026-03-01', '2026-11-27']],
  ['11月12日の会議', ['2026-11-12', '2026-11-13']],
  ['１２月３日の会議', ['2025-12-03', '2025-12-04']],
  ['十一月二十日', ['2026-11-20', '2026-11-21']],
  ['4月7号的决定', ['2026-04-07', '2026-04-08']],
  ['10월 5일 회의', ['2026-10-05', '2026-10-06']],
  ['작년 10월 5일', ['2025-10-05', '2025-10-06']],
  ['昨年の11月', ['2025-11-01', '2025-12-01']],
  ['10월 회의', ['2026-10-01', '2026-11-01']],
  ['v3.11.2024 of the tool', undefined],
  ['the host 10.11.12.20', undefined],
  ['31.02.2026', undefined],
]

test.each(inNumbers)('%s is read by its numbers', (text, span) => expect(spanIn(text, null)).toEqual(span))

test.each([
  ["qu'avons-nous décidé hier", yesterday],
  ["la réunion d'hier", yesterday],
  ['qu’est-ce qui s’est passé hier ?', yesterday],
  ["cosa abbiamo deciso nell'estate 2023", ['2023-06-01', '2023-09-01']],
])('the language of %s is told by what apostrophes and hyphens join', (query, span) => {
  const { named } = timeOfQuery(query, Date.parse(NOW))
  expect(named && [dayOf(named.from), dayOf(named.until)]).toEqual(span)
})

test.each(named.map(([language, ...cases]) => ({ language, cases })))(
  'times are read in $language',
  ({ language, cases }) => {
    for (const [text, span] of cases) expect([text, spanIn(text, language)]).toEqual([text, span])
  },
)

/** What a query names as it is searched: its language is told from its words. */
const spanOfQuery = (query: string) => {
  const { named: time } = timeOfQuery(query, Date.parse(NOW))
  return time && `${dayOf(time.from) ?? ''}…${dayOf(time.until) ?? ''}`
}

const spring = '2026-03-01…2026-06-01'
const spring2023 = '2023-03-01…2023-06-01'
const threeDays = '2026-11-23…2026-11-26'
const nineties = '1990-01-01…2000-01-01'
const sinceMarch = '2026-03-01…2026-11-27'
const before2022 = '…2022-01-01'
const untilFriday = '…2026-11-21'
const monday = '2026-11-23…2026-11-24'
const lastSummer = '2026-06-01…2026-09-01'
const yesterdayAlone = '2026-11-26…2026-11-27'
const fortnight = '2026-11-09…2026-11-16'

test.each([
  ['what did we decide between March and May', spring],
  ['from March to May', spring],
  ['between March and May 2023', spring2023],
  ['March to May 2023', spring2023],
  ['between November and February', '2025-11-01…2026-03-01'],
  ['from Monday to Wednesday', threeDays],
  ['between 3 May and 10 May', '2026-05-03…2026-05-11'],
  ['3-5 May', '2026-05-03…2026-05-06'],
  ['March 3-5', '2026-03-03…2026-03-06'],
  ['from 3 to 5 May 2023', '2023-05-03…2023-05-06'],
  ['on Dec 12', '2025-12-12…2025-12-13'],
  ['May 3rd, 2023', '2023-05-03…2023-05-04'],
  ['Sept 2023', '2023-09-01…2023-10-01'],
  ['on 2023-05-03', '2023-05-03…2023-05-04'],
  ['on 3/5/2023', '2023-03-05…2023-03-06'],
  ['the dentist on 14 May at nine', '2026-05-14…2026-05-15'],
  ['the last 3 days', '2026-11-24…2026-11-27'],
  ['a few days ago', '2026-11-24…2026-11-25'],
  ['over the past few weeks', '2026-11-06…2026-11-27'],
  ['hace unos días', '2026-11-24…2026-11-25'],
  ['last weekend', '2026-11-21…2026-11-23'],
  ['last night', yesterdayAlone],
  ['what is planned for next week', '2026-11-30…2026-12-07'],
  ['next Friday', '2026-12-04…2026-12-05'],
  ['in two weeks', '2026-12-07…2026-12-14'],
  ['in den letzten zwei Wochen', '2026-11-13…2026-11-27'],
  ['nächste Woche', '2026-11-30…2026-12-07'],
  ['les trois derniers mois', '2026-08-27…2026-11-27'],
  ['between 2020 and 2022', '2020-01-01…2023-01-01'],
  ['from last Monday to yesterday', '2026-11-23…2026-11-27'],
  ['since March', sinceMarch],
  ['since last March', sinceMarch],
  ['before 2022', before2022],
  ['after 2020', '2021-01-01…'],
  ['until last Friday', untilFriday],
  ['until March', '…2026-04-01'],
  ['music of the 1990s', nineties],
  ['in the nineties', nineties],
  ['in the 90s', nineties],
  ['last summer', lastSummer],
  ['last winter', '2025-12-01…2026-03-01'],
  ['in early May', '2026-05-01…2026-06-01'],
  ['second quarter of 2023', '2023-04-01…2023-07-01'],
  ['in the year 2019', '2019-01-01…2020-01-01'],
  ['Can I march in May', '2026-05-01…2026-06-01'],
  ['zwischen März und Mai', spring],
  ['was war von Montag bis Mittwoch', threeDays],
  ['was war vor 2022', before2022],
  ['bis letzten Freitag', untilFriday],
  ['verschoben auf Montag', monday],
  ['перенесли на понедельник', monday],
  ['die 90er Jahre', nineties],
  ['in den Neunzigern', nineties],
  ['vor zwei Wochen', fortnight],
  ['am Montag', monday],
  ['letzten Sommer', lastSummer],
  ['entre mars et mai 2023', spring2023],
  ['de lundi à mercredi', threeDays],
  ['les années 90', nineties],
  ['il y a deux semaines', fortnight],
  ["l'été dernier", lastSummer],
  ["jusqu'à vendredi dernier", untilFriday],
  ['entre marzo y mayo', spring],
  ['el lunes pasado', monday],
  ['los años noventa', nineties],
  ['hace dos semanas', fortnight],
  ['entre março e maio', spring],
  ['na segunda-feira passada', monday],
  ['tra marzo e maggio', spring],
  ['lunedì scorso', monday],
  ['gli anni novanta', nineties],
  ['tussen maart en mei', spring],
  ['van maandag tot woensdag', threeDays],
  ['twee weken geleden', fortnight],
  ['между мартом и маем', spring],
  ['с понедельника по среду', threeDays],
  ['с марта', sinceMarch],
  ['в 90-е годы', nineties],
  ['в прошлый понедельник', monday],
  ['mellan mars och maj', spring],
  ['kaksi viikkoa sitten', fortnight],
  ['3月から5月まで', spring],
  ['2023年3月から5月まで', spring2023],
  ['三月到五月', spring],
  ['90年代の音楽', nineties],
  ['3월부터 5월까지', spring],
])('“%s” names %s', (query, span) => expect(spanOfQuery(query)).toBe(span))

test.each([
  'may I deploy to port 2022',
  'I march to the sun',
  'may I ask',
  'What may happen',
  'step 3 may fail',
  'April likes cake',
  'sat on a chair',
  'the second of them',
  'sun',
  'the sun is out',
  'between you and me',
  'between 3 and 5',
  'for three days',
  '1 year and 2 months ago',
  'how often in a week',
  'the session chat-2026-11-20',
  'guten Morgen',
  'in his thirties',
  'Who is Jan?',
  'version 1.2.3',
  'Spring Boot',
  'winter coat',
  'Wer steht hier und was ist das',
  'das ist im Frühling',
  'Mai Thai Rezept',
  'une seconde',
  'el mar está frío',
  'a segunda vez',
  'sole e mare',
  'at 10:30',
  'the part 6may of 1/2 cup',
])('“%s” names no time', query => expect(spanOfQuery(query)).toBeUndefined())

const service = withService()
let april: Memory
let october: Memory

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
  ;[april, october] = made as [Memory, Memory]
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
    ['the walrus team in the harbour in spring 2023', april],
    ['the walrus team in the harbour in October 2024', october],
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
  expect(results[0]).toMatchObject({ memory: { id: october.id }, relevance: 1 })
  const { sources } = await service.client.composeContext({
    query: 'What happened last year?',
    reference_time: '2025-01-10T00:00:00Z',
    valid_at: 'any',
    min_relevance: 0.9,
  })
  expect(sources[0]?.memory_id).toBe(october.id)
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
  expect(byId.get(april.id)).toEqual([october.id])
  expect(byId.get(october.id)).toEqual([])
  const { sources, text } = await service.client.composeContext({
    query: 'the walrus team in the harbour',
    valid_at: 'any',
    min_relevance: 0,
  })
  const older = sources.find(({ memory_id }) => memory_id === april.id)
  expect(older).toMatchObject({ role: 'older', beside_id: october.id, relationship_type: null })
  expect(text).toMatch(/older than \[1\]/)
})
