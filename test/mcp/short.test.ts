import { beforeAll, expect, test } from 'vitest'
import { estimateTokens } from '../../src/service/graph/context/tokens.ts'
import { ask } from '../support/mcp.ts'
import { OPERATOR_KEY, someMemory, withService } from '../support/service.ts'

/** What Claude Code takes of one answer; others take more. */
const HOST = 25_000

const service = withService()
let ids: string[]
const filler = 'Reeds grow along the canal, and the barges wait for the lock. '
beforeAll(async () => {
  const contents = Array.from(
    { length: 10 },
    (_, at) =>
      `Report ${at} of the lock keeper. ${filler.repeat(160)}The password hint of basin ${at} is turbine. ${filler.repeat(160)}`,
  )
  const { memories } = await service.client.createMemories({
    memories: contents.map(content => someMemory({ content, tags: ['canal'] })),
  })
  ids = memories.map(({ id }) => id)
  for (const [at, id] of ids.slice(1).entries())
    await service.client.createConnection({
      source_id: ids[at] as string,
      target_id: id,
      relationship_type: 'contradicts',
    })
})

type Result = { isError?: boolean; content: { text: string }[]; structuredContent: Record<string, unknown> }

async function call(name: string, args: object): Promise<Result & { text: string }> {
  const result = (await ask(service, 'tools/call', { name, arguments: args })).result as Result
  const text = result.content[0]?.text ?? ''
  expect(result.isError, text).toBeFalsy()
  return { ...result, text }
}

const calls: readonly [string, () => object, number][] = [
  ['search_memories', () => ({ query: 'turbine basin', search_type: 'hybrid', min_relevance: 0 }), 10],
  ['list_memories', () => ({ tags: ['canal'] }), 10],
  ['compose_context', () => ({ query: 'turbine basin', max_tokens: 16_000, min_relevance: 0 }), 1],
  ['related_memories', () => ({ id: ids[0], depth: 5 }), 5],
  ['find_path', () => ({ source_id: ids[0], target_id: ids[5] }), 6],
  ['list_conflicts', () => ({}), 10],
  ['list_connections', () => ({ limit: 100 }), 10],
  ['plan_maintenance', () => ({ kind: 'forget', filters: { tags: ['canal'] } }), 10],
  ['get_memory_history', () => ({ id: ids[0] }), 1],
  ['list_tags', () => ({}), 0],
  ['update_memory', () => ({ id: ids[0], importance: 0.7 }), 1],
  ['get_memory', () => ({ id: ids[0] }), 1],
  ['run_cypher', () => ({ query: 'MATCH (m:Memory) RETURN m.id AS id, m.content AS content' }), 10],
]

test.each(calls)('%s on memories of 20 kB is short in both forms, with ids', async (name, args, shown) => {
  const { text, structuredContent } = await call(name, args())
  const structured = JSON.stringify(structuredContent)
  for (const form of [text, structured]) {
    expect(estimateTokens(form)).toBeLessThan(name === 'compose_context' ? HOST : HOST / 2)
    expect(ids.filter(id => form.includes(id)).length).toBeGreaterThanOrEqual(shown)
  }
})

test('a passage of a search is the sentence that matches, and says that it is a part', async () => {
  const { text, structuredContent } = await call('search_memories', {
    query: 'turbine of basin 7',
    search_type: 'keyword',
    limit: 1,
  })
  const { results } = structuredContent as { results: { memory: Record<string, unknown> }[] }
  expect(results[0]?.memory).toMatchObject({
    passage: expect.stringContaining('The password hint of basin 7 is turbine.'),
    characters: expect.any(Number),
  })
  expect(results[0]?.memory).not.toHaveProperty('content')
  expect(text).toMatch(/hint of basin 7 is turbine\. … \(\d+ characters\)/)
})

test('a query in Cypher shows as many rows as one answer holds, and says that there are more', async () => {
  const query = `UNWIND range(1, 1000) AS n RETURN n, '${'深い記憶'.repeat(20)}' AS text`
  const { text, structuredContent } = await call('run_cypher', { query })
  const { rows, truncated } = structuredContent as { rows: object[]; truncated: boolean }
  expect(rows[0]).toMatchObject({ n: 1 })
  expect([rows.length < 1000, truncated]).toEqual([true, true])
  expect(text).toContain('There is more: use LIMIT')
  for (const form of [text, JSON.stringify(structuredContent)])
    expect(estimateTokens(form)).toBeLessThan(HOST / 2)
})

