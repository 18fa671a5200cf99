import { expect, test } from 'vitest'
import type { Client } from '../../src/client.ts'
import type { Input } from '../../src/contract/index.ts'
import type { NewMemory } from '../../src/contract/memory.ts'
import { openEvents } from '../support/events.ts'
import type { Json } from '../support/graphql.ts'
import { idOf, remember, rememberIds } from '../support/seed.ts'
import { freshTenant, problemOf, someMemory, startService, withService } from '../support/service.ts'
import { ways } from '../support/subscriptions.ts'
import { startReceiver } from '../webhooks/receiver.ts'

const service = withService({
  settings: {
    SERVICE_WEBHOOK_NETWORKS: '127.0.0.0/8',
    SERVICE_FEED_STREAMS: '400',
    SERVICE_FEED_STREAMS_PER_KEY: '200',
  },
})

const CATS = 'kitten feline pet'
const matching = (at: number) => `cat kitten feline purr ${at}`
const other = (at: number) => `bread oven dough ${at}`

/** All that matches, page by page. */
async function matchesOf(client: Client, input: Input<'listChanges'>) {
  const found = []
  for (let { cursor } = input, more = true; more; ) {
    const page = await client.listChanges({ ...input, cursor })
    found.push(...page.changes)
    cursor = page.next_cursor
    more = page.has_more
  }
  return found
}

const eventsPath = (asked: Record<string, string>) => `/events?${new URLSearchParams(asked)}`

test('a standing search reports each new and changed memory that bears on it, and no other', async () => {
  const { client } = service.newTenant()
  const [one = '', two = '', three = ''] = (await remember(client, [matching(1), other(2), matching(3)])).map(
    idOf,
  )
  await client.updateMemory({ id: two, content: matching(2) })
  await client.updateMemory({ id: three, content: other(3) })
  await client.createConnection({ source_id: one, target_id: two })
  const found = await matchesOf(client, { matches: CATS })
  expect(found.map(({ kind, memory_id }) => [kind, memory_id])).toEqual([
    ['created', one],
    ['updated', two],
  ])
  for (const { relevance } of found) expect(relevance).toBeGreaterThanOrEqual(0.5)
  const search = await client.searchMemories({ query: CATS, search_type: 'semantic', record_recall: false })
  const relevance = search.results.find(({ memory }) => memory.id === one)?.relevance as number
  expect(found[0]?.relevance).toBeCloseTo(relevance, 2)
  expect((await client.listChanges({})).changes.every(change => change.relevance === null)).toBe(true)
})

test('a memory whose vector comes late is reported once, when it can be compared', async () => {
  const { tenant, client } = service.newTenant()
  await using stream = await openEvents(service, { tenant, path: eventsPath({ matches: CATS }) })
  service.embeddings.fail({ status: 503 })
  const { id } = await client.createMemory(someMemory({ content: matching(1) }))
  service.embeddings.recover()
  expect(await matchesOf(client, { matches: CATS, kinds: ['created'] })).toEqual([])
  await service.cypher('MATCH (j:Job {tenant: $of}) SET j.runAt = datetime()', { of: tenant })
  await service.drain(tenant)
  const expected = [expect.objectContaining({ kind: 'embedded', memory_id: id, version: 1 })]
  expect(await matchesOf(client, { matches: CATS, kinds: ['created'] })).toEqual(expected)
  expect((await stream.take(1)).map(({ data }) => data)).toEqual(expected)
  expect((await client.listChanges({})).changes.map(({ kind }) => kind)).toEqual(['created'])
  const { version } = await client.updateMemory({ id, importance: 0.9 })
  expect((await stream.take(1)).map(({ data }) => [data.kind, data.version])).toEqual([['updated', version]])
})

