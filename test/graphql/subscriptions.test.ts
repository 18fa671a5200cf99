import { randomUUID } from 'node:crypto'
import { on, once } from 'node:events'
import { expect, onTestFinished, test, vi } from 'vitest'
import WebSocket from 'ws'
import { graphql, type Json } from '../support/graphql.ts'
import { remember, rememberIds } from '../support/seed.ts'
import { freshTenant, OPERATOR_KEY, startService, withService } from '../support/service.ts'
import { heardOf, listenTo } from '../support/statements.ts'
import { ways } from '../support/subscriptions.ts'

const service = withService()

const NESTED = `cursor kind version memory { content causes { content supports { content } } }
  connection { relationshipType source { content } target { content } }`

/** The next answers to a subscription, from where `after` says. */
async function answers(way: string, selection: string, { after, count = 1, variables = {}, key }: Options) {
  const client = ways[way]?.(service, key === undefined ? {} : { key })
  const from = after === undefined ? '' : `(after: "${after}")`
  const query =
    selection.includes('{') && /^(subscription|query|mutation|\{)/.test(selection)
      ? selection
      : `subscription { changes${from} { ${selection} } }`
  const found: Json[] = []
  try {
    for await (const answer of client?.iterate({ query, variables }) ?? []) {
      found.push(answer)
      if (found.length === count) break
    }
  } catch (errors) {
    // Over a websocket, a refusal is a list of errors.
    found.push({ errors })
  }
  client?.dispose()
  return found
}
type Options = { after?: string; count?: number; variables?: Record<string, unknown>; key?: string }

const now = async () => (await service.client.listChanges({ from: 'now' })).next_cursor
const way = Object.keys(ways)

test.each(way)('by %s changes come with what they are about, as deep as any read', async way => {
  const after = await now()
  const [one, two, three] = await rememberIds(service.client, ['one', 'two', 'three'])
  await service.client.createConnection({ source_id: two, target_id: one, relationship_type: 'caused_by' })
  await service.client.createConnection({ source_id: two, target_id: three, relationship_type: 'supports' })
  await service.client.deleteMemory({ id: three })
  const heard = listenTo(service)
  const found = await answers(way, NESTED, { after, count: 6 })
  expect(heardOf(service.tenant, heard)).not.toEqual([])
  expect(found.flatMap(({ errors = [] }) => errors)).toEqual([])
  const changes = found.map(({ data }) => data.changes)
  expect(changes[0]).toEqual({
    cursor: expect.any(String),
    kind: 'CREATED',
    version: 1,
    memory: { content: 'one', causes: [{ content: 'two', supports: [] }] },
    connection: null,
  })
  expect(changes[3]).toMatchObject({
    kind: 'CONNECTED',
    memory: null,
    connection: { source: { content: 'two' }, target: { content: 'one' } },
  })
  expect(changes[5]).toMatchObject({ kind: 'ARCHIVED', memory: null })
  const archived = await answers(
    way,
    `subscription @includeArchived { changes(after: "${changes[4].cursor}") { memory { content } } }`,
    {},
  )
  expect(archived[0]).toEqual({ data: { changes: { memory: { content: 'three' } } } })
})

test.each(way)('by %s a subscription returns writes after its start, filtered as requested', async way => {
  const client = ways[way]?.(service)
  const [one, two] = await rememberIds(service.client, ['one', 'two'])
  const after = await now()
  const found = client?.iterate({
    query:
      'subscription ($after: String, $ids: [ID!]) { changes(after: $after, kinds: [UPDATED], memoryIds: $ids) { memoryId version } }',
    variables: { after, ids: [two] },
  })
  const first = found?.next()
  await service.client.updateMemory({ id: one, importance: 1 })
  await service.client.updateMemory({ id: two, importance: 1 })
  expect((await first)?.value.data).toEqual({ changes: { memoryId: two, version: 2 } })
  client?.dispose()
})

test.each(way)('by %s a subscription returns nothing of another tenant', async way => {
  const other = freshTenant()
  const theirs = service.clientOf(other)
  const [secret] = await rememberIds(theirs, ['secret'])
  const [mine] = await rememberIds(service.client, ['mine'])
  const foreign = (await theirs.listChanges({})).next_cursor
  const [refused] = await answers(way, 'cursor', { after: foreign })
  expect(refused.errors[0].extensions.code).toBe('INVALID_CURSOR')
  const after = await now()
  await theirs.updateMemory({ id: secret, importance: 1 })
  await service.client.updateMemory({ id: mine, importance: 1 })
  for (const narrowed of ['', `, memoryIds: ["${secret}", "${mine}"]`]) {
    const asked = `subscription { changes(after: "${after}"${narrowed}) { memoryId } }`
    expect(await answers(way, asked, {})).toEqual([{ data: { changes: { memoryId: mine } } }])
  }
})

const refusedQueries: [string, string, string][] = [
  ['a query', '{ memories { id } }', 'BAD_REQUEST'],
  ['a mutation', 'mutation { createMemory(content: "x") { memory { id } } }', 'BAD_REQUEST'],
  ['nonsense', 'subscription {', 'GRAPHQL_PARSE_FAILED'],
  ['an unknown field', 'subscription { changes { nothing } }', 'GRAPHQL_VALIDATION_FAILED'],
  ['two at once', 'subscription { changes { kind } more: changes { kind } }', 'GRAPHQL_VALIDATION_FAILED'],
  [
    'one that is too deep',
    `subscription { changes { memory { ${'supports { '.repeat(17)} id ${'} '.repeat(17)} } } }`,
    'QUERY_TOO_LARGE',
  ],
  [
    'one with too many tokens',
    `subscription { changes { ${'kind '.repeat(3000)} } }`,
    'GRAPHQL_PARSE_FAILED',
  ],
  ['a bad cursor', 'subscription { changes(after: "x") { kind } }', 'INVALID_CURSOR'],
  [
    'too many ids',
    `subscription { changes(memoryIds: [${`"${'018f0000-0000-7000-8000-000000000000'}" `.repeat(101)}]) { kind } }`,
    'VALIDATION_FAILED',
  ],
]

test.each(
  way.flatMap(each => refusedQueries.map(([what, query, code]) => [each, what, query, code] as const)),
)('by %s %s is refused, and nothing is read', async (way, _what, query, code) => {
  await answers(way, '{ memories { id } }', {})
  const heard = listenTo(service)
  const [answer] = await answers(way, query, {})
  expect(answer.errors[0].extensions.code).toBe(code)
  expect(answer.errors[0].extensions.requestId).toBeTruthy()
  expect(heardOf(service.tenant, heard)).toEqual([])
})

test.each(way)('by %s null where a value is needed is a mistake of the caller', async way => {
  const query = 'subscription ($id: ID = "x") { changes(memoryIds: [$id]) { kind } }'
  const [answer] = await answers(way, query, { variables: { id: null } })
  expect(answer.errors[0].extensions.code).toBe('BAD_USER_INPUT')
})

test.each(way)('by %s a subscription ends when its key is revoked, and says so', async way => {
  const { id, key } = await service.client.createKey({ scopes: ['read'] })
  const after = await now()
  await remember(service.client, ['a note'])
  const client = ways[way]?.(service, { key })
  const found = client?.iterate({ query: `subscription { changes(after: "${after}") { kind } }` })
  expect((await found?.next())?.value.data.changes.kind).toBe('CREATED')
  await service.client.deleteKey({ id })
  expect((await found?.next())?.value.errors[0].extensions.code).toBe('UNAUTHORIZED')
  expect((await found?.next())?.done).toBe(true)
  client?.dispose()
})

test('a POST without a stream is answered with how to send a subscription', async () => {
  const { errors } = await graphql(service, 'subscription { changes { kind } }')
  expect(errors[0]).toMatchObject({ extensions: { code: 'BAD_REQUEST' } })
  expect(errors[0]?.message).toContain('text/event-stream')
})

const open = (headers: Record<string, string> = {}, path = '/graphql', { url } = service) =>
  new WebSocket(`${url.replace('http', 'ws')}${path}`, 'graphql-transport-ws', { headers })

/** A socket that says with which key it comes. */
async function knock(into = service, key = OPERATOR_KEY) {
  const tenant = key === OPERATOR_KEY ? { 'x-tenant-id': into.tenant } : {}
  const socket = open({ authorization: `Bearer ${key}`, ...tenant }, '/graphql', into)
  await once(socket, 'open')
  socket.send(JSON.stringify({ type: 'connection_init' }))
  return socket
}

/** A socket that has been let in. */
async function enter(into = service, key = OPERATOR_KEY) {
  const socket = await knock(into, key)
  const [message] = await once(socket, 'message')
  expect(JSON.parse(String(message)).type).toBe('connection_ack')
  return socket
}

/** Waits for an answer to a ping: what was sent before it has come by then. */
async function exchange(socket: WebSocket) {
  const messages = on(socket, 'message', { close: ['close'] })
  socket.send(JSON.stringify({ type: 'ping' }))
  for await (const [data] of messages) if (JSON.parse(String(data)).type === 'pong') return
}

const subscribe = (socket: WebSocket, id: string, query = 'subscription { changes { kind } }') =>
  socket.send(JSON.stringify({ type: 'subscribe', id, payload: { query } }))

const unsubscribe = (socket: WebSocket, id: string) => socket.send(JSON.stringify({ type: 'complete', id }))

/** Subscribes until the first answer, which it gives back. */
async function firstAnswer(socket: WebSocket, query: string): Promise<Json> {
  const id = randomUUID()
  const messages = on(socket, 'message', { close: ['close'] })
  subscribe(socket, id, query)
  for await (const [data] of messages) {
    const message = JSON.parse(String(data))
    if (message.id !== id) continue
    unsubscribe(socket, id)
    return message.payload
  }
}

test('a socket is opened at /graphql, from this origin or from no page, and needs a valid key', async () => {
  const status = async (socket: WebSocket) => {
    socket.on('error', () => {})
    const [, response] = await once(socket, 'unexpected-response')
    return (response as { statusCode: number }).statusCode
  }
  expect(await status(open({ origin: 'http://elsewhere.example' }))).toBe(403)
  expect(await status(open({}, '/elsewhere'))).toBe(404)
  const wrong = open({ origin: service.url })
  await once(wrong, 'open')
  wrong.send(JSON.stringify({ type: 'connection_init', payload: { authorization: 'Bearer wrong' } }))
  expect((await once(wrong, 'close'))[0]).toBe(4401)
  const right = open({ authorization: `Bearer ${OPERATOR_KEY}` })
  await once(right, 'open')
  right.send(JSON.stringify({ type: 'connection_init' }))
  expect(JSON.parse(String((await once(right, 'message'))[0])).type).toBe('connection_ack')
  right.send('x'.repeat(200_000))
  expect((await once(right, 'close'))[0]).toBe(1009)
})

test('a socket has a bound on subscriptions', async () => {
  const socket = await enter()
  for (let id = 1; id <= 21; id++) subscribe(socket, `${id}`)
  const refused = JSON.parse(String((await once(socket, 'message'))[0]))
  expect(refused).toMatchObject({
    type: 'error',
    payload: [{ extensions: { code: 'TOO_MANY_STREAMS' } }],
  })
  socket.close()
})

test('a key has a bound on sockets, whether or not they follow anything', async () => {
  await using narrow = await startService({ settings: { SERVICE_FEED_STREAMS_PER_KEY: '2' } })
  const [first, second] = [await enter(narrow), await enter(narrow)]
  const [code, reason] = await once(await knock(narrow), 'close')
  expect([code, String(reason)]).toEqual([1013, 'TOO_MANY_STREAMS'])
  const { key } = await narrow.client.createKey({ scopes: ['read'] })
  const other = await enter(narrow, key)
  first.close()
  await once(first, 'close')
  const again = await enter(narrow)
  for (const socket of [second, other, again]) socket.close()
})

test('a socket that follows nothing for a minute is closed, and one that follows something stays', async () => {
  vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval'] })
  onTestFinished(() => void vi.useRealTimers())
  const [idle, busy] = [await enter(), await enter()]
  subscribe(busy, 'one')
  const closed = once(idle, 'close')
  const alive = async (socket: WebSocket) => {
    await once(socket, 'ping')
    await exchange(socket)
  }
  for (let time = 1; time <= 4; time++) {
    const all = Promise.all([alive(idle), alive(busy)])
    vi.advanceTimersByTime(12_000)
    await all
  }
  vi.advanceTimersByTime(12_000)
  const [code, reason] = await closed
  expect([code, String(reason)]).toEqual([1000, 'IDLE'])
  await exchange(busy)
  expect(busy.readyState).toBe(WebSocket.OPEN)
  busy.close()
})

test('an app may unsubscribe and subscribe again on one socket as often as it likes', async () => {
  await using narrow = await startService({ settings: { SERVICE_FEED_STREAMS_PER_KEY: '2' } })
  const { next_cursor: after } = await narrow.client.listChanges({ from: 'now' })
  await remember(narrow.client, ['a note'])
  const query = `subscription { changes(after: "${after}") { kind } }`
  const socket = await enter(narrow)
  const again = () =>
    expect.poll(() => firstAnswer(socket, query)).toEqual({ data: { changes: { kind: 'CREATED' } } })
  for (let time = 1; time <= 5; time++) await again()
  for (let time = 1; time <= 5; time++) {
    subscribe(socket, `${time}`, query)
    unsubscribe(socket, `${time}`)
  }
  await again()
  socket.close()
})
