import { beforeEach, expect, test } from 'vitest'
import { relatedConnections } from '../support/related-connections.ts'
import { remember } from '../support/seed.ts'
import { withService } from '../support/service.ts'
import { vectorOfNumbers } from '../support/vectors.ts'

/** Two memories at one place, two at another; each pair is connected. */
const service = withService({ vector: vectorOfNumbers })
let cat: string
let kitten: string
let car: string
let truck: string
beforeEach(async () => {
  await service.cypher('MATCH (m:Memory {tenant: $tenant}) DETACH DELETE m', { tenant: service.tenant })
  const create = async (content: string) => (await remember(service.client, [content]))[0]?.id as string
  cat = await create('1 0')
  kitten = await create('9 1')
  car = await create('0 1')
  truck = await create('1 9')
  await service.drain()
})

const edges = async () =>
  (await relatedConnections(service))
    .map(({ source, target, origin }) => `${source} ${target} ${origin}`)
    .toSorted()
const discovered = (...pairs: [string, string][]) =>
  pairs.map(([source, target]) => `${source} ${target} discovered`).toSorted()
const update = async (id: string, fields: { content?: string; importance?: number }) => {
  await service.client.updateMemory({ id, ...fields })
  await service.drain()
}

test('before anything changes, each pair is connected', async () => {
  expect(await edges()).toEqual(discovered([kitten, cat], [truck, car]))
})

test('new content moves a memory to its new neighbours and away from the old', async () => {
  await update(cat, { content: '0 2' })
  expect(await edges()).toEqual(discovered([car, cat], [truck, cat], [truck, car]))
})

test('a connection that is still warranted stays, with its age and the new strength', async () => {
  const [before] = (await service.client.listConnections({ source_id: kitten })).connections
  await update(cat, { content: '9 2' })
  const [after] = (await service.client.listConnections({ source_id: kitten })).connections
  expect(after?.connection.created_at).toBe(before?.connection.created_at)
  expect(after?.connection.strength).not.toBe(before?.connection.strength)
})

test('asserted connections stay, whatever the new content', async () => {
  await service.client.createConnection({ source_id: kitten, target_id: cat, strength: 0.2 })
  await service.client.createConnection({ source_id: cat, target_id: kitten, relationship_type: 'supports' })
  await update(cat, { content: '0 2' })
  const { connections } = await service.client.listConnections({ source_id: kitten })
  expect(connections).toMatchObject([{ connection: { target_id: cat, strength: 0.2, origin: 'asserted' } }])
  expect((await service.client.listConnections({ relationship_type: 'supports' })).total).toBe(1)
})

test('a pair that a caller connected in either direction is left alone', async () => {
  const [tiger] = await remember(service.client, ['8 1'])
  const id = tiger?.id as string
  await service.client.createConnection({ source_id: cat, target_id: id, strength: 0.1 })
  await service.drain()
  const between = (await edges()).filter(edge => edge.includes(id) && edge.includes(cat))
  expect(between).toEqual([`${cat} ${id} asserted`])
})

test('a discovered connection that a caller removed comes back only with new content', async () => {
  await service.client.deleteConnection({ source_id: kitten, target_id: cat })
  await update(cat, { importance: 1 })
  expect(await edges()).toEqual(discovered([truck, car]))
  await update(cat, { content: '2 0' })
  expect(await edges()).toEqual(discovered([kitten, cat], [truck, car]))
})

test('so does one that a caller asserted before removing it', async () => {
  const ends = { source_id: kitten, target_id: cat }
  await service.client.createConnection(ends)
  await service.client.deleteConnection(ends)
  await update(cat, { importance: 0.9 })
  await service.client.rediscoverMemories()
  await service.drain()
  expect(await edges()).not.toContain(`${kitten} ${cat} discovered`)
  await update(cat, { content: '3 0' })
  expect(await edges()).toEqual(discovered([kitten, cat], [truck, car]))
})

test('archived and expired memories are not discovered, and a restored one is', async () => {
  await service.client.deleteMemory({ id: cat })
  await service.cypher(
    'MATCH (m:Memory {id: $car}) SET m.liveUntil = 0, m.ttlSeconds = 60, m.expiresAt = datetime({epochMillis: 0})',
    { car },
  )
  const [lion, bus] = await remember(service.client, ['9 0.5', '0.5 9'])
  await service.drain()
  const [lionId, busId] = [lion?.id as string, bus?.id as string]
  const before = discovered([kitten, cat], [lionId, kitten], [truck, car], [busId, truck])
  expect(await edges()).toEqual(before)
  await service.client.restoreMemory({ id: cat })
  await service.client.restoreMemory({ id: car })
  await service.drain()
  expect(await edges()).toEqual([...before, ...discovered([lionId, cat], [busId, car])].toSorted())
})

test('content that changes twice before it is discovered counts as it is last', async () => {
  await service.client.updateMemory({ id: cat, content: '0 5' })
  await update(cat, { content: '0 0 1' })
  expect(await edges()).toEqual(discovered([truck, car]))
})

test('archiving, restoring and removing while discovery runs leaves the graph as it should be', async () => {
  const crowd = await remember(
    service.client,
    Array.from({ length: 24 }, (_, at) => `0 0 ${at + 1}`),
  )
  const removed = crowd.slice(0, 8)
  const archived = crowd.slice(8, 16)
  await Promise.all([
    service.drain(),
    service.drain(),
    ...removed.map(({ id }) => service.client.deleteMemory({ id, hard: true })),
    ...archived.map(async ({ id }) => {
      await service.client.deleteMemory({ id })
      await service.client.restoreMemory({ id })
    }),
  ])
  await service.drain()
  expect((await service.client.getStats()).queue).toMatchObject({ depth: 0, failed: 0 })
  const living = new Set(crowd.slice(8).map(({ id }) => id))
  const among = (await relatedConnections(service)).filter(({ source }) => living.has(source))
  expect(among).toHaveLength((16 * 15) / 2)
})
