import neo4j from 'neo4j-driver'
import { expect, inject, test } from 'vitest'
import type { Client } from '../../src/client.ts'
import type { Change } from '../../src/contract/changes.ts'
import { runScheduledMaintenance } from '../../src/service/lifecycle/scheduled.ts'
import { contextOf } from '../support/lifecycle.ts'
import { remember, rememberIds } from '../support/seed.ts'
import { freshTenant, problemOf, someMemory, withService } from '../support/service.ts'

const service = withService()

/** All that follows a cursor, page by page. */
async function follow(client: Client, from?: string, limit = 7): Promise<{ changes: Change[]; end: string }> {
  const changes: Change[] = []
  for (let cursor = from; ; ) {
    const page = await client.listChanges({ limit, ...(cursor === undefined ? {} : { cursor }) })
    changes.push(...page.changes)
    cursor = page.next_cursor
    if (!page.has_more) return { changes, end: cursor }
  }
}

const versions = (changes: readonly Change[]) => {
  const byMemory = Map.groupBy(changes, ({ memory_id }) => memory_id)
  return [...byMemory.values()].map(each => each.map(({ version }) => version))
}

test('a reader that follows the cursors during writes gets each change once, and those of a memory in order', async () => {
  const { client } = service.newTenant()
  let cursor: string | undefined
  const seen: Change[] = []
  const look = async () => {
    const { changes, end } = await follow(client, cursor)
    seen.push(...changes)
    cursor = end
  }
  const writers = Array.from({ length: 4 }, async () => {
    for (let at = 0; at < 3; at++) {
      const [one] = await rememberIds(client, ['x', 'y'])
      await client.updateMemory({ id: one, importance: 1 })
      await client.deleteMemory({ id: one })
    }
  })
  let writing = true
  const written = Promise.all(writers).finally(() => {
    writing = false
  })
  while (writing) await look()
  await written
  await look()
  expect(seen).toHaveLength(4 * 3 * 4)
  expect(new Set(seen.map(({ cursor: place }) => place)).size).toBe(seen.length)
  for (const each of versions(seen)) expect(each).toEqual([1, 2, 3].slice(0, each.length))
  expect((await follow(client, undefined, 500)).changes).toEqual(seen)
})

test('what is committed late comes late, and is not passed over', async () => {
  const { tenant, client } = service.newTenant()
  const { uri, username, password, database } = inject('neo4j')
  await using driver = neo4j.driver(uri, neo4j.auth.basic(username, password))
  await using session = driver.session({ database })
  const late = await session.beginTransaction()
  await late.run(
    `CREATE (:Change {tenant: $tenant, unnumbered: $tenant, kind: 'removed', memoryId: '018f0000-0000-7000-8000-000000000000', at: datetime.realtime('Z')})`,
    { tenant },
  )
  const { id } = await client.createMemory(someMemory())
  const first = await client.listChanges({})
  await late.commit()
  const second = await client.listChanges({ cursor: first.next_cursor })
  expect(first.changes.map(({ kind, memory_id }) => [kind, memory_id])).toEqual([['created', id]])
  expect(second.changes.map(({ kind }) => kind)).toEqual(['removed'])
  expect(String(second.changes[0]?.at) <= String(first.changes[0]?.at)).toBe(true)
})

test('the history of a memory, and kinds, narrow what is answered and not where it goes on', async () => {
  const { client } = service.newTenant()
  const [one, two] = await rememberIds(client, ['one', 'two'])
  await client.createConnection({ source_id: one, target_id: two })
  await client.updateMemory({ id: two, importance: 1 })
  const kinds = (changes: readonly Change[]) => changes.map(({ kind }) => kind)
  expect(kinds((await client.listChanges({ memory_id: two })).changes)).toEqual([
    'created',
    'connected',
    'updated',
  ])
  expect(kinds((await client.listChanges({ memory_id: one })).changes)).toEqual(['created', 'connected'])
  const page = await client.listChanges({ memory_id: two, limit: 1 })
  expect(page.has_more).toBe(true)
  const rest = await client.listChanges({ memory_id: two, cursor: page.next_cursor })
  expect(kinds(rest.changes)).toEqual(['connected', 'updated'])
  const updates = await client.listChanges({ kinds: ['updated', 'archived'] })
  expect(kinds(updates.changes)).toEqual(['updated'])
  expect((await client.listChanges({ cursor: updates.next_cursor })).changes).toEqual([])
  expect((await client.listChanges({ from: 'now' })).next_cursor).toBe(updates.next_cursor)
})

test('a cursor is good for its own tenant, as it was given', async () => {
  const { next_cursor: cursor } = await service.client.listChanges({})
  const other = service.clientOf(freshTenant())
  expect(await problemOf(other.listChanges({ cursor }))).toMatchObject({
    status: 400,
    code: 'invalid_cursor',
  })
  const altered = `${Buffer.from('{"key":9,"id":""}').toString('base64url')}.${cursor.split('.')[1]}`
  expect(await problemOf(service.client.listChanges({ cursor: altered }))).toMatchObject({
    code: 'invalid_cursor',
  })
  for (const cursor of ['', 'x'.repeat(600)])
    expect(await problemOf(service.client.listChanges({ cursor }))).toMatchObject({ code: 'invalid_cursor' })
  const both = service.client.listChanges({ cursor, from: 'now' })
  expect(await problemOf(both)).toMatchObject({ status: 422, pointers: ['/from'] })
})

test('maintenance deletes old changes, and readers behind them get an error', async () => {
  const { seconds, old, tenant, client } = await aged()
  await remember(client, ['one', 'two', 'three'])
  const { end: unread } = await follow(client)
  await remember(client, ['four', 'five'])
  const [, last] = (await follow(client, unread)).changes as [Change, Change]
  await old('number', 4)
  await runScheduledMaintenance(contextOf(service, tenant))
  expect((await follow(client)).changes).toEqual([last])
  expect(await problemOf(client.listChanges({ cursor: unread }))).toMatchObject({
    status: 410,
    code: 'cursor_expired',
  })
  expect((await follow(client, last.cursor)).changes).toEqual([])
  expect(seconds).toBeGreaterThan(0)
})

test('changes that were never read are deleted too, and an older cursor gets an error', async () => {
  const { old, tenant, client } = await aged()
  const { next_cursor } = await client.listChanges({ from: 'now' })
  await remember(client, ['one', 'two'])
  await old('unnumbered', tenant)
  await remember(client, ['three'])
  await runScheduledMaintenance(contextOf(service, tenant))
  expect(await problemOf(client.listChanges({ cursor: next_cursor }))).toMatchObject({
    code: 'cursor_expired',
  })
  expect((await follow(client)).changes).toHaveLength(1)
  const [row] = await service.cypher<{ n: number }>(
    'MATCH (c:Change {tenant: $tenant}) RETURN count(c) AS n',
    { tenant },
  )
  expect(row?.n).toBe(1)
})

/** A tenant some of whose changes can be made to look older than they are kept. */
async function aged() {
  const tenant = freshTenant()
  const seconds = service.app.config.feed.retentionSeconds
  const old = (property: 'number' | 'unnumbered', until: number | string) =>
    service.cypher(
      `MATCH (c:Change) WHERE c.tenant = $tenant AND c[$property] <= $until
      SET c.at = c.at - duration({seconds: toInteger($seconds) + 1})`,
      { tenant, property, until, seconds },
    )
  return { tenant, client: service.clientOf(tenant), seconds, old }
}