test('while others write, each of many searches has each match exactly once, and goes on after a break', async () => {
  const { tenant, client } = service.newTenant()
  const { next_cursor: start } = await client.listChanges({ from: 'now' })
  const path = eventsPath({ matches: CATS, after: start })
  const streams = await Promise.all(Array.from({ length: 40 }, () => openEvents(service, { tenant, path })))
  const broken = await openEvents(service, { tenant, path })
  const expected = new Set<string>()
  const write = async (lane: number) => {
    for (let at = 0; at < 10; at++) {
      const [hit] = await rememberIds(client, [matching(lane * 100 + at), other(lane * 100 + at)])
      expected.add(hit as string)
    }
  }
  const writing = Promise.all([1, 2, 3, 4].map(write))
  const before = (await broken.take(7)).map(({ data }) => data.memory_id)
  const resumed = broken.lastId()
  await broken[Symbol.asyncDispose]()
  await writing
  await using again = await openEvents(service, { tenant, path, headers: { 'last-event-id': resumed } })
  const after = (await again.take(expected.size - before.length)).map(({ data }) => data.memory_id)
  const seen = await Promise.all(streams.map(stream => stream.take(expected.size)))
  const all = [...expected].toSorted()
  expect([...before, ...after].toSorted()).toEqual(all)
  for (const events of seen) expect(events.map(({ data }) => data.memory_id).toSorted()).toEqual(all)
  for (const stream of streams) await stream[Symbol.asyncDispose]()
})

test.each(Object.keys(ways))('by %s a match comes with its memory', async way => {
  const { tenant, client } = service.newTenant()
  const { next_cursor: after } = await client.listChanges({ from: 'now' })
  await remember(client, [{ content: matching(1), tags: ['mine'] }, matching(2), other(3)])
  await remember(service.clientOf(freshTenant()), [matching(4)])
  await remember(client, [{ content: matching(5), tags: ['mine'] }])
  const query = `subscription ($after: String) {
    memoryMatches(query: "${CATS}", filters: { tags: ["mine"] }, after: $after) { kind cursor relevance memory { content } }
  }`
  const subscriber = ways[way]?.(service, { tenant })
  const found: Json[] = []
  for await (const answer of subscriber?.iterate({ query, variables: { after } }) ?? []) {
    expect(answer.errors).toBeUndefined()
    found.push(answer.data.memoryMatches)
    if (found.length === 2) break
  }
  subscriber?.dispose()
  expect(found).toEqual(
    [1, 5].map(at => ({
      kind: 'CREATED',
      cursor: expect.any(String),
      relevance: expect.any(Number),
      memory: { content: matching(at) },
    })),
  )
})

test('a webhook with a question sends the matches alone, and waits for a provider that is down', async () => {
  await using receiver = await startReceiver()
  const { tenant, client } = service.newTenant()
  const webhook = await client.createWebhook({ url: receiver.url, matches: CATS, min_relevance: 0.6 })
  expect(webhook).toMatchObject({ matches: CATS, min_relevance: 0.6 })
  receiver.trust(webhook.secret)
  const [hit] = await rememberIds(client, [matching(1), other(2)])
  // A process that has not asked the question before.
  await using worker = await startService({ settings: { SERVICE_WEBHOOK_NETWORKS: '127.0.0.0/8' } })
  worker.embeddings.fail({ status: 503 })
  await worker.webhooks.runOnceOf(tenant)
  expect(receiver.received).toEqual([])
  expect((await client.listWebhooks()).webhooks).toMatchObject([{ last_error: null, paused_until: null }])
  worker.embeddings.recover()
  await service.webhooks.runOnceOf(tenant)
  await expect
    .poll(async () => {
      await service.cypher('MATCH (w:Webhook {id: $id}) SET w.nextAt = datetime()', { id: webhook.id })
      while ((await service.webhooks.runOnceOf(tenant)) > 0);
      return receiver.received.map(({ message: { data } }) => data.memory_id)
    })
    .toEqual([hit])
  const { webhooks } = await client.exportRecords({ tenant })
  expect(webhooks).toMatchObject([{ matches: CATS, min_relevance: 0.6 }])
})

