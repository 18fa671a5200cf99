import { beforeAll, expect, test } from 'vitest'
import { remember } from '../support/seed.ts'
import { problemOf, withService } from '../support/service.ts'

const service = withService()
beforeAll(async () => {
  await remember(service.client, contents)
  // Another tenant, whose memories no query may reach.
  await remember(service.clientOf(`${service.tenant}-other`), ['canary tenant scope content word'])
})

const contents = [
  'The cat sleeps on the windowsill',
  'A truck with a loud engine',
  'Bread needs an oven',
  'content of the scope',
  'word',
]

/** Nothing that a word could match: a keyword search must come back empty, and not with everything. */
const empty = [
  ['*', '?', '**', '*:*', '+', '++', '-', '--', '!', '!!', '&&', '||', '()', '(', ')))', '[]', '{', '}}'],
  ['"', '""', '"""', "'", '`', '\\', '\\\\', '/', '//', '/.*/', '^', '^2', '~', '~2', ':', '::', '<', '>='],
  ['.', '...', '…', '.*', '[^]', '$', '#', '@', '%', '%00', '=', ';', ',', '|', '_', '°', '§', '¿?', '‼'],
  ['to be or not to be', 'NOT', 'OR', 'AND', 'AND OR NOT', 'to.be'],
  [
    '\u0001',
    '\u0007\u001b[31m',
    '\u007f',
    '\u0085',
    '\u2028.',
    '\ufeff.',
    '\u200b.',
    '\u202e.',
    '\ufffd',
    '\u200d-',
  ],
  ['🐈‍⬛', '👩‍👩‍👧‍👦', '🇩🇪', '❤️', '۝', '،؛؟', '。、「」', '–—―', '«»', '×÷', '∀∃∈', '\u0301\u0302.'],
].flat()

/** Syntax around words of which no memory holds any. */
const nowhere = [
  ['zzz*', '*zzz', 'z?z', 'zzz~2', '"zzz yyy"~10', 'zzz^4', '+zzz -qqq', 'NOT zzz', '(zzz OR yyy) AND xxx'],
  [
    'tenant:default',
    'scoop:t0123',
    'tagKeys:k0123',
    'policyKey:p0123',
    '_exists_:zzz',
    'id:[* TO *]',
    'zzz:*',
  ],
  ['[aaa TO zzz]', '{aaa TO zzz}', '[* TO zzz]', 'createdat:[0 TO 9]', '/[x-z]+zzz/', '/.*zzz.*/', 'zzz\\*'],
  [
    "zzz' OR '1'='1",
    'zzz") OR (1=1',
    '#{zzz}',
    '{{zzz}}',
    '<script>zzz</script>',
    '$where: zzz',
    '`}) RETURN m //',
  ],
  ['x'.repeat(10_000), '(zzz '.repeat(2_000), '"zzz'.repeat(2_500), 'zzz*'.repeat(2_500), '~9'.repeat(5_000)],
  [
    Array.from({ length: 1_300 }, (_, at) => `z${at}z`).join(' '),
    'ʞzzz',
    'مرحبا',
    '\u202eabcxyz\u202c',
    '１２３４５',
  ],
].flat()

/** Words that are there, in the midst of syntax: they are found. */
const somewhere = [
  [
    'content:*',
    'content:(',
    'scope:*',
    'scope:t0123',
    '"content',
    'content"',
    '\\content',
    'content\\',
    'content~',
    'content^',
  ],
  [
    '+cat',
    '-cat',
    '!cat',
    'cat AND',
    'AND cat',
    'NOT cat',
    'cat OR',
    '(cat',
    'cat)',
    '[cat TO',
    '{cat}',
    'cat~0.8',
  ],
  ['cat*', '*cat', '"cat"~', 'cat && truck', 'cat || truck', 'cat/', '/cat', 'c\u0001 cat'],
  [
    '🐈cat',
    'CAT',
    `cat ${'the '.repeat(2_000)}`,
    `${'the '.repeat(2_000)}cat`,
    `cat ${'*'.repeat(9_000)}`,
    'x\ncat\ty',
  ],
].flat()

test('there are enough hostile queries for the result to mean something', () => {
  expect(new Set([...empty, ...nowhere, ...somewhere]).size).toBeGreaterThan(150)
})

const keyword = async (query: string) =>
  (await service.client.searchMemories({ query, search_type: 'keyword' })).results.map(
    ({ memory }) => memory.content,
  )

test('a query with NUL in it is refused', async () => {
  const refusal = problemOf(service.client.searchMemories({ query: 'cat\u0000', search_type: 'keyword' }))
  expect(await refusal).toMatchObject({ status: 422, pointers: ['/query'] })
})

test.each(empty)('a keyword search for %j, which holds no word, finds nothing', async query => {
  expect(await keyword(query)).toEqual([])
})

test.each(nowhere.map(query => [query.slice(0, 40), query]))(
  'a keyword search for %j, whose words are nowhere, finds nothing',
  async (_name, query) => {
    expect(await keyword(query)).toEqual([])
  },
)

test.each(somewhere.map(query => [query.slice(0, 40), query]))(
  'a keyword search for %j finds the memories with its words, and no others',
  async (_name, query) => {
    const found = await keyword(query)
    expect(found.length).toBeGreaterThan(0)
    expect(found.length).toBeLessThan(contents.length)
    for (const content of found) expect(content).toMatch(/cat|truck|content|scope/)
  },
)

test.each(['semantic', 'hybrid'] as const)('no hostile query makes a %s search fail', async search_type => {
  const all = [...empty, ...nowhere, ...somewhere]
  for (let at = 0; at < all.length; at += 20) {
    const batch = all.slice(at, at + 20)
    const answers = await Promise.all(
      batch.map(query => service.client.searchMemories({ query, search_type })),
    )
    for (const { results } of answers) {
      expect(results.length).toBeLessThanOrEqual(contents.length)
      for (const { memory } of results) expect(contents).toContain(memory.content)
    }
  }
})
