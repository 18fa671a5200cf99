import { randomUUID } from 'node:crypto'
import { beforeEach, expect, test } from 'vitest'
import type { Input } from '../../src/contract/index.ts'
import { remember, rememberIds } from '../support/seed.ts'
import { problemOf, withService } from '../support/service.ts'

const service = withService()
let source_id: string
let target_id: string
beforeEach(async () => {
  ;[source_id, target_id] = await rememberIds(service.client, ['bread', 'violin'])
})

const connect = (fields: Partial<Input<'createConnection'>> = {}) =>
  service.client.createConnection({ source_id, target_id, ...fields })
const all = async () => (await service.client.listConnections({ source_id })).connections

test('a connection has the documented fields and defaults', async () => {
  const made = await connect()
  expect(made).toEqual({
    source_id,
    connection: {
      target_id,
      relationship_type: 'related_to',
      strength: null,
      created_at: expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/),
      origin: 'asserted',
      model: null,
      threshold: null,
      reason: null,
      valid_from: null,
      valid_until: null,
    },
  })
  expect(await all()).toEqual([made])
})

test('connecting again replaces a strength that is sent, keeps one that is not, and keeps the age', async () => {
  const first = await connect({ strength: 0.25 })
  await service.cypher(
    'MATCH (:Memory {id: $id})-[r:RELATED_TO]->() SET r.createdAt = r.createdAt - duration({hours: 1})',
    { id: source_id },
  )
  const aged = (await all())[0]
  expect(aged?.connection.created_at).not.toBe(first.connection.created_at)
  expect(await connect()).toEqual(aged)
  const again = await connect({ strength: 0 })
  expect(again.connection).toEqual({ ...aged?.connection, strength: 0 })
  expect(await all()).toEqual([again])
})

test('one pair may have a connection of each type, in both directions', async () => {
  const types = [
    'related_to',
    'caused_by',
    'part_of',
    'references',
    'contradicts',
    'supports',
    'similar_to',
    'derived_from',
  ] as const
  for (const relationship_type of types) {
    const made = await connect({ relationship_type, strength: 1 })
    expect(made.connection).toMatchObject({ relationship_type, strength: 1 })
    await connect({ source_id: target_id, target_id: source_id, relationship_type })
  }
  const forth = await service.client.listConnections({ source_id })
  const back = await service.client.listConnections({ source_id: target_id })
  expect([forth.total, back.total]).toEqual([8, 8])
})

test('asserting a discovered connection makes it asserted and keeps its age and its strength', async () => {
  const [older, newer] = await remember(service.client, ['cat kitten', 'cat kitten'])
  await service.drain()
  const [discovered] = (await service.client.listConnections({ source_id: newer?.id as string })).connections
  expect(discovered?.connection).toMatchObject({
    target_id: older?.id,
    origin: 'discovered',
    model: 'embedding-of-the-tests',
    threshold: 0.7,
  })
  const asserted = await connect({ source_id: newer?.id as string, target_id: older?.id as string })
  expect(asserted.connection).toEqual({
    ...discovered?.connection,
    origin: 'asserted',
    model: null,
    threshold: null,
  })
})

test('upper-case ids mean the same memories', async () => {
  const made = await connect({ source_id: source_id.toUpperCase(), target_id: target_id.toUpperCase() })
  expect([made.source_id, made.connection.target_id]).toEqual([source_id, target_id])
})

test('an unknown memory cannot be connected, at either end', async () => {
  for (const fields of [{ source_id: randomUUID() }, { target_id: randomUUID() }])
    expect(await problemOf(connect(fields))).toMatchObject({ status: 404, code: 'memory_not_found' })
})

test('a memory cannot be connected to itself', async () => {
  for (const same of [source_id, source_id.toUpperCase()])
    expect(await problemOf(connect({ target_id: same }))).toMatchObject({
      status: 422,
      pointers: ['/target_id'],
    })
})

test('an archived memory cannot be connected, at either end, until it is restored', async () => {
  await service.client.deleteMemory({ id: target_id })
  expect(await problemOf(connect())).toMatchObject({ status: 409, code: 'memory_archived' })
  const turned = connect({ source_id: target_id, target_id: source_id })
  expect(await problemOf(turned)).toMatchObject({ status: 409, code: 'memory_archived' })
  expect(await all()).toEqual([])
  await service.client.restoreMemory({ id: target_id })
  expect((await connect()).connection.target_id).toBe(target_id)
})

test('removing a memory removes its connections, archiving it does not', async () => {
  await connect()
  await service.client.deleteMemory({ id: target_id })
  expect(await all()).toHaveLength(1)
  await service.client.deleteMemory({ id: target_id, hard: true })
  expect(await all()).toEqual([])
})

const bad: [string, Record<string, unknown>, string][] = [
  ['an unknown type', { relationship_type: 'RELATED_TO' }, '/relationship_type'],
  ['a strength below 0', { strength: -0.01 }, '/strength'],
  ['a strength above 1', { strength: 1.01 }, '/strength'],
  ['a strength in words', { strength: '0.5' }, '/strength'],
  ['a strength of null', { strength: null }, '/strength'],
  ['no target', { target_id: undefined }, '/target_id'],
  ['a target that is no UUID', { target_id: 'x' }, '/target_id'],
  ['a field that it has not', { weight: 1 }, '/weight'],
]
test.each(bad)('a connection with %s is refused', async (_name, fields, pointer) => {
  expect(await problemOf(connect(fields as Partial<Input<'createConnection'>>))).toMatchObject({
    status: 422,
    pointers: [pointer],
  })
})
