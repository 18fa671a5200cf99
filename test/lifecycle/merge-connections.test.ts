import { expect, test } from 'vitest'
import type { Client } from '../../src/client.ts'
import { exported, imported } from '../../tools/bundle-lines.ts'
import { idOf, remember } from '../support/seed.ts'
import { freshTenant, withService } from '../support/service.ts'

const service = withService()

/** Two near duplicates of which one supports a third memory, merged: the kept one has a copy of that connection. */
async function merged() {
  const tenant = freshTenant()
  const client = service.clientOf(tenant)
  const [kept, gone, other] = (
    await remember(client, ['the cat sleeps on the sofa', 'The cat sleeps on the sofa!', 'a truck engine'])
  ).map(idOf) as [string, string, string]
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
  const tenant = freshTenant()
  const client = service.clientOf(tenant)
  const texts = [
    'the cat sleeps on the sofa',
    'The cat sleeps on the sofa!',
    'the cat sleeps on the red sofa',
  ]
  const [kept, gone, near] = (await remember(client, texts)).map(idOf) as [string, string, string]
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

test('an asserted connection takes the place of a discovered one of the kept memory, until an undo', async () => {
  const tenant = freshTenant()
  const client = service.clientOf(tenant)
  const texts = [
    'the cat sleeps on the sofa',
    'The cat sleeps on the sofa!',
    'the cat sleeps on the red sofa',
  ]
  const [kept, gone, near] = (await remember(client, texts)).map(idOf) as [string, string, string]
  await service.drain(tenant)
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
  const { plan_id } = await client.planMaintenance({ kind: 'merge', filters: {}, threshold: 0.99 })
  await client.applyMaintenance({ id: plan_id as string })
  expect(await related()).toEqual([{ origin: 'asserted', ...said }])
  await client.undoMaintenance({ id: plan_id as string })
  expect(await related()).toEqual([])
  await service.drain(tenant)
  expect(await related()).toEqual(discovered)
})
