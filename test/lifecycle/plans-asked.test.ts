import { expect, test } from 'vitest'
import type { Client } from '../../src/client.ts'
import { idOf, remember } from '../support/seed.ts'
import { freshTenant, problemOf, someMemory, withService } from '../support/service.ts'

const service = withService()

/** All that a bundle says of a tenant, line by line, without what each new version changes. */
async function bundleOf(client: Client): Promise<string[]> {
  let text = ''
  for await (const piece of (await client.exportBundle()).pieces) text += piece
  // The first line has the time of the export, the last one a digest of all before it.
  const lines = text.split('\n').slice(1, -2)
  return lines.map(line => line.replaceAll(/"(version|updated_at)":[^,}]*/g, '')).toSorted()
}

test('a plan to forget archives exactly what matches its filters, and its undo leaves nothing of it', async () => {
  const client = service.clientOf(freshTenant())
  const source = 'wiki/old'
  const memories = [{ source }, { source, tags: ['kept'] }, { source: 'wiki/new' }].map((fields, at) =>
    someMemory({ content: `Fact ${at}`, ...fields }),
  )
  const ids = (await client.createMemories({ memories })).memories.map(idOf)
  const before = await bundleOf(client)
  const plan = await client.planMaintenance({ kind: 'forget', filters: { source } })
  expect(plan.changes.map(({ memory_id, change, rule }) => [memory_id, change, rule])).toEqual(
    ids.slice(0, 2).map(id => [id, 'archive', 'forget']),
  )
  expect((await client.listMemories()).memories).toHaveLength(3)
  await client.applyMaintenance({ id: plan.plan_id as string })
  const left = (await client.listMemories()).memories
  expect(left.map(idOf)).toEqual([ids[2]])
  const forgotten = await client.getMemory({ id: ids[0] as string, record_recall: false })
  expect(forgotten).toMatchObject({ state: 'archived', archived_reason: 'forgotten' })
  expect((await client.listMaintenanceRuns()).runs).toMatchObject([{ kind: 'forget', state: 'applied' }])
  await client.undoMaintenance({ id: plan.plan_id as string })
  expect(await bundleOf(client)).toEqual(before)
})

test('a plan to forget without a filter is refused, and so is one whose memories have changed', async () => {
  const client = service.clientOf(freshTenant())
  const { id } = await client.createMemory(someMemory({ tags: ['x'] }))
  for (const filters of [undefined, {}, { tags: [] }, { tags_match: 'any' as const }, { metadata: {} }])
    expect(
      await problemOf(client.planMaintenance({ kind: 'forget', ...(filters && { filters }) })),
    ).toMatchObject({
      status: 422,
      pointers: ['/filters'],
    })
  const plan = await client.planMaintenance({ kind: 'forget', filters: { tags: ['x'] } })
  await client.updateMemory({ id, importance: 1 })
  expect(await problemOf(client.applyMaintenance({ id: plan.plan_id as string }))).toMatchObject({
    code: 'plan_moved',
  })
  expect(
    await client.planMaintenance({ kind: 'forget', filters: { tags: ['nobody has it'] } }),
  ).toMatchObject({
    plan_id: null,
    changes: [],
  })
})

test('a plan to merge keeps one of near duplicates with the tags, metadata and connections of all, and can be undone', async () => {
  const tenant = freshTenant()
  const client = service.clientOf(tenant)
  const [old, young, other, far] = (
    await remember(client, [
      { content: 'the cat sleeps on the sofa', tags: ['a'], metadata: { room: 'one', floor: 1 } },
      { content: 'The cat sleeps on the sofa!', tags: ['b', 'a'], metadata: { room: 'two', color: 'red' } },
      { content: 'a truck engine' },
      { content: 'music of a guitar' },
    ])
  ).map(idOf) as [string, string, string, string]
  await service.drain(tenant)
  await client.createConnection({ source_id: young, target_id: other, relationship_type: 'supports' })
  await client.createConnection({
    source_id: far,
    target_id: young,
    relationship_type: 'part_of',
    strength: 0.5,
  })
  await client.createConnection({ source_id: young, target_id: old, relationship_type: 'references' })
  const before = await bundleOf(client)

  const plan = await client.planMaintenance({ kind: 'merge' })
  expect(plan.changes).toMatchObject([
    { memory_id: old, change: 'merge', reason: 'kept as the oldest one; takes over from 1' },
    { memory_id: young, change: 'archive' },
  ])
  expect(plan.changes[1]?.reason).toContain(`near duplicate of ${old}`)
  await client.applyMaintenance({ id: plan.plan_id as string })
  expect(await client.getMemory({ id: old, record_recall: false })).toMatchObject({
    tags: ['a', 'b'],
    metadata: { room: 'one', floor: 1, color: 'red' },
    version: 2,
  })
  expect(await client.getMemory({ id: young, record_recall: false })).toMatchObject({
    archived_reason: 'merged',
  })
  const edges = async (filter: object) =>
    (await client.listConnections(filter)).connections.map(({ source_id, connection }) => [
      source_id,
      connection.relationship_type,
      connection.target_id,
      connection.strength,
    ])
  expect(await edges({ source_id: old })).toEqual([[old, 'supports', other, null]])
  expect(await edges({ target_id: old, relationship_type: 'part_of' })).toEqual([[far, 'part_of', old, 0.5]])
  const tagged = await client.searchMemories({ query: 'cat', search_type: 'keyword', tags: ['b'] })
  expect(tagged.results.map(({ memory }) => memory.id)).toEqual([old])

  await client.undoMaintenance({ id: plan.plan_id as string })
  await service.drain(tenant)
  expect(await bundleOf(client)).toEqual(before)
})

test('a plan to merge does nothing if one of its memories has changed, whichever of them', async () => {
  for (const changed of [0, 1]) {
    const tenant = freshTenant()
    const client = service.clientOf(tenant)
    const ids = (await remember(client, ['the cat sleeps on the sofa', 'The cat sleeps on the sofa!'])).map(
      idOf,
    )
    await service.drain(tenant)
    const plan = await client.planMaintenance({ kind: 'merge' })
    expect(plan.changes).toHaveLength(2)
    await client.updateMemory({ id: ids[changed] as string, importance: 0.9 })
    const before = await bundleOf(client)
    expect(await problemOf(client.applyMaintenance({ id: plan.plan_id as string }))).toMatchObject({
      status: 409,
      code: 'plan_moved',
    })
    expect(await bundleOf(client)).toEqual(before)
  }
})
