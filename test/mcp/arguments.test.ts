import { beforeAll, expect, test } from 'vitest'
import type { Memory } from '../../src/contract/memory.ts'
import { ask } from '../support/mcp.ts'
import { someMemory, withService } from '../support/service.ts'

const service = withService()
let id: string
let other: string
beforeAll(async () => {
  const { memories } = await service.client.createMemories({
    memories: [
      someMemory({ content: 'The heron stands', tags: ['bird'] }),
      someMemory({ content: 'The wren hides' }),
    ],
  })
  ;[id, other] = memories.map(memory => memory.id) as [string, string]
  await service.client.createConnection({ source_id: id, target_id: other })
})

type Result = { isError?: boolean; content: { text: string }[]; structuredContent?: Record<string, unknown> }

async function call(name: string, args?: unknown): Promise<Result> {
  const answer = await ask(service, 'tools/call', {
    name,
    ...(args === undefined ? {} : { arguments: args }),
  })
  return answer.result as Result
}

const textOf = ({ content }: Result) => content[0]?.text ?? ''

async function created(args: object): Promise<Memory> {
  const result = await call('create_memory', args)
  expect(result.isError, textOf(result)).toBeFalsy()
  return service.client.getMemory({ id: String(result.structuredContent?.id) })
}

test.each([
  ['importance as text', { importance: ' 0.8 ' }, { importance: 0.8 }],
  ['an exponent as text', { importance: '1e-7' }, { importance: 1e-7 }],
  ['a whole number as text', { ttl_seconds: '60' }, { ttl_seconds: 60 }],
  ['a list as text', { tags: '["a", "b"]' }, { tags: ['a', 'b'] }],
  ['one tag without a list', { tags: 'checkout' }, { tags: ['checkout'] }],
  [
    'an object as text',
    { metadata: '{"user_id": "ada", "line": 12}' },
    { metadata: { user_id: 'ada', line: 12 } },
  ],
  ['null inside metadata', { metadata: { user_id: 'ada', team: null } }, { metadata: { user_id: 'ada' } }],
  [
    'null for all that is optional',
    {
      tags: null,
      importance: null,
      source: null,
      metadata: null,
      supersedes: null,
      valid_from: null,
      wait: null,
    },
    { tags: [], importance: 0.5, source: null },
  ],
  [
    'empty text for what has no value',
    { source: '', session_id: ' ', valid_until: '' },
    { source: null, session_id: null },
  ],
  ['a number where text is declared', { session_id: 42 }, { session_id: '42' }],
  ['capitals in a name of a set', { on_duplicate: 'STORE' }, {}],
  ['names in another style', { sessionId: 's-1', 'ttl-seconds': 60 }, { session_id: 's-1', ttl_seconds: 60 }],
])('%s: a memory is stored as it is meant', async (what, args, stored) => {
  expect(await created({ content: what, ...args })).toMatchObject(stored)
})

test('a whole call as text is read too', async () => {
  const result = await call('create_memory', JSON.stringify({ content: 'All of it is text', tags: ['t'] }))
  expect(result.structuredContent).toMatchObject({ tags: ['t'] })
})

test.each([
  ['plain texts', ['Plain one', 'Plain two'], 2],
  ['a list as text', JSON.stringify([{ content: 'In text one' }, { content: 'In text two' }]), 2],
  ['objects as texts', [JSON.stringify({ content: 'Object as text', tags: '["x"]' })], 1],
  ['one memory without a list', { content: 'Alone' }, 1],
  ['one text without a list', 'Alone, and with a comma', undefined],
])('create_memories takes %s', async (_, memories, count) => {
  const result = await call('create_memories', { memories })
  if (count === undefined) expect(textOf(result)).toMatch(/`memories` must be a list, such as/)
  else expect(result.structuredContent?.memories, textOf(result)).toHaveLength(count)
})

test('arguments that are null or missing are none', async () => {
  for (const args of [null, undefined, {}, '', '{}']) {
    const result = await call('list_memories', args)
    expect(result.isError, `${JSON.stringify(args)} ${textOf(result)}`).toBeFalsy()
  }
})

