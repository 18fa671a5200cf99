import { expect, test } from 'vitest'
import type { Context } from '../../src/context.ts'
import { toSelection } from '../../src/service/feed/selection.ts'
import { toDatabaseUnavailable } from '../../src/store/neo4j/failures.ts'
import { openEvents } from '../support/events.ts'
import { contextOf } from '../support/lifecycle.ts'
import { numbered, rememberIds } from '../support/seed.ts'
import { freshTenant, OPERATOR_KEY, startService, withService } from '../support/service.ts'

const service = withService({ settings: { SERVICE_FEED_STREAMS_PER_KEY: '5' } })

const write = async (client = service.client) => (await rememberIds(client, ['a note']))[0] as string

test('changes arrive as they are made, each under its kind and with its cursor as id', async () => {
  await write()
  await using stream = await openEvents(service)
  expect(stream.response.headers.get('content-type')).toBe('text/event-stream; charset=utf-8')
  const id = await write()
  await service.client.updateMemory({ id, importance: 1 })
  const events = await stream.take(2)
  expect(events.map(({ event, data }) => [event, data.memory_id, data.version])).toEqual([
    ['created', id, 1],
    ['updated', id, 2],
  ])
  for (const event of events) expect(event.id).toBe(event.data.cursor)
  expect((await service.client.listChanges({ memory_id: id })).changes).toEqual(
    events.map(({ data }) => data),
  )
})

test('who comes back with the last id, or a cursor, goes on where it left off', async () => {
  const first = await openEvents(service)
  const one = await write()
  await first.take(1)
  await first[Symbol.asyncDispose]()
  const [two, three] = [await write(), await write()]
  const resumed = { 'last-event-id': first.lastId() }
  await using second = await openEvents(service, { headers: resumed })
  expect((await second.take(2)).map(({ data }) => data.memory_id)).toEqual([two, three])
  const [created] = (await service.client.listChanges({ memory_id: one })).changes
  await using third = await openEvents(service, {
    path: `/events?after=${created?.cursor}&memory_ids=${three}`,
  })
  expect((await third.take(1)).map(({ data }) => data.memory_id)).toEqual([three])
  await using fourth = await openEvents(service, { path: `/events?after=${created?.cursor}&kinds=archived` })
  await service.client.deleteMemory({ id: one })
  expect((await fourth.take(1)).map(({ event, data }) => [event, data.memory_id])).toEqual([
    ['archived', one],
  ])
})

test('a follower far behind is brought up page by page, and what another process writes comes too', async () => {
  const { tenant, client } = service.newTenant()
  const { next_cursor } = await client.listChanges({ from: 'now' })
  const ids = await rememberIds(client, numbered(700))
  await using stream = await openEvents(service, { tenant, path: `/events?after=${next_cursor}` })
  expect((await stream.take(700)).map(({ data }) => data.memory_id)).toEqual(ids)
  await using other = await startService()
  const id = await write(other.clientOf(tenant))
  expect((await stream.take(1)).map(({ data }) => data.memory_id)).toEqual([id])
})

test('a follower that takes nothing for long reads again what was not kept for it, each change once', async () => {
  const tenant = freshTenant()
  const gone = new AbortController()
  const ctx = { ...contextOf(service, tenant), signal: gone.signal }
  const slow = service.app.feed.follow(ctx, toSelection({ kinds: ['created'] }))
  await slow.next()
  await using quick = await openEvents(service, { tenant })
  const notes = Array.from({ length: 1_200 }, (_, at) => `note ${at}`)
  const ids = await rememberIds(service.clientOf(tenant), notes)
  await quick.take(notes.length)
  const taken: unknown[] = []
  for await (const { changes } of slow) {
    taken.push(...changes.map(({ memory_id }) => memory_id))
    if (taken.length >= ids.length) break
  }
  expect(taken).toEqual(ids)
  gone.abort()
})

test('a stream ends when its key is revoked, and says so', async () => {
  const { id, key } = await service.client.createKey({ scopes: ['read'] })
  await using stream = await openEvents(service, { key })
  const note = await write()
  expect((await stream.take(1)).map(({ data }) => data.memory_id)).toEqual([note])
  await service.client.deleteKey({ id })
  expect(await stream.take(9)).toMatchObject([{ event: 'error', data: { code: 'unauthorized' } }])
})

test('while a key cannot be checked, its stream sends nothing', async () => {
  const gone = new AbortController()
  let asked = 0
  let answers = false
  const recheck = async () => {
    asked++
    if (!answers) throw toDatabaseUnavailable(new Error('as when the database is away'))
  }
  const { app, client, tenant } = service
  const ctx = { app, tenant, signal: gone.signal, recheck } as unknown as Context
  const stream = app.feed.follow(ctx, toSelection({}))
  await stream.next()
  let received: unknown
  const next = stream.next().then(({ value }) => {
    received = value
  })
  await expect.poll(() => asked).toBeGreaterThan(0)
  const id = await write(client)
  const since = asked
  await expect.poll(() => asked).toBeGreaterThan(since + 2)
  expect(received).toBeUndefined()
  answers = true
  await next
  expect(received).toMatchObject({ changes: [{ memory_id: id }] })
  gone.abort()
})

test('a key has a bound on open streams, and each that is closed makes room', async () => {
  const { key } = await service.client.createKey({ scopes: ['read'] })
  const streams = await Promise.all(Array.from({ length: 5 }, () => openEvents(service, { key })))
  await using sixth = await openEvents(service, { key })
  expect(sixth.response.status).toBe(429)
  expect(await sixth.response.json()).toMatchObject({ code: 'too_many_streams' })
  for (const stream of streams) await stream[Symbol.asyncDispose]()
  await expect
    .poll(async () => {
      await using again = await openEvents(service, { key })
      return again.response.status
    })
    .toBe(200)
})

test('nothing of another tenant comes, and a cursor of another is none', async () => {
  const other = freshTenant()
  const { next_cursor } = await service.clientOf(other).listChanges({})
  await using stream = await openEvents(service)
  const theirs = await write(service.clientOf(other))
  const mine = await write()
  const events = await stream.take(1)
  expect(events.map(({ data }) => data.memory_id)).toEqual([mine])
  expect(JSON.stringify(events)).not.toContain(theirs)
  await using foreign = await openEvents(service, { path: `/events?after=${next_cursor}` })
  expect(foreign.response.status).toBe(400)
  await using nobody = await openEvents(service, { key: `${OPERATOR_KEY}x` })
  expect(nobody.response.status).toBe(401)
})

test('when the service stops, streams end in good order', async () => {
  const stopping = await startService()
  await using stream = await openEvents(stopping)
  const rest = stream.take(1)
  await stopping[Symbol.asyncDispose]()
  expect(await rest).toEqual([])
})
