import { beforeAll, expect, test } from 'vitest'
import type { Input } from '../../src/contract/index.ts'
import { remember } from '../support/seed.ts'
import { freshTenant, withService } from '../support/service.ts'

const service = withService()
const large = freshTenant()
const small = freshTenant()
beforeAll(async () => {
  await remember(service.client, [
    'What the kitten did',
    'The kitten sleeps',
    'Die Katze schläft auf dem Sofa',
    'Wo die wilden Kerle wohnen',
    'Start it with --all and config.is.ts',
  ])
  const topics = [
    'kitten',
    'truck',
    'bread',
    'graph',
    'guitar',
    'harbour',
    'nurse',
    'summit',
    'flour',
    'neo4j',
    'boat',
  ]
  const contents = Array.from({ length: 66 }, (_, at) => `Anna spoke of ${topics[at % topics.length]} ${at}`)
  await remember(service.clientOf(large), contents)
  await service.drain(large)
  await remember(service.clientOf(small), contents.slice(0, 20))
})

async function read(query: string, fields: Partial<Input<'searchMemories'>> = {}, tenant = service.tenant) {
  const answer = await service.clientOf(tenant).searchMemories({
    ...{ query, search_type: 'keyword', explain: true },
    ...fields,
  })
  return { ...answer, contents: answer.results.map(({ memory }) => memory.content) }
}

const noTime = { time: null, current: false }

test('words that only hold a question together are not looked for', async () => {
  const { query, contents } = await read('What did the truck do?')
  expect(query).toEqual({
    semantic: null,
    keyword: { terms: ['truck'], phrases: [], left_out: ['what', 'did', 'the', 'do'] },
    ...noTime,
  })
  expect(contents).toEqual([])
})

test('a question that has no other words is looked for as it is', async () => {
  const { query, contents } = await read('What did?')
  expect(query?.keyword).toEqual({ terms: ['what', 'did'], phrases: [], left_out: [] })
  expect(contents).toEqual(['What the kitten did'])
})

const languages: [string, string[]][] = [
  ['Wo ist die Katze?', ['katze']],
  ['Où est le chat ?', ['chat']],
  ['¿Dónde está el gato?', ['gato']],
  ['Quando dorme il mio gatto?', ['dorme', 'gatto']],
  ['Где моя кошка?', ['кошка']],
  ['Var är min katt?', ['katt']],
  ['Who let the dogs out?', ['let', 'dogs']],
  ['Die Hard', ['die', 'hard']],
  ['the man', ['man']],
]
test.each(languages)('of “%s” what is left to look for is %j', async (query, terms) => {
  const reading = (await read(query)).query
  expect(reading?.keyword?.terms.toSorted()).toEqual(terms.toSorted())
})

test.each(['--all', 'config.is.ts', 'C#', '.do', 'and/or', 'is-it'])(
  'what is no plain word stays: %s',
  async name => {
    expect((await read(`kitten ${name}`)).query?.keyword?.left_out).toEqual([])
  },
)

test('without `explain` nothing is said of the query', async () => {
  expect((await read('What did the kitten do?', { explain: false })).query).toBeNull()
})

test('a semantic search goes half by the query without common words too', async () => {
  const { query } = await read('What did Anna say of the kitten?', { search_type: 'semantic' }, large)
  expect(query).toEqual({
    semantic: {
      texts: ['What did Anna say of the kitten?', 'What did say of the kitten?'],
      left_out: ['anna'],
    },
    keyword: null,
    ...noTime,
  })
})

test('a hybrid search goes half by the query without the words that most memories of the tenant hold', async () => {
  const before = service.embeddings.requests.length
  const { query } = await read('What did Anna say of the guitar?', { search_type: 'hybrid' }, large)
  expect(query?.semantic).toEqual({
    texts: ['What did Anna say of the guitar?', 'What did say of the guitar?'],
    left_out: ['anna'],
  })
  const asked = service.embeddings.requests.slice(before)
  expect(asked.map(({ texts }) => texts)).toEqual([query?.semantic?.texts])
})

test('what is common is seen among the tenant’s own memories alone', async () => {
  const { query } = await read('Anna and her boat', { search_type: 'hybrid' })
  expect(query?.semantic?.left_out).toEqual([])
})

test('in a tenant with few memories no word counts as common', async () => {
  const { query } = await read('Anna and her boat', { search_type: 'hybrid' }, small)
  expect(query?.semantic).toEqual({ texts: ['Anna and her boat'], left_out: [] })
})

test('a query whose words are all common keeps them', async () => {
  const { query } = await read('Anna spoke', { search_type: 'hybrid' }, large)
  expect(query?.semantic).toMatchObject({ texts: ['Anna spoke'], left_out: [] })
})

test('a query without a word to look for goes by meaning alone, with scores up to 1', async () => {
  const { results } = await read('🎸', { search_type: 'hybrid', limit: 3, min_relevance: 0 }, large)
  expect(results).toHaveLength(3)
  expect(results[0]?.score).toBeGreaterThan(0)
  for (const { explain } of results) expect(explain?.keyword).toBeNull()
})

test('the same hybrid search twice gives the same answer', async () => {
  const ask = () => read('What did Anna say of the summit?', { search_type: 'hybrid' }, large)
  expect(await ask()).toEqual(await ask())
})