test('numbers and switches as text shape a search and a fetch', async () => {
  const found = await call('search_memories', {
    query: 'heron',
    search_type: 'Keyword',
    limit: '1',
    record_recall: 'False',
    min_score: null,
  })
  expect(found.structuredContent, textOf(found)).toMatchObject({ results: [{ memory: { id } }] })
  const fetched = await call('get_memory', { id, record_recall: 'false' })
  expect(fetched.structuredContent).toMatchObject({ recall_count: 0 })
})

test('an id is taken as agents write it', async () => {
  for (const written of [
    ` ${id}`,
    `memory://${id}`,
    id.toUpperCase(),
    `MEMORY://${id.toUpperCase()} `,
    `"${id}"`,
    `\`${id}\`.`,
    `<${id}>`,
    `urn:uuid:${id}`,
  ]) {
    const result = await call('get_memory', { id: written, record_recall: false })
    expect(result.structuredContent?.id, written).toBe(id)
  }
  const path = await call('find_path', { source_id: `memory://${id}`, target_id: ` ${other.toUpperCase()}` })
  expect(path.structuredContent?.paths).toHaveLength(1)
  const { result } = await ask(service, 'resources/read', { uri: `memory://${id.toUpperCase()}` })
  expect(JSON.stringify(result)).toContain('The heron stands')
})

test('ids and types in one text with commas are several', async () => {
  const related = await call('related_memories', { id, relationship_types: 'related_to, supports' })
  expect(related.structuredContent?.related).toHaveLength(1)
})

test('arguments that a host adds are ignored and named, in the text and in the structured part', async () => {
  const strays = { random_string: 'x', reason: 'to look', tool_call_id: 'call_1' }
  for (const [name, args] of [
    ['get_stats', {}],
    ['list_memories', {}],
    ['get_memory', { id, record_recall: false }],
  ] as const) {
    const result = await call(name, { ...args, ...strays })
    expect(result.isError, textOf(result)).toBeFalsy()
    expect(textOf(result)).toContain('no such argument: random_string, reason, tool_call_id')
    expect(result.structuredContent?.ignored).toEqual(Object.keys(strays))
  }
  const inside = await call('create_memories', { memories: [{ content: 'With a stray', thought: 'hm' }] })
  expect(inside.structuredContent?.ignored).toEqual(['memories[0].thought'])
  const refused = await call('get_memory', { reason: 'x' })
  expect(textOf(refused)).toMatch(/`id` is required.*no such argument: reason/s)
})

test.each([
  ['create_memory', { content: 'x', tags: 'a, b' }, '`tags` must be a list, such as ["a", "b"]'],
  [
    'create_memory',
    { content: 'x', metadata: 'ada' },
    '`metadata` must be an object of names and values, such as {"name": "value"}',
  ],
  ['create_memory', { content: 'x', importance: 'high' }, '`importance` must be a number'],
  ['create_memory', { content: { text: 'x' } }, '`content` must be a string'],
  ['list_memories', { limit: 'ten' }, '`limit` must be a number'],
  ['list_memories', { limit: '0x10' }, '`limit` must be a number'],
  ['list_memories', { include_archived: 'maybe' }, '`include_archived` must be true or false'],
  ['list_memories', { tag: ['a'] }, 'Did you mean `tags`?'],
  [
    'search_memories',
    { query: 'x', search_type: 'fuzzy' },
    '`search_type` must be one of: semantic, keyword, hybrid',
  ],
  ['get_memory', { id: 'the heron' }, '`id` must be a UUID'],
  ['delete_memory', { id: '00000000-0000-7000-8000-000000000000', hrad: true }, 'Did you mean `hard`?'],
  [
    'plan_maintenance',
    { kind: 'forget', filters: 'old ones' },
    '`filters` must be an object of fields, such as',
  ],
])('%s with %j is refused with the form that is wanted', async (name, args, words) => {
  const result = await call(name, args)
  expect(result.isError).toBe(true)
  expect(textOf(result)).toContain(words)
})

test('a prompt takes a number and null as arguments', async () => {
  const args = { task: 2026, focus: null }
  const { result, error } = await ask(service, 'prompts/get', { name: 'recall_for_task', arguments: args })
  expect(JSON.stringify(result), JSON.stringify(error)).toContain('The task: 2026')
})