test('that there is more is said in both forms, and how to get it', async () => {
  const listed = await call('list_memories', { tags: ['canal'], limit: 3 })
  expect(listed.structuredContent).toMatchObject({ has_more: true, next_cursor: expect.any(String) })
  expect(listed.text).toContain(`There is more: cursor ${listed.structuredContent.next_cursor}`)
  const found = await call('search_memories', { query: 'canal', search_type: 'keyword', limit: 3 })
  expect(found.structuredContent).toMatchObject({ has_more: true, next_cursor: expect.any(String) })
  expect(found.text).toContain(`continue with cursor ${found.structuredContent.next_cursor}`)
})

test('get_memory alone returns a whole content, in parts if one answer cannot hold it', async () => {
  for (const content of [
    `${'深い記憶'.repeat(8_000)}`,
    `${'😀 '.repeat(15_000)}end`,
    `${'word '.repeat(19_000)}end`,
  ]) {
    const { id } = await service.client.createMemory(someMemory({ content }))
    const parts: string[] = []
    for (let start: number | undefined = 0; start !== undefined; ) {
      const { text, structuredContent } = await call('get_memory', { id, start, record_recall: false })
      expect(estimateTokens(JSON.stringify(structuredContent))).toBeLessThan(HOST / 2)
      const next = structuredContent.next_start as number | undefined
      if (next === undefined) expect(text).not.toContain('There is more')
      else expect(text).toContain(`Call get_memory again with start ${next}`)
      parts.push(structuredContent.content as string)
      start = next
    }
    expect(parts.length).toBeGreaterThan(1)
    expect(parts.join('')).toBe(content)
  }
})

test.each([
  ['😀 laughs', 1, '😀 laughs'],
  ['ab🦛🦛', 3, '🦛🦛'],
  ['ab🦛🦛', 4, '🦛'],
  ['🏳️‍🌈', 1, '🏳️‍🌈'],
  ['plain', 1, 'lain'],
])(
  'a part that starts inside a character starts with all of it: %s from %i',
  async (content, start, part) => {
    const { id } = await service.client.createMemory(someMemory({ content }))
    const { text, structuredContent } = await call('get_memory', { id, start, record_recall: false })
    expect(structuredContent.content).toBe(part)
    expect(text).toContain(part)
    expect(text.isWellFormed()).toBe(true)
  },
)

test('fifty results with long tags, sources and characters that are words stay within a host’s bound', async () => {
  const memories = Array.from({ length: 50 }, (_, at) =>
    someMemory({
      content: `${at} ${'水'.repeat(2_000)}`,
      tags: Array.from({ length: 50 }, (_each, tag) => `${'札'.repeat(90)}${tag}`),
      source: `https://example.com/${'x'.repeat(2_000)}`,
      session_id: `long-${'s'.repeat(190)}`,
      metadata: { note: 'n'.repeat(480) },
    }),
  )
  await service.client.createMemories({ memories })
  const session_id = memories[0]?.session_id
  const { text, structuredContent } = await call('list_memories', { session_id, limit: 50 })
  expect(structuredContent.memories).toHaveLength(50)
  for (const form of [text, JSON.stringify(structuredContent)])
    expect(estimateTokens(form)).toBeLessThan(HOST)
})

test('a list of tools, a call and a batch are answered whatever Accept says', async () => {
  const body = JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tools/list' })
  const answers = {
    '*/*': 'application/json',
    'application/json': 'application/json',
    'application/*': 'application/json',
    'text/event-stream': 'text/event-stream',
    'text/event-stream, application/json': 'text/event-stream',
    '': 'application/json',
  }
  for (const [accept, type] of Object.entries(answers)) {
    const response = await fetch(`${service.url}/mcp`, {
      method: 'POST',
      headers: { authorization: `Bearer ${OPERATOR_KEY}`, 'content-type': 'application/json', accept },
      body,
    })
    expect([accept, response.status, response.headers.get('content-type')]).toEqual([accept, 200, type])
    const text = await response.text()
    expect(type === 'application/json' ? JSON.parse(text).result.tools : text).toBeTruthy()
  }
})
