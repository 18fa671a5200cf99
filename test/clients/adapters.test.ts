import { createOpenAICompatible } from '@ai-sdk/openai-compatible'
import { type BaseStore, InMemoryStore } from '@langchain/langgraph-checkpoint'
import { generateText, stepCountIs } from 'ai'
import { expect, test } from 'vitest'
import { memoryTools } from '../../clients/typescript/src/ai-sdk.ts'
import { MemoryRetriever } from '../../clients/typescript/src/langchain.ts'
import { MemoryStore } from '../../clients/typescript/src/langgraph.ts'
import { type Reply, startModel } from '../support/scripted-model.ts'
import { remember } from '../support/seed.ts'
import { freshTenant, withService } from '../support/service.ts'

const service = withService()
const modelAt = (baseURL: string) => createOpenAICompatible({ name: 'scripted', baseURL })('scripted')

test('an agent of the AI SDK stores a memory in one conversation and recalls it in the next', async () => {
  const client = service.clientOf(freshTenant())
  const tools = memoryTools(client)
  const talk = async (script: readonly Reply[], prompt: string) => {
    await using scripted = await startModel(script)
    const model = modelAt(scripted.url)
    const { text } = await generateText({ model, tools, prompt, stopWhen: stepCountIs(5) })
    return { text, requests: scripted.requests }
  }
  const content = 'Ben books the train'
  const first = await talk(
    [{ tool: ['create_memory', { content }] }, { text: 'Noted.' }],
    'Remember that Ben books the train.',
  )
  expect(first.text).toBe('Noted.')
  expect(first.requests[0]?.tools.map(({ function: { name } }) => name)).toEqual([
    'compose_context',
    'create_memory',
    'search_memories',
    'update_memory',
  ])
  const second = await talk(
    [{ tool: ['compose_context', { query: 'Who books the train?' }] }, { text: 'Ben does.' }],
    'Who books the train?',
  )
  const answer = second.requests[1]?.messages.find(({ role }) => role === 'tool')
  expect(answer?.content).toContain(content)
  expect((await client.listMemories({})).memories).toMatchObject([{ content, policy: 'long_term' }])
})

test('the model learns why the service refuses a call, and other operations can be offered', async () => {
  const client = service.clientOf(freshTenant())
  const tools = memoryTools(client, { operations: ['getMemory', 'deleteMemory'] })
  expect(Object.keys(tools)).toEqual(['get_memory', 'delete_memory'])
  const missing = { id: '01a20fd7-9383-7200-98b6-dec6ba2db832' }
  await using scripted = await startModel([{ tool: ['get_memory', missing] }, { text: 'There is none.' }])
  const model = modelAt(scripted.url)
  await generateText({ model, tools, prompt: 'Read it.', stopWhen: stepCountIs(3) })
  const answer = scripted.requests[1]?.messages.find(({ role }) => role === 'tool')
  expect(answer?.content).toContain('Memory not found')
})

test('a retriever of LangChain answers documents with content, id, score and metadata, and filters', async () => {
  const client = service.clientOf(freshTenant())
  const [cat] = await remember(client, [
    { content: 'a cat on the windowsill', tags: ['pets'], metadata: { room: 'kitchen' } },
    { content: 'a cat in the garden' },
  ])
  const retriever = new MemoryRetriever({ client, search: { limit: 5, tags: ['pets'] } })
  const documents = await retriever.invoke('cat')
  expect(documents).toMatchObject([
    {
      id: cat?.id,
      pageContent: 'a cat on the windowsill',
      metadata: { tags: ['pets'], metadata: { room: 'kitchen' }, score: expect.any(Number) },
    },
  ])
  const piped = retriever.pipe(found => found.map(({ pageContent }) => pageContent).join('\n'))
  expect(await piped.invoke('windowsill')).toBe('a cat on the windowsill')
})

test('a store of LangGraph does what the one in memory of the library does', async () => {
  const mine = new MemoryStore({ client: service.clientOf(freshTenant()) })
  const reference = new InMemoryStore()
  const namespaces = [['users', 'ada', 'facts'], ['users', 'ada'], ['users', 'ben', 'facts'], ['shared']]
  const both = async <Result>(act: (store: BaseStore) => Promise<Result>) => {
    const [given, expected] = [await act(mine), await act(reference)]
    expect(plain(given)).toEqual(plain(expected))
  }
  for (const [at, namespace] of namespaces.entries())
    for (const key of ['a', 'b', 'c'])
      await both(store =>
        store.put(namespace, key, { text: `${key} of ${namespace.at(-1)}`, level: at, deep: { at } }),
      )
  await both(store => store.put(['users', 'ada'], 'a', { text: 'changed', level: 7 }))
  await both(store => store.delete(['users', 'ben', 'facts'], 'b'))
  await both(store => store.delete(['users', 'ben', 'facts'], 'never there'))
  for (const namespace of [...namespaces, ['nobody']])
    for (const key of ['a', 'b']) await both(store => store.get(namespace, key))
  for (const prefix of [[], ['users'], ['users', 'ada'], ['shared'], ['user']])
    for (const filter of [
      undefined,
      { level: 7 },
      { level: { $gte: 1, $lt: 7 } },
      { level: { $ne: 0 } },
      { level: { $in: [1, 7] } },
      { level: { $nin: [1, 7] } },
    ])
      await both(async store => byName(await store.search(prefix, { limit: 50, ...(filter && { filter }) })))
  await both(store => store.search(['shared'], { limit: 1, offset: 1 }))
  for (const options of [
    {},
    { prefix: ['users'] },
    { suffix: ['facts'] },
    { maxDepth: 2 },
    { prefix: ['users', '*', 'facts'] },
    { limit: 1, offset: 1 },
  ])
    await both(store => store.listNamespaces(options))
  await both(store =>
    store
      .batch([
        { namespace: ['shared'], key: 'a' },
        { namespace: ['shared'], key: 'a', value: { text: 'first' } },
        { namespace: ['shared'], key: 'a', value: { text: 'last' } },
      ])
      .then(results => results.length),
  )
  await both(store => store.get(['shared'], 'a'))
})

