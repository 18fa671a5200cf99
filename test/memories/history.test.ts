import { expect, test } from 'vitest'
import { ask } from '../support/graphql.ts'
import { freshTenant, problemOf, someMemory, withService } from '../support/service.ts'

const service = withService({ settings: { SERVICE_HISTORY_VERSIONS: '3' } })

const historyOf = async (id: string) => (await service.client.getMemoryHistory({ id })).versions

test('each change is a version with its author and the fields that changed, the newest first', async () => {
  const memory = await service.client.createMemory(
    someMemory({ content: 'The key is under the mat', tags: ['home'] }),
  )
  const { id } = memory
  await service.client.updateMemory({ id, content: 'The key is with Ada', importance: 0.9 })
  await service.client.getMemory({ id })
  await service.client.deleteMemory({ id })
  await service.client.restoreMemory({ id })
  const versions = await historyOf(id)
  expect(versions.map(({ version, author, changed }) => [version, author, changed])).toEqual([
    [4, 'operator', ['state', 'archived_reason']],
    [3, 'operator', ['state', 'archived_reason']],
    [2, 'operator', ['content', 'importance']],
    [1, 'operator', []],
  ])
  expect(versions[3]).toMatchObject({
    at: memory.updated_at,
    memory: { content: 'The key is under the mat' },
  })
  const page = await service.client.getMemoryHistory({ id, limit: 1, before_version: 4 })
  expect(page).toMatchObject({
    versions: [{ version: 3, changed: ['state', 'archived_reason'] }],
    has_more: true,
  })
  const { getMemoryHistory } = await ask(
    service,
    `{ getMemoryHistory(id: "${id}", limit: 2) { versions { version memory { content } } hasMore } }`,
  )
  expect(getMemoryHistory.versions).toEqual([
    { version: 4, memory: { content: 'The key is with Ada' } },
    { version: 3, memory: { content: 'The key is with Ada' } },
  ])
  const { memories } = await ask(
    service,
    `{ memories(where: { id: { eq: "${id}" } }) { history(limit: 1) { version author changed memory { metadata state } } } }`,
  )
  expect(memories[0].history).toEqual([
    {
      version: 4,
      author: 'operator',
      changed: ['state', 'archived_reason'],
      memory: { metadata: {}, state: 'ACTIVE' },
    },
  ])
})

test('only so many earlier versions are kept, and none after a hard delete', async () => {
  const { id } = await service.client.createMemory(someMemory())
  for (const importance of [0.1, 0.2, 0.3, 0.4, 0.5]) await service.client.updateMemory({ id, importance })
  expect((await historyOf(id)).map(({ version }) => version)).toEqual([6, 5, 4, 3])
  await service.client.deleteMemory({ id, hard: true })
  expect(await service.cypher('MATCH (v:Version {tenant: $tenant, memoryId: $id}) RETURN v', { id })).toEqual(
    [],
  )
  expect(await problemOf(service.client.getMemoryHistory({ id }))).toMatchObject({ code: 'memory_not_found' })
})

test('a revert makes an earlier version current as a new one, and what was empty then is empty again', async () => {
  const { id } = await service.client.createMemory(someMemory({ content: 'a truck engine', tags: ['first'] }))
  await service.client.updateMemory({
    id,
    content: 'music of a guitar',
    tags: [],
    source: 'later',
    metadata: { a: 1 },
  })
  const reverted = await service.client.revertMemory({ id, version: 1 })
  expect(reverted).toMatchObject({
    content: 'a truck engine',
    tags: ['first'],
    source: null,
    metadata: {},
    version: 3,
    embedding: { status: 'ready' },
  })
  expect((await historyOf(id))[0]).toMatchObject({ version: 3, reason: 'reverted to version 1' })
  const found = await service.client.searchMemories({
    query: 'truck',
    search_type: 'keyword',
    tags: ['first'],
  })
  expect(found.results[0]?.memory.id).toBe(id)
})

test('a version that is not kept, another version than expected, and an archived memory are refused', async () => {
  const { id } = await service.client.createMemory(someMemory())
  const refusal = (version: number, headers = {}) =>
    problemOf(service.client.revertMemory({ id, version }, { headers }))
  expect(await refusal(7)).toMatchObject({ status: 404, code: 'version_not_found' })
  await service.client.updateMemory({ id, importance: 1 })
  expect(await refusal(1, { 'if-match': '"1"' })).toMatchObject({ status: 412 })
  await service.client.deleteMemory({ id })
  expect(await refusal(1)).toMatchObject({ code: 'memory_archived' })
})

test('a rule of maintenance is the author of what it changes, and an undo is a version of its own', async () => {
  const client = service.clientOf(freshTenant())
  const { id } = await client.createMemory(someMemory({ tags: ['to forget'] }))
  const { plan_id } = await client.planMaintenance({ kind: 'forget', filters: { tags: ['to forget'] } })
  await client.applyMaintenance({ id: plan_id as string })
  expect((await client.getMemoryHistory({ id })).versions).toMatchObject([
    { version: 2, author: 'rule:forget', reason: 'it matches the filters' },
    { version: 1, author: 'operator' },
  ])
  await client.undoMaintenance({ id: plan_id as string })
  expect((await client.getMemoryHistory({ id })).versions).toMatchObject([
    { version: 3, author: 'operator', reason: `undo of the run ${plan_id}` },
    { version: 2, author: 'rule:forget' },
    { version: 1, author: 'operator' },
  ])
})

test('a revert or a change that keeps the text does not embed it again', async () => {
  const { id } = await service.client.createMemory(someMemory({ content: 'The text stays', importance: 0.1 }))
  const embedded = () => service.embeddings.requests.flatMap(({ texts }) => texts).length
  const before = embedded()
  await service.client.updateMemory({ id, importance: 0.9, content: 'The text stays' })
  const reverted = await service.client.revertMemory({ id, version: 1 })
  expect(reverted).toMatchObject({ version: 3, importance: 0.1, embedding: { status: 'ready' } })
  expect(embedded()).toBe(before)
  await service.client.updateMemory({ id, content: 'Another text' })
  await service.client.revertMemory({ id, version: 1 })
  expect(embedded()).toBe(before + 2)
})
