import { randomUUID } from 'node:crypto'
import { beforeAll, expect, test } from 'vitest'
import { type Connection, relationshipTypes } from '../../src/contract/connections.ts'
import type { Input } from '../../src/contract/index.ts'
import { byId, numbered, rememberIds } from '../support/seed.ts'
import { problemOf, withService } from '../support/service.ts'

const service = withService()
let ids: string[]
let made: Connection[]
beforeAll(async () => {
  ids = await rememberIds(service.client, numbered(12, 'cat kitten'))
  await service.drain()
  const types = ['supports', 'part_of', 'related_to'] as const
  for (let at = 0; at < 11; at++)
    await service.client.createConnection({
      source_id: ids[at] as string,
      target_id: ids[at + 1] as string,
      relationship_type: types[at % 3] as (typeof types)[number],
    })
  for (const relationship_type of relationshipTypes)
    await service.client.createConnection({
      source_id: ids[0] as string,
      target_id: ids[11] as string,
      relationship_type,
    })
  made = (await service.client.listConnections({ limit: 500 })).connections
})

const list = (input: Input<'listConnections'> = {}) => service.client.listConnections(input)

test('connections are listed newest first, with how many there are in all', async () => {
  expect(made).toHaveLength(66 + 11 + 8)
  const times = made.map(({ connection }) => connection.created_at)
  expect(times).toEqual(times.toSorted((a, b) => byId(b, a)))
  expect(await list()).toEqual({
    connections: made.slice(0, 50),
    total: 85,
    next_cursor: expect.any(String),
    has_more: true,
    limit: 50,
    offset: 0,
  })
})

test('pages by offset hold every connection once', async () => {
  const pages: Connection[] = []
  for (let offset = 0; offset < 91; offset += 7) {
    const page = await list({ limit: 7, offset })
    expect(page).toMatchObject({ total: 85, limit: 7, offset })
    pages.push(...page.connections)
  }
  expect(pages).toEqual(made)
})

test('connections of one moment keep their place on every page', async () => {
  await service.cypher(
    "MATCH (:Memory {tenant: $tenant})-[r]->() SET r.createdAt = datetime({timezone: 'Z'})",
    {
      tenant: service.tenant,
    },
  )
  const whole = (await list({ limit: 500 })).connections
  const pages = await Promise.all(Array.from({ length: 17 }, (_, at) => list({ limit: 5, offset: 5 * at })))
  expect(pages.flatMap(({ connections }) => connections)).toEqual(whole)
  made = whole
})

test('each connection of a pair has a page of its own', async () => {
  const pair = { source_id: ids[0] as string, target_id: ids[11] as string }
  for (const ends of [pair, { target_id: pair.target_id }]) {
    const whole = (await list({ ...ends, limit: 500 })).connections
    const pages = await Promise.all(whole.map((_, offset) => list({ ...ends, limit: 1, offset })))
    expect(pages.flatMap(({ connections }) => connections)).toEqual(whole)
  }
})

test('an offset beyond the end gives an empty page and the same total', async () => {
  for (const offset of [85, 1_000_000_000, Number.MAX_SAFE_INTEGER])
    expect(await list({ offset })).toMatchObject({ connections: [], total: 85, has_more: false, offset })
})

const filters: [string, (connection: Connection) => boolean, () => Input<'listConnections'>][] = [
  ['a source', each => each.source_id === ids[4], () => ({ source_id: ids[4] as string })],
  ['a target', each => each.connection.target_id === ids[4], () => ({ target_id: ids[4] as string })],
  [
    'both ends',
    each => each.source_id === ids[3] && each.connection.target_id === ids[4],
    () => ({ source_id: ids[3] as string, target_id: ids[4] as string }),
  ],
  [
    'a type',
    each => each.connection.relationship_type === 'supports',
    () => ({ relationship_type: 'supports' }),
  ],
  ['an origin', each => each.connection.origin === 'discovered', () => ({ origin: 'discovered' })],
  ['the other origin', each => each.connection.origin === 'asserted', () => ({ origin: 'asserted' })],
  [
    'all of them',
    each =>
      each.source_id === ids[3] &&
      each.connection.target_id === ids[4] &&
      each.connection.relationship_type === 'supports' &&
      each.connection.origin === 'asserted',
    () => ({
      source_id: ids[3] as string,
      target_id: ids[4] as string,
      relationship_type: 'supports',
      origin: 'asserted',
    }),
  ],
  ['an unknown memory', () => false, () => ({ source_id: randomUUID() })],
  [
    'a type that discovery does not make',
    () => false,
    () => ({ relationship_type: 'derived_from', origin: 'discovered' }),
  ],
]
test.each(filters)('%s narrows the list and its total', async (_name, passes, filter) => {
  const expected = made.filter(passes)
  const answer = await list({ ...filter(), limit: 500 })
  expect(answer.connections).toEqual(expected)
  expect(answer.total).toBe(expected.length)
  const second = await list({ ...filter(), limit: 1, offset: 1 })
  expect(second).toMatchObject({ connections: expected.slice(1, 2), total: expected.length })
})

const bad: [Record<string, unknown>, string][] = [
  [{ limit: 0 }, '/limit'],
  [{ limit: 501 }, '/limit'],
  [{ offset: -1 }, '/offset'],
  [{ offset: 1.5 }, '/offset'],
  [{ source_id: 'x' }, '/source_id'],
  [{ relationship_type: 'friend_of' }, '/relationship_type'],
  [{ origin: 'guessed' }, '/origin'],
  [{ type: 'supports' }, '/type'],
]
test.each(bad)('a list with %j is refused', async (input, pointer) => {
  expect(await problemOf(list(input))).toMatchObject({ status: 422, pointers: [pointer] })
})
