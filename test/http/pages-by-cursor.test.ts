import { expect, test } from 'vitest'
import type { Client } from '../../src/client.ts'
import type { Connection } from '../../src/contract/connections.ts'
import type { Input } from '../../src/contract/index.ts'
import { numbered, remember, rememberIds } from '../support/seed.ts'
import { freshTenant, problemOf, someMemory, withService } from '../support/service.ts'

const service = withService()

type Page = { next_cursor: string | null; has_more: boolean }

/** Reads all pages of a list; `between` changes what is listed after each. */
async function walk<Answer extends Page, Item>(
  read: (cursor: { cursor?: string }) => Promise<Answer>,
  itemsOf: (answer: Answer) => Item[],
  between: (items: Item[]) => Promise<unknown> = async () => {},
): Promise<Item[]> {
  const found: Item[] = []
  for (let cursor: string | null = null; ; ) {
    const answer: Answer = await read(cursor === null ? {} : { cursor })
    expect(answer.has_more).toBe(answer.next_cursor !== null)
    const items = itemsOf(answer)
    found.push(...items)
    if (answer.next_cursor === null) return found
    cursor = answer.next_cursor
    await between(items)
  }
}

const nameOf = ({ source_id, connection }: Connection) =>
  [source_id, connection.target_id, connection.relationship_type].join()

/** A tenant with memories, each connected to all others. */
async function connected(count: number) {
  const { tenant, client } = service.newTenant()
  const ids = await rememberIds(client, numbered(count))
  const types = ['supports', 'part_of'] as const
  const connections = ids.flatMap((source_id, at) =>
    ids.slice(at + 1).map((target_id, other) => ({
      source_id,
      target_id,
      relationship_type: types[other % 2] as (typeof types)[number],
    })),
  )
  await client.createConnections({ connections })
  return { tenant, client, ids }
}

const walkConnections = (
  client: Client,
  input: Input<'listConnections'>,
  between?: (page: Connection[]) => Promise<unknown>,
) =>
  walk(
    cursor => client.listConnections({ ...input, ...cursor }),
    ({ connections }) => connections,
    between,
  )

test('a walk over connections has each of them once, while others come and go', async () => {
  const { client } = await connected(10)
  const before = (await client.listConnections({ limit: 500 })).connections.map(nameOf)
  const seen: string[] = []
  const found = await walkConnections(client, { limit: 9 }, async page => {
    seen.push(...page.map(nameOf))
    // What was returned goes, and new ones come.
    const { source_id, connection } = page[0] as Connection
    const { target_id, relationship_type } = connection
    await client.deleteConnection({ source_id, target_id, relationship_type })
    await client.createConnection({ source_id: target_id, target_id: source_id })
  })
  expect(seen.length).toBeGreaterThan(30)
  expect(found.map(nameOf)).toEqual(before)
})

test('connections of one moment, and of one pair, keep their place on pages by cursor', async () => {
  const { tenant, client, ids } = await connected(6)
  const [source_id = '', target_id = ''] = ids
  for (const relationship_type of ['related_to', 'references', 'contradicts'] as const)
    await client.createConnection({ source_id, target_id, relationship_type })
  await service.cypher(
    "MATCH (:Memory {tenant: $of})-[r]->() SET r.createdAt = datetime({epochMillis: 0, timezone: 'Z'})",
    { of: tenant },
  )
  for (const filter of [
    {},
    { source_id },
    { target_id },
    { relationship_type: 'part_of' as const },
    { source_id, target_id },
  ]) {
    const whole = (await client.listConnections({ ...filter, limit: 500 })).connections
    expect(await walkConnections(client, { ...filter, limit: 1 })).toEqual(whole)
    expect(await walkConnections(client, { ...filter, limit: 4 })).toEqual(whole)
  }
})

test('the total of a walk is that of its first page', async () => {
  const { client } = await connected(4)
  const { total, next_cursor } = await client.listConnections({ limit: 2 })
  const { source_id, connection } = (await client.listConnections({ limit: 1 })).connections[0] as Connection
  await client.deleteConnection({ source_id, target_id: connection.target_id })
  expect(await client.listConnections({ limit: 2, cursor: next_cursor as string })).toMatchObject({ total })
})

