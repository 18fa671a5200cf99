import { expect, test } from 'vitest'
import type { Client } from '../../src/client.ts'
import { exported, imported } from '../../tools/bundle-lines.ts'
import { rememberIds } from '../support/seed.ts'
import { someMemory, withService } from '../support/service.ts'

const service = withService()

/** Two near duplicates of which one supports a third memory, merged: the kept one has a copy of that connection. */
async function merged() {
  const { tenant, client } = service.newTenant()
  const [kept, gone, other] = await rememberIds(client, [
    'the cat sleeps on the sofa',
    'The cat sleeps on the sofa!',
    'a truck engine',
  ])
  await service.drain(tenant)
  const supports = { target_id: other, relationship_type: 'supports' } as const
  await client.createConnection({ source_id: gone, ...supports, strength: 0.5 })
  const { plan_id } = await client.planMaintenance({ kind: 'merge' })
  await client.applyMaintenance({ id: plan_id as string })
  const copy = { source_id: kept, ...supports }
  expect(await strengths(client, kept)).toEqual([0.5])
  return {
    tenant,
    client,
    kept,
    gone,
    other,
    copy,
    undo: () => client.undoMaintenance({ id: plan_id as string }),
  }
}

const strengths = async (client: Client, source_id: string) =>
  (await client.listConnections({ source_id, relationship_type: 'supports' })).connections.map(
    ({ connection }) => connection.strength,
  )

test('an undo of a merge removes the connections that the merge copied', async () => {
  const { client, kept, undo } = await merged()
  await undo()
  expect(await strengths(client, kept)).toEqual([])
})

test('a connection that a merge copied and a caller asserts stays when the merge is undone', async () => {
  const { client, kept, copy, undo } = await merged()
  await client.createConnection(copy)
  await undo()
  expect(await strengths(client, kept)).toEqual([0.5])
})

test('a copied connection that a batch asserts with another strength stays when the merge is undone', async () => {
  const { client, kept, copy, undo } = await merged()
  await client.createConnections({ connections: [{ ...copy, strength: 0.9 }] })
  await undo()
  expect(await strengths(client, kept)).toEqual([0.9])
})

test('a copied connection that is deleted and made again stays when the merge is undone', async () => {
  const { client, kept, copy, undo } = await merged()
  await client.deleteConnection(copy)
  await client.createConnection({ ...copy, strength: 0.3 })
  await undo()
  expect(await strengths(client, kept)).toEqual([0.3])
})

for (const mode of ['merge', 'replace'] as const)
  test(`a copied connection that an import in the mode ${mode} has stays when the merge is undone`, async () => {
    const { client, kept, undo } = await merged()
    await imported(client, await exported(client), { mode })
    await undo()
    expect(await strengths(client, kept)).toEqual([0.5])
  })

test('a memory that changed since a merge keeps the connections that the merge gave it, as it keeps the tags', async () => {
  const { client, kept, undo } = await merged()
  await client.updateMemory({ id: kept, importance: 0.9 })
  expect((await undo()).skipped).toEqual([kept])
  expect(await strengths(client, kept)).toEqual([0.5])
})

test('a copied connection that discovery confirms stays when the merge is undone', async () => {
  const { tenant, client } = service.newTenant()
  const texts = [
    'the cat sleeps on the sofa',
    'The cat sleeps on the sofa!',
    'the cat sleeps on the red sofa',
  ]
  const [kept, gone, near] = (await rememberIds(client, texts)) as [string, string, string]
  await service.drain(tenant)
  const discovered = async () =>
    (await client.listConnections({ origin: 'discovered' })).connections
      .map(({ source_id, connection }) => [source_id, connection.target_id].sort())
      .filter(ends => ends.includes(kept) && ends.includes(near)).length
  await service.cypher(
    `MATCH (:Memory {tenant: $tenant, id: $kept})-[r:RELATED_TO]-(:Memory {tenant: $tenant, id: $near}) DELETE r`,
    { tenant, kept, near },
  )
  expect(await discovered()).toBe(0)
  const { plan_id, changes } = await client.planMaintenance({ kind: 'merge', filters: {}, threshold: 0.99 })
  expect(changes.map(({ memory_id }) => memory_id).sort()).toEqual([kept, gone].sort())
  await client.applyMaintenance({ id: plan_id as string })
  expect(await discovered()).toBe(1)
  await client.updateMemory({ id: near, content: 'the cat sleeps on the red sofa!' })
  await service.drain(tenant)
  await client.undoMaintenance({ id: plan_id as string })
  expect(await discovered()).toBe(1)
})

const [SOFA, SOFA_TOO, RED_SOFA, ENGINE] = [
  'the cat sleeps on the sofa',
  'The cat sleeps on the sofa!',
  'the cat sleeps on the red sofa',
  'a truck engine',
] as const
const ENDED = '2020-01-01T00:00:00Z'

/** Memories made one after the other and discovered. */
async function world<const Texts extends readonly string[]>(texts: Texts) {
  const { tenant, client } = service.newTenant()
  const ids: string[] = []
  for (const text of texts) ids.push(...(await rememberIds(client, [text])))
  await service.drain(tenant)
  return {
    tenant,
    client,
    ids: ids as { [At in keyof Texts]: string },
    /** Merges near duplicates, and returns how to undo that. */
    async merge() {
      const { plan_id } = await client.planMaintenance({ kind: 'merge', filters: {}, threshold: 0.99 })
      await client.applyMaintenance({ id: plan_id as string })
      return () => client.undoMaintenance({ id: plan_id as string })
    },
    between: async (one: string, other: string) =>
      (await client.listConnections({ limit: 100 })).connections
        .filter(
          ({ source_id, connection: { target_id } }) =>
            [one, other].includes(source_id) && [one, other].includes(target_id),
        )
        .map(({ connection: { relationship_type, origin } }) => `${relationship_type} ${origin}`),
    reached: async (id: string, type: 'related_to' | 'supports') =>
      (await client.relatedMemories({ id, direction: 'both', relationship_types: [type] })).related.map(
        ({ memory }) => memory.id,
      ),
  }
}