test('a search of a LangGraph store with a query finds by words and meaning, within its prefix', async () => {
  const store = new MemoryStore({ client: service.clientOf(freshTenant()), policy: 'short_term' })
  await store.put(['users', 'ada'], 'pet', { text: 'Ada has a cat named Turing' })
  await store.put(['users', 'ben'], 'pet', { text: 'Ben has a cat named Alan' })
  const found = await store.search(['users', 'ada'], { query: 'cat' })
  expect(found).toMatchObject([
    {
      key: 'pet',
      namespace: ['users', 'ada'],
      value: { text: 'Ada has a cat named Turing' },
      score: expect.any(Number),
    },
  ])
  expect(found[0]?.createdAt).toBeInstanceOf(Date)
})

test('a store of LangGraph takes long namespaces and keys, and every character', async () => {
  const client = service.clientOf(freshTenant())
  const [store, reference] = [new MemoryStore({ client }), new InMemoryStore()]
  const long = Array.from({ length: 8 }, (_, at) => `${at}`.repeat(36))
  const deep = Array.from({ length: 60 }, (_, at) => `level ${at}`)
  const places = [long, long.slice(0, 3), long.slice(0, 7), deep, ['100%', ' a b ', 'Müller', '日本語']]
  const keys = ['', 'k', 'a key: #1', 'k'.repeat(700), '#'.padEnd(65, 'a')]
  for (const each of [store, reference])
    for (const place of places) for (const key of keys) await each.put(place, key, { at: place[0], key })
  for (const place of places)
    for (const key of keys)
      expect(plain(await store.get(place, key))).toEqual(plain(await reference.get(place, key)))
  for (const prefix of [[], long.slice(0, 2), long.slice(0, 7), deep.slice(0, 55), ['100%']])
    expect(plain(byName(await store.search(prefix, { limit: 100 })))).toEqual(
      plain(byName(await reference.search(prefix, { limit: 100 }))),
    )
  expect((await store.listNamespaces({})).map(String).sort()).toEqual(
    (await reference.listNamespaces({})).map(String).sort(),
  )
  await store.delete(long, 'k'.repeat(700))
  expect(await store.get(long, 'k'.repeat(700))).toBeNull()
  expect(await store.search(long, { limit: 100 })).toHaveLength(keys.length - 1)
})

test('filters of a LangGraph store compare times, nested objects and lists, and refuse unknown operators', async () => {
  const store = new MemoryStore({ client: service.clientOf(freshTenant()) })
  const [early, late] = [new Date('2026-01-01T00:00:00Z'), new Date('2026-06-01T00:00:00Z')]
  await store.put(['a'], 'one', { at: early, who: { name: 'Ada', age: 36 }, tags: ['x', 'y'] })
  await store.put(['a'], 'two', { at: late, who: { name: 'Ben' }, tags: ['x'] })
  const keysOf = async (filter: Record<string, unknown>) =>
    (await store.search(['a'], { filter })).map(({ key }) => key)
  expect(await keysOf({ at: { $gt: early } })).toEqual(['two'])
  expect(await keysOf({ at: { $lte: '2026-01-01T01:00:00+01:00' } })).toEqual(['one'])
  expect(await keysOf({ who: { name: 'Ada' } })).toEqual(['one'])
  expect(await keysOf({ tags: ['x'] })).toEqual(['two'])
  expect(await keysOf({ missing: { $gt: 1 } })).toEqual([])
  await expect(keysOf({ at: { $regex: 'x' } })).rejects.toThrow(
    'Unsupported operator: $regex. Use one of: $eq',
  )
})

test('an item of a LangGraph store that is not indexed is found last, and one that was edited by hand is left out', async () => {
  const client = service.clientOf(freshTenant())
  const store = new MemoryStore({ client })
  await store.put(['a'], 'quiet', { text: 'Ada has a cat' }, false)
  await store.put(['a'], 'loud', { text: 'A cat' })
  await store.put(['a'], 'edited', { text: 'A cat' })
  const [edited] = (await client.listMemories({ metadata: { key: 'edited' } })).memories
  await client.updateMemory({ id: edited?.id as string, content: 'a cat, said Ada' })
  const found = await store.search(['a'], { query: 'Ada has a cat' })
  expect(found.map(({ key, score }) => [key, score === undefined])).toEqual([
    ['loud', false],
    ['quiet', true],
  ])
  expect(await store.get(['a'], 'edited')).toBeNull()
})

type Named = { namespace: string[]; key: string }
const byName = (items: readonly Named[]) =>
  items.toSorted((a, b) => ([...a.namespace, a.key].join() < [...b.namespace, b.key].join() ? -1 : 1))

/** Without the times, which are those of two stores. */
const plain = (value: unknown) =>
  JSON.parse(
    JSON.stringify(value ?? null, (name, each) => (/^(createdAt|updatedAt)$/.test(name) ? undefined : each)),
  )