test('a caller who resolves each conflict of a page by cursor sees all of them', async () => {
  const client = service.clientOf(freshTenant())
  const ids = await rememberIds(client, numbered(24, 'The bridge opens at'))
  for (let at = 0; at < 24; at += 2)
    await client.createConnection({
      source_id: ids[at] as string,
      target_id: ids[at + 1] as string,
      relationship_type: 'contradicts',
    })
  const found = await walk(
    cursor => client.listConflicts({ limit: 5, ...cursor }),
    ({ conflicts }) => conflicts,
    page =>
      Promise.all(
        page.map(({ source, target }) =>
          client.resolveConflict({ keep_id: source.id, archive_id: target.id }),
        ),
      ),
  )
  expect(found.map(({ source }) => source.id)).toEqual(ids.filter((_, at) => at % 2 === 0).toReversed())
})

test('a walk over sessions has each of them once, while their memories come and go', async () => {
  const client = service.clientOf(freshTenant())
  const sessions = Array.from({ length: 30 }, (_, at) => `session ${at}`)
  const inSession = (names: readonly string[]) =>
    remember(
      client,
      names.map(session_id => ({ content: `In ${session_id}`, session_id })),
    )
  const extra = await inSession([...sessions, ...sessions.slice(0, 15)])
  const seen: string[] = []
  const found = await walk(
    cursor => client.listSessions({ limit: 5, ...cursor }),
    ({ values }) => values,
    async page => {
      seen.push(...page.map(({ value }) => value))
      // What was returned sinks, what was not rises, and new ones come.
      for (const memory of extra.slice(30))
        if (memory.session_id === seen.at(-1)) await client.deleteMemory({ id: memory.id })
      const next = sessions.filter(name => !seen.includes(name)).at(-1)
      await inSession([...(next ? [next, next, next] : []), `new ${seen.length}`])
    },
  )
  const names = found.map(({ value }) => value)
  expect(new Set(names).size).toBe(names.length)
  expect(names).toEqual(expect.arrayContaining(sessions))
})

test('pages by cursor hold a thousand values by their counts, and then all others', async () => {
  const client = service.clientOf(freshTenant())
  const tags = Array.from({ length: 1_150 }, (_, at) => `tag ${String(at).padStart(4, '0')}`)
  const memories = Array.from({ length: 23 }, (_, at) => ({ tags: tags.slice(50 * at, 50 * at + 50) }))
  await remember(client, [...memories, { tags: tags.slice(-2) }])
  const found = (
    await walk(
      cursor => client.listTags({ limit: 400, ...cursor }),
      ({ values }) => values,
    )
  ).map(({ value }) => value)
  expect(found.slice(0, 3)).toEqual(['tag 1148', 'tag 1149', 'tag 0000'])
  expect(found.toSorted()).toEqual(tags)
})

test('a cursor belongs to one tenant, one list and its filters, and takes no offset', async () => {
  const { client } = await connected(4)
  const cursor = (await client.listConnections({ limit: 2 })).next_cursor as string
  const refusals = await Promise.all([
    problemOf(service.client.listConnections({ cursor })),
    problemOf(client.listConflicts({ cursor })),
    problemOf(client.listConnections({ cursor, origin: 'asserted' })),
    problemOf(client.listConnections({ cursor: `${cursor}x` })),
  ])
  for (const refusal of refusals) expect(refusal).toMatchObject({ status: 400, code: 'invalid_cursor' })
  await remember(client, [someMemory({ tags: ['a', 'b'], source: 'wiki' })])
  const ofTags = (await client.listTags({ limit: 1 })).next_cursor as string
  expect(await problemOf(client.listSources({ cursor: ofTags }))).toMatchObject({ code: 'invalid_cursor' })
  expect(await problemOf(client.listConnections({ cursor, offset: 2 }))).toMatchObject({
    status: 422,
    pointers: ['/offset'],
  })
  expect(await client.listConnections({ limit: 1, offset: 1 })).toMatchObject({
    has_more: true,
    next_cursor: null,
  })
})
