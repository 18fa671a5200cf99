import { randomUUID } from 'node:crypto'
import { beforeAll, expect, test } from 'vitest'
import { relationshipTypes } from '../../src/contract/connections.ts'
import { numbered, rememberIds } from '../support/seed.ts'
import { freshTenant, problemOf, withService } from '../support/service.ts'
import { listenTo } from '../support/statements.ts'

const service = withService()
let ids: [string, string, string]
let archived: string
beforeAll(async () => {
  const made = await rememberIds(service.client, ['cat', 'violin', 'train', 'gone'])
  ;[ids, archived] = [made.slice(0, 3) as typeof ids, made[3] as string]
  await service.client.deleteMemory({ id: archived })
})

const connect = (connections: Parameters<typeof service.client.createConnections>[0]['connections']) =>
  service.client.createConnections({ connections })
const total = async () => (await service.client.listConnections({})).total

test('many pairs of memories are connected in one call, and returned in the order of the request', async () => {
  const [cat, violin, train] = ids
  const connections = relationshipTypes.flatMap(relationship_type => [
    { source_id: cat, target_id: violin, relationship_type, strength: 0.5 },
    { source_id: train, target_id: cat, relationship_type },
  ])
  const answer = await connect(connections)
  expect(
    answer.connections.map(
      ({ source_id, connection: { target_id, relationship_type, strength, origin } }) => ({
        source_id,
        target_id,
        relationship_type,
        strength,
        origin,
      }),
    ),
  ).toEqual(connections.map(each => ({ strength: null, ...each, origin: 'asserted' })))
  const listed = await service.client.listConnections({ limit: 500 })
  expect(listed.total).toBe(16)
  expect(listed.connections).toEqual(expect.arrayContaining(answer.connections))
  expect(await connect(connections)).toEqual(answer)
})

test('the same connection twice in a call is one, with the later strength', async () => {
  const [, violin, train] = ids
  const pair = { source_id: violin, target_id: train }
  const { connections } = await connect([{ ...pair, strength: 0.1 }, { ...pair, strength: 0.9 }, pair])
  expect(connections.map(({ connection }) => connection.strength)).toEqual([0.1, 0.9, 0.9])
  expect((await service.client.listConnections(pair)).connections).toEqual([connections[2]])
})

test('what prevents a connection is reported at its place, and none is created', async () => {
  const before = await total()
  const [cat, violin] = ids
  const good = { source_id: cat, target_id: violin, strength: 0.7 }
  const unknown = randomUUID()
  const batch = [
    good,
    { source_id: archived, target_id: cat },
    good,
    { source_id: unknown, target_id: archived },
  ]
  expect(await problemOf(connect(batch))).toMatchObject({
    status: 404,
    code: 'memory_not_found',
    pointers: ['/connections/1/source_id', '/connections/3/source_id', '/connections/3/target_id'],
  })
  expect(await problemOf(connect([good, { source_id: cat, target_id: archived }]))).toMatchObject({
    status: 409,
    code: 'memory_archived',
    pointers: ['/connections/1/target_id'],
  })
  expect(await problemOf(connect([good, { source_id: cat, target_id: cat }]))).toMatchObject({
    status: 422,
    pointers: ['/connections/1/target_id'],
  })
  expect(await problemOf(connect([]))).toMatchObject({ status: 422, pointers: ['/connections'] })
  expect(await problemOf(connect(Array.from({ length: 501 }, () => good)))).toMatchObject({ status: 422 })
  expect(await total()).toBe(before)
})

test('an Idempotency-Key returns the first response again', async () => {
  const [cat, , train] = ids
  const headers = { 'idempotency-key': randomUUID() }
  const input = { connections: [{ source_id: cat, target_id: train, strength: 0.3 }] }
  const first = await service.client.createConnections(input, { headers })
  await service.client.createConnection({ source_id: cat, target_id: train, strength: 0.4 })
  expect(await service.client.createConnections(input, { headers })).toEqual(first)
  const other = service.client.createConnections(
    { connections: [{ source_id: train, target_id: cat }] },
    { headers },
  )
  expect(await problemOf(other)).toMatchObject({ code: 'idempotency_key_reused' })
})

test('connections that are created at the same time share commits, and each caller gets its own answer', async () => {
  const others = service.clientOf(freshTenant())
  const [a, b] = await rememberIds(others, ['one', 'two'])
  const commitsOfTwenty = async () => {
    const memories = await rememberIds(service.client, numbered(40))
    const heard = listenTo(service)
    const pairs = Array.from(
      { length: 20 },
      (_, at) => [memories[2 * at], memories[2 * at + 1]] as [string, string],
    )
    const unknown = randomUUID()
    const [foreign, missing, ...answers] = await Promise.all([
      others.createConnection({ source_id: a, target_id: b, relationship_type: 'supports' }),
      problemOf(service.client.createConnection({ source_id: memories[0] as string, target_id: unknown })),
      ...pairs.map(([source_id, target_id]) => service.client.createConnection({ source_id, target_id })),
    ])
    expect(foreign).toMatchObject({ source_id: a, connection: { target_id: b } })
    expect(missing).toMatchObject({ status: 404, code: 'memory_not_found' })
    expect(answers.map(({ source_id, connection }) => [source_id, connection.target_id])).toEqual(pairs)
    return heard.filter(({ text }) => text.includes('MERGE (source)')).length
  }
  // On a busy machine the requests can come one after another.
  await expect.poll(commitsOfTwenty).toBeLessThan(20)
})