test('a stream passes the filters that a list passes', async () => {
  const { tenant, client } = service.newTenant()
  const pick = <Value>(values: readonly Value[], at: number) => values[at % values.length] as Value
  const rows = Array.from(
    { length: 60 },
    (_, at): Partial<NewMemory> => ({
      content: `row ${at}`,
      policy: pick(['short_term', 'long_term'], at),
      tags: pick([[], ['a'], ['b'], ['a', 'b']], Math.floor(at / 2)),
      importance: pick([0.2, 0.5, 0.8], at),
      ...pick([{}, { source: 'x' }, { source: 'x', session_id: 's' }, { kind: 'fact' }], at),
      metadata: pick([{}, { n: 1 }, { n: '1', ok: true }], at),
      ...pick([{}, {}, { valid_until: '2020-01-01T00:00:00Z' }, { valid_from: '2999-01-01T00:00:00Z' }], at),
    }),
  )
  const created = await remember(client, rows)
  const middle = created[30]?.created_at as string
  const filters: NonNullable<Input<'listChanges'>['filters']>[] = [
    { policy: 'long_term' },
    { tags: ['a'] },
    { tags: ['a', 'b'], tags_match: 'any' },
    { tags: ['a'], tags_match: 'none' },
    { tags: [] },
    { min_importance: 0.5, max_importance: 0.5 },
    { created_after: middle },
    { created_before: middle, updated_after: created[3]?.updated_at as string },
    { source: 'x', session_id: 's' },
    { kind: 'fact', metadata: { n: 1 } },
    { metadata: { n: '1', ok: true } },
    { valid_at: 'now' },
    { valid_at: '2019-06-01T00:00:00Z' },
    { any: [{ tags: ['b'] }, { source: 'x' }], none: [{ policy: 'long_term' }, { metadata: { n: 1 } }] },
  ]
  for (const each of filters) {
    const listed: string[] = []
    for (let cursor: string | undefined, more = true; more; ) {
      const page = await client.listMemories({ limit: 200, valid_at: 'any', ...each, cursor })
      listed.push(...page.memories.map(idOf))
      cursor = page.next_cursor ?? undefined
      more = page.has_more
    }
    const found = await matchesOf(client, { filters: each })
    expect(found.map(({ memory_id }) => memory_id).toSorted(), JSON.stringify(each)).toEqual(
      listed.toSorted(),
    )
  }
  const filter = { tags: ['a', 'b'], none: [{ source: 'x' }] }
  const wanted = await matchesOf(client, { filters: filter })
  const start = (await client.listChanges({ limit: 1 })).changes[0]?.cursor
  const path = eventsPath({ after: start as string, filters: JSON.stringify(filter) })
  await using stream = await openEvents(service, { tenant, path })
  expect((await stream.take(wanted.length)).map(({ data }) => data)).toEqual(wanted)
})

test('nothing of another tenant matches', async () => {
  const [mine, theirs] = [freshTenant(), freshTenant()]
  await using stream = await openEvents(service, { tenant: mine, path: eventsPath({ matches: CATS }) })
  await remember(service.clientOf(theirs), [matching(1)])
  const [own] = await rememberIds(service.clientOf(mine), [matching(2)])
  expect((await stream.take(1)).map(({ data }) => data.memory_id)).toEqual([own])
  expect(await matchesOf(service.clientOf(mine), { matches: CATS })).toHaveLength(1)
})

test('a question that cannot be asked is refused, and so is a bound without a question', async () => {
  expect(await problemOf(service.client.listChanges({ min_relevance: 0.5 }))).toMatchObject({
    code: 'validation_failed',
    pointers: ['/min_relevance'],
  })
  service.embeddings.fail({ status: 503 })
  const asked = { matches: `never asked before ${freshTenant()}` }
  expect(await problemOf(service.client.listChanges(asked))).toMatchObject({ code: 'embedding_unavailable' })
  await using stream = await openEvents(service, { path: eventsPath(asked) })
  expect(stream.response.status).toBe(503)
  service.embeddings.recover()
})

test('more streams with a key are open together than connections without one may be', async () => {
  await using many = await startService({
    settings: { SERVICE_FEED_STREAMS: '1000', SERVICE_FEED_STREAMS_PER_KEY: '1000' },
  })
  await using open = new AsyncDisposableStack()
  const streams: Awaited<ReturnType<typeof openEvents>>[] = []
  for (let at = 0; at < 300; at += 20)
    streams.push(
      ...(await Promise.all(
        Array.from({ length: 20 }, async () => open.use(await openEvents(many, { path: '/events' }))),
      )),
    )
  expect(streams.filter(({ response }) => response.status !== 200)).toEqual([])
  const [id] = await rememberIds(many.client, [matching(1)])
  for (const stream of streams) expect((await stream.take(1)).map(({ data }) => data.memory_id)).toEqual([id])
})
