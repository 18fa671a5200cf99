import { beforeAll, expect, test } from 'vitest'
import { numbered, remember } from '../support/seed.ts'
import { freshTenant, withService } from '../support/service.ts'

const service = withService()
beforeAll(async () => {
  await remember(service.client, contents)
})

const contents = [
  '東京で猫が眠っている',
  '今日は天気がいい',
  '我喜欢喝绿茶',
  '서울에서 커피를 마신다',
  'コーヒーを飲む',
  'แมวนอนหลับ',
  'Кошка спит на диване',
  'القطة نائمة',
  'החתול ישן',
  "Don't forget the driver's licence",
  'They don’t know O’Brien',
  'A state-of-the-art e-mail client',
  'Call neo4j.driver.session() in config.test.ts',
  'Version 2026.08.1 costs 1,299.50 euros',
  'Set SERVICE_DATA_DIR to /var/lib/memory',
  'Write to anna.smith+news@example.org',
  'See https://example.com/docs/guide?page=2#top',
  'C++ and C# and .NET and Node.js',
  'The naïve café façade',
  'Connections were connected while connecting',
  'The 🐈 is asleep 👩‍👩‍👧‍👦',
  'key=value;other:pair',
]

const found: [string, string][] = [
  ['猫', '東京で猫が眠っている'],
  ['東京', '東京で猫が眠っている'],
  ['天気がいい', '今日は天気がいい'],
  ['绿茶', '我喜欢喝绿茶'],
  ['커피를', '서울에서 커피를 마신다'],
  ['コーヒー', 'コーヒーを飲む'],
  ['แมวนอนหลับ', 'แมวนอนหลับ'],
  ['КОШКА', 'Кошка спит на диване'],
  ['نائمة', 'القطة نائمة'],
  ['החתול', 'החתול ישן'],
  ["don't", "Don't forget the driver's licence"],
  ['don’t', "Don't forget the driver's licence"],
  ["DON'T", 'They don’t know O’Brien'],
  ['driver', "Don't forget the driver's licence"],
  ['drivers', "Don't forget the driver's licence"],
  ["o'brien", 'They don’t know O’Brien'],
  ['state-of-the-art', 'A state-of-the-art e-mail client'],
  ['e-mail', 'A state-of-the-art e-mail client'],
  ['art', 'A state-of-the-art e-mail client'],
  ['neo4j.driver.session()', 'Call neo4j.driver.session() in config.test.ts'],
  ['config.test.ts', 'Call neo4j.driver.session() in config.test.ts'],
  ['`config.test.ts`', 'Call neo4j.driver.session() in config.test.ts'],
  ['2026.08.1', 'Version 2026.08.1 costs 1,299.50 euros'],
  ['1,299.50', 'Version 2026.08.1 costs 1,299.50 euros'],
  ['service_data_dir', 'Set SERVICE_DATA_DIR to /var/lib/memory'],
  ['/var/lib/memory', 'Set SERVICE_DATA_DIR to /var/lib/memory'],
  ['anna.smith+news@example.org', 'Write to anna.smith+news@example.org'],
  ['https://example.com/docs/guide?page=2#top', 'See https://example.com/docs/guide?page=2#top'],
  ['guide', 'See https://example.com/docs/guide?page=2#top'],
  ['C++', 'C++ and C# and .NET and Node.js'],
  ['.NET', 'C++ and C# and .NET and Node.js'],
  ['node.js', 'C++ and C# and .NET and Node.js'],
  ['naïve', 'The naïve café façade'],
  ['nai\u0308ve', 'The naïve café façade'],
  ['connection', 'Connections were connected while connecting'],
  ['"asleep"', 'The 🐈 is asleep 👩‍👩‍👧‍👦'],
  ['key=value', 'key=value;other:pair'],
  ['other:pair', 'key=value;other:pair'],
]
test.each(found)('the words %s find “%s”', async (query, content) => {
  const { results } = await service.client.searchMemories({ query, search_type: 'keyword' })
  expect(results.map(({ memory }) => memory.content)).toContain(content)
})

test('the memory that holds a dotted name as such comes before one that holds a part of it', async () => {
  await remember(service.client, ['The session of the driver', 'A session'])
  const { results } = await service.client.searchMemories({
    query: 'neo4j.driver.session',
    search_type: 'keyword',
  })
  expect(results[0]?.memory.content).toBe('Call neo4j.driver.session() in config.test.ts')
  expect(results[0]?.score).toBe(1)
})

test('a word that is not spaced off counts as any other', async () => {
  await remember(service.client, ['Nodeの鯨', '鯨'])
  const { results } = await service.client.searchMemories({ query: '鯨', search_type: 'keyword' })
  expect(results.map(({ memory }) => memory.content)).toEqual(['鯨', 'Nodeの鯨'])
  expect(results[1]?.score).toBeGreaterThan(0)
})