test('an asserted connection takes the place of a discovered one of the kept memory, until an undo', async () => {
  const { tenant, client, ids, merge } = await world([SOFA, SOFA_TOO, RED_SOFA])
  const [kept, gone, near] = ids
  const related = async () =>
    (await client.listConnections({ relationship_type: 'related_to' })).connections
      .filter(({ source_id, connection }) => source_id === near && connection.target_id === kept)
      .map(({ connection: { origin, strength, reason } }) => ({ origin, strength, reason }))
  const discovered = await related()
  expect(discovered).toMatchObject([{ origin: 'discovered' }])
  const said = { strength: 0.5, reason: 'both are about the sofa' }
  await client.createConnection({
    source_id: near,
    target_id: gone,
    relationship_type: 'related_to',
    ...said,
  })
  const undo = await merge()
  expect(await related()).toEqual([{ origin: 'asserted', ...said }])
  await undo()
  expect(await related()).toEqual([])
  await service.drain(tenant)
  expect(await related()).toEqual(discovered)
})

test('a merge copies no second discovered connection, whichever way the first one points', async () => {
  const { ids, merge, between } = await world([SOFA, RED_SOFA, SOFA_TOO])
  const [kept, near] = ids
  expect(await between(kept, near)).toEqual(['related_to discovered'])
  await merge()
  expect(await between(kept, near)).toEqual(['related_to discovered'])
})

test('a connection that has ended takes the place of none that holds', async () => {
  const { client, ids, merge, reached } = await world([SOFA, SOFA_TOO, RED_SOFA])
  const [kept, gone, near] = ids
  const ended = { source_id: near, target_id: gone, valid_until: ENDED }
  await client.createConnection({ ...ended, relationship_type: 'related_to' })
  await merge()
  expect(await reached(kept, 'related_to')).toContain(near)
})

test('of many connections to the same memory a merge copies the one that holds', async () => {
  const copies = Array.from({ length: 18 }, (_, at) => `${SOFA_TOO}${'!'.repeat(at)}`)
  const { client, ids, merge, reached } = await world([SOFA, ENGINE, ...copies])
  const [kept, other, holds, ...ended] = ids as [string, string, string, ...string[]]
  const supports = { target_id: other, relationship_type: 'supports' } as const
  await client.createConnection({ source_id: holds, ...supports })
  await client.createConnections({
    connections: ended.map(source_id => ({ source_id, ...supports, valid_until: ENDED })),
  })
  await merge()
  expect(await reached(kept, 'supports')).toEqual([other])
})

test('an undo removes a copy between two kept memories once', async () => {
  const { client, ids, merge } = await world([SOFA, SOFA_TOO, ENGINE, 'A truck engine!'])
  const [kept, gone, keptToo, goneToo] = ids
  await client.createConnection({ source_id: gone, target_id: goneToo, relationship_type: 'supports' })
  const undo = await merge()
  const { next_cursor } = await client.listChanges({ from: 'now' })
  await undo()
  const { changes } = await client.listChanges({ cursor: next_cursor, limit: 200 })
  const removed = changes.filter(
    ({ kind, connection }) =>
      kind === 'disconnected' && connection?.source_id === kept && connection.target_id === keptToo,
  )
  expect(removed).toHaveLength(1)
})

test('a copied contradiction that a supersession asserts stays when the merge is undone', async () => {
  const { client, ids, merge, between } = await world([SOFA, SOFA_TOO, ENGINE])
  const [kept, gone, other] = ids
  await client.createConnection({ source_id: gone, target_id: other, relationship_type: 'contradicts' })
  const undo = await merge()
  const again = someMemory({ content: SOFA, supersedes: [other], on_duplicate: 'return' })
  expect(await client.createMemory(again)).toMatchObject({ duplicate_of: kept })
  await undo()
  expect(await between(kept, other)).toEqual(['contradicts asserted'])
})

test('a conflict that somebody has rejected is not confirmed by a merge', async () => {
  const office = 'The office of the whole team is in'
  const { tenant, client, ids, merge } = await world([
    `${office} Ghent`,
    `${office} Ghent!`,
    `${office} Porto`,
  ])
  const [kept, gone, other] = ids
  await client.reviewConflict({ source_id: other, target_id: kept, outcome: 'rejected' })
  await service.cypher(
    `MATCH (o:Memory {tenant: $tenant, id: $other})-[s:MAY_CONTRADICT]-(d:Memory {tenant: $tenant, id: $gone})
     SET s.status = 'confirmed'
     CREATE (o)-[:CONTRADICTS {key: $tenant + ':' + o.id + ':' + d.id, tenant: $tenant, origin: 'discovered', strength: 0.9,
       model: 'a model', reason: 'Two cities.', judged: o.revision + ':' + d.revision,
       createdAt: datetime.truncate('millisecond', datetime.realtime('Z'))}]->(d)`,
    { tenant, other, gone },
  )
  await merge()
  const pairs = async (status: 'confirmed' | 'rejected') =>
    (await client.listConflicts({ status })).conflicts.map(({ source, target }) => [source.id, target.id])
  expect(await pairs('confirmed')).toEqual([])
  expect(await pairs('rejected')).toContainEqual([other, kept])
})
