import { expect, test } from 'vitest'
import { bundleLines } from '../../tools/bundle-lines.ts'
import { ask } from '../support/graphql.ts'
import { idOf, remember, rememberIds } from '../support/seed.ts'
import { freshTenant, problemOf, someMemory, withServicePerTest } from '../support/service.ts'

const service = withServicePerTest()

test('a memory has a kind, by which lists, searches, walks and plans find it', async () => {
  const { client } = service
  const made = await remember(client, [
    { content: 'tea at five', kind: 'preference' },
    { content: 'tea was chosen', kind: 'decision' },
    { content: 'tea is a plant' },
  ])
  const [preference, decision, none] = made.map(idOf) as [string, string, string]
  expect(made.map(({ kind }) => kind)).toEqual(['preference', 'decision', null])
  const listed = await client.listMemories({ kind: 'decision' })
  expect(listed.memories.map(idOf)).toEqual([decision])
  for (const search_type of ['semantic', 'keyword', 'hybrid'] as const) {
    const found = await client.searchMemories({ query: 'tea', search_type, none: [{ kind: 'decision' }] })
    expect(found.results.map(({ memory }) => memory.id).toSorted()).toEqual([preference, none].toSorted())
  }
  await client.createConnection({ source_id: none, target_id: decision, relationship_type: 'supports' })
  await client.createConnection({ source_id: none, target_id: preference, relationship_type: 'supports' })
  const { related } = await client.relatedMemories({ id: none, kind: 'preference' })
  expect(related.map(({ memory }) => memory.id)).toEqual([preference])
  const { changes } = await client.planMaintenance({ kind: 'forget', filters: { kind: 'preference' } })
  expect(changes.map(({ memory_id }) => memory_id)).toEqual([preference])
  const data = await ask(service, '{ memories(where: { kind: { eq: "decision" } }) { id kind } }')
  expect(data.memories).toEqual([{ id: decision, kind: 'decision' }])
})

test('the kinds in use are listed, the most frequent first', async () => {
  const { client } = service
  await remember(
    client,
    ['task', 'fact', 'task', 'event'].map(kind => ({ content: kind, kind })),
  )
  const { values } = await client.listKinds({})
  expect(values).toEqual([
    { value: 'task', count: 2 },
    { value: 'event', count: 1 },
    { value: 'fact', count: 1 },
  ])
  expect((await client.listKinds({ prefix: 'ta' })).values).toEqual([{ value: 'task', count: 2 }])
})

test('a kind is changed, cleared and reverted, and its versions show it', async () => {
  const { client } = service
  const { id } = await client.createMemory(someMemory({ kind: 'task' }))
  expect(await client.updateMemory({ id, kind: 'event' })).toMatchObject({ kind: 'event', version: 2 })
  expect(await client.updateMemory({ id, clear: ['kind'] })).toMatchObject({ kind: null, version: 3 })
  expect((await client.listMemories({ kind: 'event' })).memories).toEqual([])
  const { versions } = await client.getMemoryHistory({ id })
  expect(versions.map(({ memory }) => memory.kind)).toEqual([null, 'event', 'task'])
  expect(await client.revertMemory({ id, version: 1 })).toMatchObject({ kind: 'task', version: 4 })
  expect((await client.listMemories({ kind: 'task' })).memories.map(idOf)).toEqual([id])
})

test.each(['', 'Fact', 'two words', 'x'.repeat(65)])('“%s” is no kind', async kind => {
  expect(await problemOf(service.client.createMemory(someMemory({ kind })))).toMatchObject({
    pointers: ['/kind'],
  })
})

test('a bundle takes the kind along, and one without kinds is imported as before', async () => {
  const { client } = service
  const made = await client.createMemory(someMemory({ kind: 'fact' }))
  let text = ''
  for await (const piece of (await client.exportBundle({})).pieces) text += piece
  const other = service.clientOf(freshTenant())
  await other.importBundle({ lines: text.trim().split('\n'), mode: 'merge', dry_run: false })
  expect((await other.listMemories({ kind: 'fact' })).memories).toMatchObject([{ id: made.id, kind: 'fact' }])
  const old = JSON.parse(text.split('\n').find(line => line.includes(made.id)) as string)
  delete old.kind
  const third = service.clientOf(freshTenant())
  await third.importBundle({ lines: bundleLines([old]), mode: 'merge', dry_run: false })
  expect((await third.listMemories({})).memories).toMatchObject([{ id: made.id, kind: null }])
})

test('the text that is stored already names a kind that it does not have', async () => {
  const { client } = service
  await client.createMemory(someMemory({ kind: 'fact' }))
  const again = await client.createMemory(someMemory({ kind: 'task', on_duplicate: 'return' }))
  expect(again).toMatchObject({ kind: 'fact', not_stored: ['kind'] })
})

test('a merge keeps the kind of the memory that is kept, and its undo gives the others theirs back', async () => {
  const { client, drain } = service
  const rows = ['fact', 'task'].map(kind => ({ content: 'the same words', kind }))
  const [kept, merged] = (await rememberIds(client, rows)) as [string, string]
  await drain()
  const { plan_id } = await client.planMaintenance({ kind: 'merge' })
  const { run_id } = await client.applyMaintenance({ id: plan_id as string })
  expect((await client.getMemory({ id: kept })).kind).toBe('fact')
  await client.undoMaintenance({ id: run_id })
  expect((await client.getMemory({ id: merged })).kind).toBe('task')
  expect((await client.listMemories({ kind: 'task' })).memories.map(idOf)).toEqual([merged])
})