test('an accent is found whichever way it was typed', async () => {
  await remember(service.client, ['re\u0301sume\u0301 of the meeting', 'r\u00e9sum\u00e9 of the call'])
  for (const query of ['r\u00e9sum\u00e9', 're\u0301sume\u0301']) {
    const { results } = await service.client.searchMemories({ query, search_type: 'keyword' })
    expect(results).toHaveLength(2)
  }
})

test('a rare word counts more than a common one, and a short memory more than a long one', async () => {
  await remember(service.client, [
    ...Array.from({ length: 10 }, (_, at) => `zebra crossing ${at}`),
    'okapi',
    'okapi and a good many other words that have nothing to do with it at all',
  ])
  const { results } = await service.client.searchMemories({ query: 'zebra okapi', search_type: 'keyword' })
  expect(results.slice(0, 2).map(({ memory }) => memory.content)).toEqual([
    'okapi',
    'okapi and a good many other words that have nothing to do with it at all',
  ])
})

test('a word at the end of a long memory counts as well', async () => {
  const content = `${'padding '.repeat(2_000)}narwhal`
  const short = Array.from({ length: 90 }, (_, at) => `narwhals ${at}`)
  await remember(service.client, [content, 'narwhals', ...short])
  const { results } = await service.client.searchMemories({
    query: 'narwhal',
    search_type: 'keyword',
    limit: 200,
  })
  expect(results[0]?.memory.content).toBe('narwhals')
  expect(results.find(({ memory }) => memory.content === content)?.score).toBeGreaterThan(0)
})

test('a memory that lacks its words, a fault of the graph, is found by meaning all the same', async () => {
  const client = service.clientOf(freshTenant())
  const [memory] = await remember(client, ['The ferry to the island leaves at noon'])
  await service.cypher('MATCH (m:Memory {id: $id}) REMOVE m.words', { id: memory?.id })
  for (const search_type of ['semantic', 'hybrid'] as const) {
    const { results } = await client.searchMemories({
      query: 'The ferry to the island leaves at noon',
      search_type,
      min_relevance: 0,
    })
    expect(results.map(({ memory: { id } }) => id)).toEqual([memory?.id])
  }
})

test('a query of more words than are looked for says that matches may be missing', async () => {
  await remember(service.client, ['platypus'])
  for (const [words, truncated] of [
    [63, false],
    [64, true],
  ] as const) {
    const query = `${Array.from({ length: words }, (_, at) => `filler${at}`).join(' ')} platypus`
    for (const search_type of ['keyword', 'hybrid'] as const)
      expect(await service.client.searchMemories({ query, search_type })).toMatchObject({ truncated })
  }
})

test('what the index finds no word in is as if it were not there', async () => {
  await remember(service.client, numbered(105, 'pebble'))
  await remember(service.client, ['an axolotl', 'one axolotl and another axolotl'])
  const scored = async (query: string) =>
    (await service.client.searchMemories({ query, search_type: 'keyword', explain: true })).results.map(
      ({ memory, explain }) => [memory.content, explain?.keyword?.relevance],
    )
  const found = await scored('axolotl')
  expect(found).toHaveLength(2)
  expect(await scored('… axolotl ***')).toEqual(found)
  expect(await scored('… ***')).toEqual([])
})

const reading = async (query: string) =>
  (await service.client.searchMemories({ query, search_type: 'keyword', explain: true })).query?.keyword
    ?.terms

test('what is written without a blank is looked for in short terms, and cut off', async () => {
  expect(await reading(Array.from({ length: 5_000 }, () => 'x').join('.'))).toEqual(['x.'.repeat(50), 'x'])
  expect(await reading(`y${'-'.repeat(9_998)}y`)).toEqual([`y${'-'.repeat(99)}`, 'y'])
  expect(await reading('一'.repeat(10_000))).toEqual(['一一'])
  expect(await reading('一二三四')).toEqual(['一二', '二三', '三四'])
})

const apart: [string, string][] = [
  ['Slackチャンネルで共有した', 'Slack'],
  ['Slackチャンネルで共有した', 'チャンネル'],
  ['会議はZoomミーティング2号室です', 'ミーティング'],
  ['ฉันใช้Discordทุกวัน', 'Discord'],
  ['ຂ້ອຍໃຊ້Telegramທຸກມື້', 'Telegram'],
  ['ខ្ញុំប្រើSignalរាល់ថ្ងៃ', 'Signal'],
  ['ကျွန်တော်Viberသုံးတယ်', 'Viber'],
]
const capitals: [string, string][] = [
  ['İZMİR', 'İZMİR'],
  ['İZMİR', 'izmir'],
  ['ΟΔΟΣ', 'ΟΔΟΣ'],
  ['ΟΔΟΣ', 'οδος'],
  ['δρομος', 'ΔΡΟΜΟΣ'],
]
test.each([...apart, ...capitals])(
  '“%s” counts for the word %s, as it does in the index',
  async (content, query) => {
    await remember(service.client, [content])
    const { results } = await service.client.searchMemories({ query, search_type: 'keyword', explain: true })
    const found = results.find(({ memory }) => memory.content === content)
    expect(found?.explain?.keyword?.relevance).toBeGreaterThan(0)
  },
)
