import { cpSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { folderOf } from '../support/cli.ts'
import { runInProcess } from '../support/in-process-cli.ts'
import { freshTenant, someMemory, withService } from '../support/service.ts'

const fixtures = join(import.meta.dirname, '..', 'fixtures', 'imports')

const service = withService()

type Report = {
  left_out_entries: { place: string; reason: string }[]
  losses: { what: string; times: number }[]
}

/** What a tenant of its own has after the import, and what the command says. */
async function imported(kind: string, path: string, ...more: string[]) {
  const tenant = freshTenant()
  const words = [
    'import',
    '--from',
    kind,
    path.startsWith('/') ? path : join(fixtures, path),
    '--json',
    ...more,
  ]
  const { code, out, err } = await runInProcess(words, { service, tenant })
  const { left_out_entries = [], losses = [] }: Partial<Report> = out === '' ? {} : JSON.parse(out)
  const client = service.clientOf(tenant)
  const { memories } = await client.listMemories({ limit: 200, order: 'asc', include_archived: true })
  const { connections } = await client.listConnections({ limit: 500 })
  const name = (id: string) => memories.find(memory => memory.id === id)?.source ?? nameIn(memories, id)
  return {
    code,
    err,
    memories,
    contents: memories.map(({ content }) => content).toSorted(),
    edges: connections
      .map(({ source_id, connection: { target_id, relationship_type } }) =>
        [name(source_id), relationship_type, name(target_id)].join(' '),
      )
      .toSorted(),
    leftOut: left_out_entries.map(({ place, reason }) => `${place}: ${reason}`),
    lost: losses.map(({ what, times }) => `${times} × ${what}`),
  }
}

const nameIn = (memories: readonly { id: string; content: string }[], id: string) =>
  memories.find(memory => memory.id === id)?.content.split('\n')[0] ?? ''

const TEA = 'Likes green tea'
const PORTO = 'Works in Porto'
const LEFT = 'Is left-handed'

test.each<[string, string[], string[]]>([
  ['typescript.json', [TEA, PORTO], []],
  ['memories.json', [TEA, PORTO], []],
  ['array.json', [TEA, PORTO], []],
  ['hosted-page.json', [TEA, PORTO], []],
  ['data-results.json', [TEA, PORTO], []],
  ['by-id.json', [TEA, PORTO], []],
  ['qdrant.json', [TEA], []],
  ['lines.jsonl', [TEA, PORTO], []],
  ['bom.json', [TEA, PORTO], []],
  ['utf-16.json', ['Mag grünen Tee', PORTO], []],
  ['missing-comma.json', [TEA, PORTO], []],
  ['no-id.json', [LEFT, TEA, PORTO], []],
  [
    'null-memory.json',
    [TEA, PORTO],
    [
      'results[1]: its `memory` is null',
      'results[2]: its `memory` is empty',
      'results[3]: its `memory` is not a text',
    ],
  ],
  [
    'strange-entries.json',
    [LEFT, TEA],
    [
      'results[1]: is not an object with a `memory`',
      'results[2]: is not an object with a `memory`',
      'results[3]: is not an object with a `memory`',
      'results[4]: has no `memory`, only foo',
    ],
  ],
  ['same-id.json', [TEA], ['results[1]: has the same name or id as results[0]: “m1”']],
  ['too-long.json', [TEA], ['results[1]: `content` must be at most 100000 bytes of UTF-8']],
  [
    'cut.json',
    [TEA, PORTO],
    ['lines 13 to 15: is no valid JSON, or names a field twice: { "id": "m3", "memory": "Is left-handed",'],
  ],
  [
    'open-quote.json',
    [LEFT, TEA],
    [expect.stringMatching(/^lines 8 to 12: is no valid JSON.*Works in Porto/)],
  ],
])(
  'mem0, %s: every entry that can be read is imported, the others are listed',
  async (file, contents, left) => {
    const { code, contents: found, leftOut } = await imported('mem0', `mem0/${file}`)
    expect({ code, found, leftOut }).toEqual({
      code: left.length > 0 ? 65 : 0,
      found: contents,
      leftOut: left,
    })
  },
)

const GRAPH = {
  found: ['Ada (person)\nWrote notes', 'Engine (machine)'],
  edges: ['Ada (person) supports Engine (machine)'],
}

test.each([
  'array.json',
  'two-on-a-line.jsonl',
  'windows.jsonl',
  'read-graph.json',
  'tool-answer.json',
  'structured-answer.json',
  'by-name.json',
])('a knowledge graph, %s: its entities and relations are read', async file => {
  const { code, contents: found, edges, leftOut } = await imported('server-memory', `server-memory/${file}`)
  expect({ code, found, edges, leftOut }).toEqual({ code: 0, ...GRAPH, leftOut: [] })
})

test.each<[string, string[], string[], string[]]>([
  [
    'lines.jsonl',
    ['Ada (person)\nWrote notes', 'Engine (machine)\nWas never built'],
    ['Ada (person) supports Engine (machine)'],
    [],
  ],
  ['cut-line.jsonl', GRAPH.found, GRAPH.edges, [expect.stringMatching(/^line 4: is no valid JSON.*Note G/)]],
  [
    'legacy.jsonl',
    ['Ada (person)', 'Engine\nWas never built', 'Note G\nAbout Bernoulli\n7'],
    ['Ada (person) supports Engine'],
    ['line 3, observations[2]: is not a text'],
  ],
  ['twice.jsonl', ['Ada (person)\nWrote notes\nDaughter of Byron', 'Engine (machine)'], GRAPH.edges, []],
  [
    'bad-lines.jsonl',
    GRAPH.found,
    [],
    [
      'line 2: is no valid JSON, or names a field twice: # a remark',
      'line 6: is no valid JSON, or names a field twice: null',
      'line 3: is an entity without a `name`',
      'line 4: is a relation without `from` or `to`',
      'line 5: relation “supports” with “Nobody”, which is not imported',
    ],
  ],
])(
  'a knowledge graph, %s: what can be read is imported, the rest is listed',
  async (file, contents, edges, left) => {
    const found = await imported('server-memory', `server-memory/${file}`)
    expect(found).toMatchObject({ code: left.length > 0 ? 65 : 0, contents, edges, leftOut: left })
  },
)

test.each([
  ['mem0', 'mem0/empty-list.json'],
  ['mem0', 'mem0/empty.json'],
  ['mem0', 'mem0/other-tool.json'],
  ['mem0', 'mem0/text.json'],
  ['server-memory', 'server-memory/no-graph.json'],
  ['server-memory', 'server-memory/chat.jsonl'],
  ['server-memory', 'mem0/array.json'],
  ['mem0', 'server-memory/lines.jsonl'],
  ['obsidian', 'notes/none'],
  ['obsidian', 'mem0/array.json'],
  ['mem0', 'notes/tags'],
])('%s from %s: nothing can be imported, and the command says so and fails', async (kind, path) => {
  const { code, err, contents } = await imported(kind, path)
  expect({ code, contents }).toEqual({ code: 65, contents: [] })
  expect(err).toMatch(/Nothing can be imported. Expected: |is a folder, not a file|is a file, not a folder/)
  expect(err).not.toMatch(/\n\s+at /)
})

test('a date of mem0 is read as a text, as seconds and as milliseconds, in UTC; any other is the time of the file', async () => {
  const { memories, lost } = await imported('mem0', 'mem0/dates.json')
  const times = Object.fromEntries(memories.map(({ content, created_at }) => [content, created_at]))
  expect(times).toMatchObject({
    seconds: '2026-11-18T11:06:40.000Z',
    milliseconds: '2026-11-18T11:06:40.123Z',
    'text of seconds': '2026-11-18T11:06:40.000Z',
    'no zone': '2026-11-20T10:00:00.000Z',
    'a day': '2026-11-20T00:00:00.000Z',
  })
  expect(memories).toHaveLength(8)
  expect(lost).toEqual(['3 × a missing or unreadable time: the time of the file is used instead'])
})

test('mem0 counts the days of an expiration date in UTC, and the date is included', async () => {
  const ends: Record<string, [Record<string, unknown>, string]> = {
    'a day': [{ expiration_date: '2027-05-01' }, '2027-05-02T00:00:00.000Z'],
    'in TypeScript': [{ expirationDate: '2027-05-01' }, '2027-05-02T00:00:00.000Z'],
    'the last of a month': [{ expiration_date: '2028-02-29' }, '2028-03-01T00:00:00.000Z'],
    midnight: [{ expiration_date: '2027-05-01T00:00:00' }, '2027-05-02T00:00:00.000Z'],
    'seconds of a day': [{ expiration_date: 1_809_129_600 }, '2027-05-02T00:00:00.000Z'],
    'a time': [{ expiration_date: '2027-05-01T15:30:00Z' }, '2027-05-01T15:30:00.000Z'],
    'the end of time': [{ expiration_date: '9999-12-31' }, '9999-12-31T23:59:59.999Z'],
  }
  const entries = Object.entries(ends).map(([memory, [fields]]) => ({ id: memory, memory, ...fields }))
  const folder = folderOf({ 'all.json': JSON.stringify({ results: entries }) })
  const { code, memories } = await imported('mem0', join(folder, 'all.json'))
  expect(code).toBe(0)
  expect(Object.fromEntries(memories.map(({ content, valid_until }) => [content, valid_until]))).toEqual(
    Object.fromEntries(Object.entries(ends).map(([memory, [, end]]) => [memory, end])),
  )
})

test('a memory of mem0 that expires today is found today', async () => {
  const today = new Date().toISOString().slice(0, 10)
  const folder = folderOf({ 'all.json': JSON.stringify([{ memory: TEA, expiration_date: today }]) })
  const tenant = freshTenant()
  await runInProcess(['import', '--from', 'mem0', join(folder, 'all.json')], { service, tenant })
  const query = { query: 'green tea', search_type: 'keyword' } as const
  expect((await service.clientOf(tenant).searchMemories(query)).results).toHaveLength(1)
})

test('the TypeScript form of mem0 keeps its times, its user and its run', async () => {
  const { memories } = await imported('mem0', 'mem0/typescript.json')
  expect(memories.find(({ content }) => content === TEA)).toMatchObject({
    created_at: '2026-11-20T10:00:00.000Z',
    updated_at: '2026-11-21T10:00:00.000Z',
    session_id: 'chat-1',
    metadata: { topic: 'drinks', user_id: 'ada' },
  })
})

test.each<[string, BufferEncoding]>([
  ['UTF-8', 'utf8'],
  ['UTF-16', 'utf16le'],
])('files in %s with a byte-order mark are read by the commands that take one', async (_, encoding) => {
  const tenant = freshTenant()
  const folder = folderOf({ 'note.md': '', 'policies.json': '' })
  writeFileSync(join(folder, 'note.md'), Buffer.from('\uFEFFGrüner Tee', encoding))
  writeFileSync(join(folder, 'policies.json'), Buffer.from('\uFEFF[]', encoding))
  const added = await runInProcess(['add', '--file', join(folder, 'note.md')], { service, tenant })
  const { memories } = await service.clientOf(tenant).listMemories({})
  expect([added.code, memories.map(({ content }) => content)]).toEqual([0, ['Grüner Tee']])
  const words = ['maintain', 'plan', '--policies', join(folder, 'policies.json')]
  expect((await runInProcess(words, { service, tenant })).err).not.toContain('is not JSON')
})

test('keys of metadata in any script stay apart, and the key can be read back', async () => {
  const { memories, lost } = await imported('mem0', 'mem0/chinese-keys.json')
  expect(memories[0]?.metadata).toEqual({
    'x--9884.7b97-': 100,
    'x--8bed.8a00-': 'zh',
    'x-Due-20-date': '2026-12-01',
    a_b: 1,
    'x-a-20-b': 2,
    'h-1666468a9f8f5854bc087409d741c9ae': 'вчера',
    'h-1666468a9f8f5854bc087409d741c9ae.name': 'последнее изменение страницы',
  })
  expect(lost).toEqual([])
})

test('lists and objects in metadata are kept as JSON, and numbers that JavaScript cannot hold as texts', async () => {
  const nested = await imported('mem0', 'mem0/nested-metadata.json')
  expect(nested.memories.map(({ metadata }) => metadata)).toEqual(
    expect.arrayContaining([
      { tags: '["a","b"]', place: '{"city":"Porto"}' },
      { topic: 'work' },
      { metadata: '["odd"]' },
    ]),
  )
  expect(nested.lost).toEqual(['1 × metadata “long”, which is longer than 500 characters'])
  const large = await imported('mem0', 'mem0/large-numbers.json')
  expect(large.memories[0]?.metadata).toEqual({
    chat_id: '1234567890123456789',
    tiny: '1e-400',
    huge: '1e400',
    plain: 12,
    'x-__proto__': 'kept',
  })
})

test('half a character and a NUL in a text are reported', async () => {
  const { contents, lost } = await imported('mem0', 'mem0/surrogates.json')
  expect({ contents, lost }).toEqual({
    contents: ['Half � of a smile'],
    lost: ['1 × a NUL or half a character in a text'],
  })
})

test('--strict imports nothing where an entry would be left out, and lists it', async () => {
  const { code, err, contents } = await imported('mem0', 'mem0/null-memory.json', '--strict')
  expect({ code, contents }).toEqual({ code: 65, contents: [] })
  expect(err).toContain('results[1]: its `memory` is null')
  expect(err).toContain('because of --strict')
  expect((await imported('mem0', 'mem0/array.json', '--strict')).contents).toEqual([TEA, PORTO])
})

test('--replace imports nothing where an entry would be left out: what it stands for would be removed', async () => {
  const { code, err, contents } = await imported('mem0', 'mem0/null-memory.json', '--replace')
  expect({ code, contents }).toEqual({ code: 65, contents: [] })
  expect(err).toContain('--replace would remove what is left out')
})

test('a link in a note leads where it leads in Obsidian: with a heading and an alias, to the nearest note of that name', async () => {
  const { code, edges, lost } = await imported('obsidian', 'notes/links')
  expect(edges).toEqual([
    'A/Note.md references A/Terms.md',
    'A/Note.md references B/Terms.md',
    'A/Note.md references C/deep/Far away.md',
    'A/Note.md references Plan B.md',
    'C/deep/Far away.md references Plan B.md',
    'Plan B.md references A/Terms.md',
    'Plan B.md supports A/Terms.md',
  ])
  expect({ code, lost }).toEqual({
    code: 0,
    lost: [
      '1 × A/Note.md: the file “picture.png”, which is no note',
      '1 × a second relation of one type between the same two',
      '2 × a relation of a thing with itself',
    ],
  })
})

test.each([
  'Plan%20(draft).md',
  '<Plan (draft).md>',
  'Plan%20(draft).md#Costs%20(2026)',
  'Plan%20\\(draft\\).md',
  'Plan%20%28draft%29.md',
  'Plan%20(draft).md "The draft"',
  "<Plan (draft).md> 'The draft'",
  './Plan%20(draft).md',
  'Plan (draft).md',
])('a link in Markdown to a note with brackets in its name is a connection: %s', async destination => {
  const note = `# Links\n\n[the draft](${destination}) (see there), [a page](https://example.org/Plan%20(draft).md)\n`
  const { code, edges, lost } = await imported(
    'obsidian',
    folderOf({ 'Links.md': note, 'Plan (draft).md': 'Costs' }),
  )
  expect({ code, edges, lost }).toEqual({
    code: 0,
    edges: ['Links.md references Plan (draft).md'],
    lost: [],
  })
})

test('a link in Markdown to a note that is not there is reported', async () => {
  const note = '[the draft](Plan%20(draft).md)'
  const { edges, lost } = await imported('obsidian', folderOf({ 'Links.md': note }))
  expect(edges).toEqual([])
  expect(lost).toEqual([expect.stringContaining('the file “Plan (draft).md”, which is no note')])
})

test('tags of a note are read in each form of Obsidian, and not out of code', async () => {
  const { memories } = await imported('obsidian', 'notes/tags')
  expect(Object.fromEntries(memories.map(({ source, tags }) => [source, tags]))).toEqual({
    'accents.md': ['हिन्दी', 'Café', '🎉party'],
    'code.md': ['yes'],
    'comma.md': ['a', 'b'],
    'flow.md': ['x', 'y z', 'extra'],
    'list.md': ['first', 'second/third', 'inline', 'y1984'],
  })
})

test('notes in .trash and .obsidian are not imported, and are counted', async () => {
  const { code, contents, lost } = await imported('obsidian', 'notes/hidden')
  expect({ code, contents }).toEqual({ code: 0, contents: ['# Kept\n\nKept'] })
  expect(lost.toSorted()).toEqual([
    '1 × a note in “.obsidian”, which is hidden',
    '1 × a note in “.trash”, which is hidden',
  ])
})

test('properties of a note are kept whatever their names and kinds; what is no YAML stays in the text', async () => {
  const { memories, lost } = await imported('obsidian', 'notes/properties')
  const find = (source: string) => memories.find(memory => memory.source === source)
  expect(find('Scripts.md')).toMatchObject({
    created_at: '2026-11-20T00:00:00.000Z',
    metadata: {
      'x--9884.7b97-': 100,
      'x-Due-20-date': '2026-12-01',
      nested: '{"city":"Porto"}',
      long: 'one two',
      big: '1234567890123456789',
    },
  })
  expect(find('Windows.md')).toMatchObject({ content: '# Windows\n\nText', tags: ['w'] })
  expect(find('Broken.md')?.content).toContain('title: "{{title}}')
  expect(lost).toEqual([expect.stringContaining('Broken.md: its properties are no YAML')])
})

test('a link that leads to nothing, and a file that is no text, do not keep the other notes of a folder back', async () => {
  const folder = folderOf({})
  cpSync(join(fixtures, 'notes', 'damaged'), folder, { recursive: true })
  symlinkSync(join(folder, 'gone.md'), join(folder, 'Dangling.md'))
  symlinkSync(join(folder, 'Circle.md'), join(folder, 'Circle.md'))
  const { code, contents, leftOut } = await imported('obsidian', folder)
  expect({ code, contents, leftOut }).toEqual({
    code: 65,
    contents: ['# Empty', '# Good\n\nGood', '# Inside\n\nInside', '# Utf16\n\nGrüße'],
    leftOut: [
      'Circle.md: is a link that leads back to itself',
      'Dangling.md: is a link that leads to nothing',
      'Latin.md: is not in UTF-8',
    ],
  })
})

test('a bundle after an editor on Windows is refused by its line ends, and imported with --repair', async () => {
  await service.client.createMemories({
    memories: [someMemory({ content: 'one' }), someMemory({ content: 'two' })],
  })
  const file = join(folderOf({}), 'all.ndjson')
  await runInProcess(['export', file], { service })
  const lines = readFileSync(file, 'utf8')
  const windows = lines.replaceAll('\n', '\r\n')
  for (const changed of [windows, `\uFEFF${windows}\r\n\r\n`, `\uFEFF${lines}`]) {
    writeFileSync(file, changed)
    const tenant = freshTenant()
    const refused = await runInProcess(['import', file], { service, tenant })
    expect(refused).toMatchObject({
      code: 65,
      err: expect.stringMatching(/ line ends were changed.*--repair/),
    })
    const done = await runInProcess(['import', file, '--repair'], { service, tenant })
    expect([done.code, done.out]).toEqual([0, expect.stringContaining('memories: 2 created')])
  }
  writeFileSync(file, Buffer.from(`\uFEFF${lines}`, 'utf16le'))
  expect(await runInProcess(['import', file], { service })).toMatchObject({
    code: 65,
    err: expect.stringContaining('saved as UTF-16'),
  })
})
