import { expect, test } from 'vitest'
import { remember } from '../support/seed.ts'
import { freshTenant, withService } from '../support/service.ts'

const service = withService()

test.each([
  ['two words in their order', '"golden retriever"', ['A golden retriever.', 'The GOLDEN  Retriever barks']],
  ['typographic quotes', '“golden retriever”', ['A golden retriever.', 'The GOLDEN  Retriever barks']],
  ['one word', 'retriever "barks"', ['The GOLDEN  Retriever barks']],
  ['two phrases', '"golden retriever" "retriever barks"', ['The GOLDEN  Retriever barks']],
  [
    'a phrase that nothing has, by its words',
    '"retriever golden" golden',
    ['A golden fleece for the retriever', 'A golden retriever.', 'The GOLDEN  Retriever barks'],
  ],
  ['a quote that does not end', 'golden "fleece', ['A golden fleece for the retriever']],
  [
    'stop words alone, which nothing has in this order',
    '"of the" fleece',
    ['A golden fleece for the retriever'],
  ],
  ['stop words in their order', '"for the" fleece', ['A golden fleece for the retriever']],
  [
    'signs of the query language',
    '"retriever\\" OR *:*" "+barks -sleeps~"',
    ['A golden fleece for the retriever', 'A golden retriever.', 'The GOLDEN  Retriever barks'],
  ],
])('%s', async (_, query, expected) => {
  const client = service.clientOf(freshTenant())
  await remember(client, [
    'A golden retriever.',
    'The GOLDEN  Retriever barks',
    'A golden fleece for the retriever',
    'a cat',
  ])
  const { results } = await client.searchMemories({ query, search_type: 'keyword' })
  const found = results.map(({ memory }) => memory.content)
  if (expected.length === 1 && query.includes('fleece')) expect(found[0]).toBe(expected[0])
  else expect(found.sort()).toEqual([...expected].sort())
})

test('the explanation names the phrases, and in a hybrid search they bind the keyword part', async () => {
  const client = service.clientOf(freshTenant())
  await remember(client, ['the cat sat', 'sat the cat, and a cat it was'])
  const { results, query } = await client.searchMemories({
    query: '"cat sat"',
    search_type: 'hybrid',
    explain: true,
  })
  expect(query?.keyword?.phrases).toEqual(['cat sat'])
  const keyword = results.filter(({ sources }) => sources.keyword !== null)
  expect(keyword.map(({ memory }) => memory.content)).toEqual(['the cat sat'])
  expect(results).toHaveLength(2)
})

const screens = ['A 27" monitor on the desk', 'The 32" television in the hall']
const settings = 'In worker.json retries is 5 and timeout is 30'

test.each([
  ['inches', '27" monitor and 32" television', screens],
  ['feet and inches', 'who is 5\'10" tall and has a 27" monitor', screens.slice(0, 1)],
  ['JSON', 'where is {"retries": 5, "timeout": 30} set', [settings]],
  ['a list in JSON', 'what are ["retries", "timeout of the worker"]', [settings]],
  ['fields of JSON without brackets', '"retries": 5, "mode": "a b c"', [settings]],
] as const)('the quotes of %s open no phrase', async (_, query, expected) => {
  const client = service.clientOf(freshTenant())
  await remember(client, [...screens, settings])
  for (const search_type of ['keyword', 'hybrid'] as const) {
    const { results, query: read } = await client.searchMemories({ query, search_type, explain: true })
    expect(read?.keyword?.phrases).toEqual([])
    const byWords = results.filter(({ sources }) => sources.keyword !== null)
    expect(byWords.map(({ memory }) => memory.content)).toEqual(expect.arrayContaining([...expected]))
  }
})

test('a phrase that only another page has is not searched by its words', async () => {
  const client = service.clientOf(freshTenant())
  await remember(client, ['the cat sat here', 'the cat sat there', 'here sat no cat'])
  const query = { query: '"cat sat"', search_type: 'keyword', limit: 1 } as const
  const first = await client.searchMemories(query)
  const second = await client.searchMemories({ ...query, cursor: first.next_cursor as string })
  expect([first, second].map(({ results }) => results.length)).toEqual([1, 1])
  expect(second.has_more).toBe(false)
})

test('a search that leaves phrases of its query out says so', async () => {
  const client = service.clientOf(freshTenant())
  await remember(client, ['one two three four five six seven eight'])
  const phrases = ['one', 'two', 'three', 'four', 'five', 'six', 'seven', 'eight']
  const search = (all: readonly string[], search_type: 'keyword' | 'hybrid') =>
    client.searchMemories({ query: all.map(each => `"${each}"`).join(' '), search_type, explain: true })
  for (const type of ['keyword', 'hybrid'] as const) {
    expect(await search(phrases, type)).toMatchObject({ truncated: false })
    const { truncated, query } = await search([...phrases, 'absent'], type)
    expect([truncated, query?.keyword?.phrases]).toEqual([true, phrases])
  }
})
