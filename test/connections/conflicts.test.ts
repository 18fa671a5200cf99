import { expect, test } from 'vitest'
import { graphql } from '../support/graphql.ts'
import { idOf, remember, rememberIds } from '../support/seed.ts'
import { problemOf, someMemory, withService } from '../support/service.ts'

const service = withService()

/** Two memories of which the first contradicts the second, and the client of their tenant. */
async function contradiction() {
  const { tenant, client } = service.newTenant()
  const [one, two] = (await remember(client, ['The bridge opens at noon', 'The bridge opens at nine'])).map(
    idOf,
  ) as [string, string]
  await client.createConnection({ source_id: one, target_id: two, relationship_type: 'contradicts' })
  return { tenant, client, one, two }
}

test('each result of a search names the active memories that it is in conflict with', async () => {
  const { client, one, two } = await contradiction()
  for (const search_type of ['semantic', 'keyword', 'hybrid'] as const) {
    const { results } = await client.searchMemories({ query: 'bridge opens', search_type })
    const conflicts = Object.fromEntries(results.map(({ memory, conflicts }) => [memory.id, conflicts]))
    expect(conflicts).toEqual({ [one]: [two], [two]: [one] })
  }
  await client.deleteMemory({ id: two })
  const { results } = await client.searchMemories({ query: 'bridge opens', search_type: 'hybrid' })
  expect(results.map(({ conflicts }) => conflicts)).toEqual([[]])
})

test('conflicts are listed until they are resolved, which archives one memory and ends its validity', async () => {
  const { tenant, client, one, two } = await contradiction()
  expect((await client.listConflicts()).conflicts).toMatchObject([
    { source: { id: one }, target: { id: two } },
  ])
  const { data } = await graphql(
    service,
    '{ listConflicts { conflicts { source { id } target { id } } hasMore } }',
    { tenant },
  )
  expect(data).toEqual({
    listConflicts: { conflicts: [{ source: { id: one }, target: { id: two } }], hasMore: false },
  })
  await client.resolveConflict({ keep_id: two, archive_id: one, reason: 'The sign says nine' })
  expect((await client.listConflicts()).conflicts).toEqual([])
  const archived = await client.getMemory({ id: one, record_recall: false })
  expect(archived).toMatchObject({ state: 'archived', archived_reason: 'superseded' })
  const { versions } = await client.getMemoryHistory({ id: one })
  expect(versions[0]).toMatchObject({ reason: `superseded by ${two}: The sign says nine` })
  expect(archived.valid_until).toBe(archived.archived_at)
})

test('only active memories that contradict each other can be resolved', async () => {
  const { client, one, two } = await contradiction()
  const other = await client.createMemory(someMemory({ content: 'Not in conflict' }))
  const foreign = await contradiction()
  const refusal = (keep_id: string, archive_id: string) =>
    problemOf(client.resolveConflict({ keep_id, archive_id }))
  expect(await refusal(one, one)).toMatchObject({ status: 422, pointers: ['/archive_id'] })
  expect(await refusal(one, other.id)).toMatchObject({ code: 'connection_not_found' })
  expect(await refusal(one, foreign.two)).toMatchObject({ code: 'memory_not_found' })
  await client.deleteMemory({ id: two })
  expect(await refusal(one, two)).toMatchObject({ code: 'memory_archived' })
})

test('a discovered connection that was removed is not discovered again, until a content changes', async () => {
  const { tenant, client } = service.newTenant()
  const texts = ['the cat sleeps on the sofa', 'the cat sleeps on the sofa now']
  const [old, young] = (await rememberIds(client, texts)) as [string, string]
  await service.drain(tenant)
  const connections = async () => (await client.listConnections({ origin: 'discovered' })).total
  expect(await connections()).toBe(1)
  await client.deleteConnection({ source_id: young, target_id: old })
  for (const id of [old, young]) {
    await client.deleteMemory({ id })
    await client.restoreMemory({ id })
  }
  await service.drain(tenant)
  expect(await connections()).toBe(0)
  await client.updateMemory({ id: old, content: 'the cat sleeps on the sofa today' })
  await service.drain(tenant)
  expect(await connections()).toBe(1)
})
