import { expect, test } from 'vitest'
import type { Output } from '../../src/contract/index.ts'
import { ask } from '../support/mcp.ts'
import { remember, rememberIds } from '../support/seed.ts'
import { withService } from '../support/service.ts'

const service = withService()

type Context = Pick<Output<'composeContext'>, 'text' | 'tokens' | 'left_out' | 'degraded'> & {
  sources: object[]
}

/** What a tool says to an agent that reads the text alone. */
async function say(name: string, args: object = {}): Promise<string> {
  const { result } = await ask(service, 'tools/call', { name, arguments: args })
  return (result as { content: { text: string }[] }).content[0]?.text ?? ''
}

/** A context as the tool gives it, and the text in which an agent reads it. */
async function compose(query: string, args: object = {}): Promise<{ context: Context; said: string }> {
  const { result } = await ask(service, 'tools/call', {
    name: 'compose_context',
    arguments: { query, ...args },
  })
  const { structuredContent, content } = result as { structuredContent: Context; content: { text: string }[] }
  return { context: structuredContent, said: content[0]?.text ?? '' }
}

async function recallFor(task: string): Promise<string> {
  const { result } = await ask(service, 'prompts/get', { name: 'recall_for_task', arguments: { task } })
  const { messages } = result as { messages: { content: { text: string } }[] }
  return messages[0]?.content.text ?? ''
}

test('no tool and no resource speaks of how a field is written in a query or a header', async () => {
  const tools = await ask(service, 'tools/list', {})
  const model = await ask(service, 'resources/read', { uri: 'memory://graph-model' })
  for (const { result } of [tools, model]) {
    expect(result).toBeDefined()
    expect(JSON.stringify(result)).not.toMatch(/comma|parameter|etag|header|=true/i)
  }
})

test('connections are listed newest first, and the text says what is left out', async () => {
  const [one, two] = await rememberIds(service.client, ['The door is shut', 'The key is lost'])
  await service.client.createConnection({ source_id: one, target_id: two, relationship_type: 'caused_by' })
  await service.client.createConnection({ source_id: two, target_id: one, strength: 0.5 })
  const [older, newer] = [`${one} caused_by ${two}`, `${two} related_to ${one} (0.5)`]
  const [first, more = ''] = (await say('list_connections', { limit: 1 })).split('\n')
  const [, cursor] = /^There is more: 2 in all, continue with cursor (\S+)\.$/.exec(more) ?? []
  expect(first).toBe(newer)
  expect(await say('list_connections', { limit: 1, cursor })).toBe(older)
  expect(await say('list_connections', { limit: 1, offset: 1 })).toBe(older)
  expect(await say('list_connections', { target_id: two })).toBe(older)
  expect(await say('list_connections', { origin: 'discovered' })).toBe('Nothing found.')
})

test('what is remembered is counted in words', async () => {
  await remember(service.client, [{ content: 'The lamp is lit', policy: 'pinned' }])
  const { memories, connections, queue } = await service.client.getStats({})
  const said = await say('get_stats')
  expect(said).toContain(`memories: ${memories.total} (${memories.by_state.active} active, `)
  expect(said).toContain(`${memories.by_policy.pinned} pinned`)
  expect(said).toContain(`connections: ${connections.total} (`)
  expect(said).toContain(`queue: ${queue.depth} waiting, 0 failed`)
})

test('a complete context is returned as it is', async () => {
  await remember(service.client, [{ content: 'The kettle is red', tags: ['kettle'] }])
  const { context, said } = await compose('kettle', { tags: ['kettle'] })
  expect(context.sources).toHaveLength(1)
  expect(said).toBe(context.text)
})

test('a context for which there was no room says how much is missing, beyond its budget', async () => {
  const long = 'stripes run over the plain '.repeat(40)
  await remember(
    service.client,
    Array.from({ length: 20 }, (_, at) => ({ content: `zebra ${at} ${long}`, tags: ['zebra'] })),
  )
  const { context, said } = await compose('zebra', { tags: ['zebra'], max_tokens: 1_000, min_relevance: 0 })
  expect(context.left_out).toBeGreaterThan(0)
  expect(context.tokens).toBeLessThanOrEqual(1_000)
  const remark = `${context.left_out} more did not fit: raise max_tokens, or narrow the question.`
  expect(said).toBe(`${context.text}\n${remark}`)
  expect(await recallFor('zebra: stripes run over the plain')).toMatch(
    /\n\d+ more did not fit: raise max_tokens, or narrow the question\.\n/,
  )
})

test('while the provider is down no answer claims that nothing is remembered', async () => {
  await remember(service.client, ['A kitten lives here'])
  service.embeddings.fail({ status: 503 })
  const unsure =
    'Nothing is remembered about this.\nSearched by words alone: the embedding provider gives no vector.'
  const { context, said } = await compose('feline')
  expect(context).toMatchObject({ degraded: true, sources: [] })
  expect(said).toBe(unsure)
  expect(await recallFor('Feed the feline')).toContain(`\n${unsure}\n`)
})

test('a memory that an agent stores without a policy is long_term and has no time limit', async () => {
  const names = ['create_memory', 'create_memories']
  const fields = { content: 'The attic is dry' }
  for (const name of names) {
    const args = name === 'create_memory' ? fields : { memories: [fields] }
    const { result } = await ask(service, 'tools/call', { name, arguments: args })
    const made = result?.structuredContent as { id: string; memories?: { id: string }[] }
    const { id } = made.memories?.[0] ?? made
    expect(await service.client.getMemory({ id })).toMatchObject({ policy: 'long_term', ttl_seconds: 0 })
  }
})
