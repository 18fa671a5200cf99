import { expect, test } from 'vitest'
import { runInProcess } from '../support/in-process-cli.ts'
import { ask } from '../support/mcp.ts'
import { idOf } from '../support/seed.ts'
import { freshTenant, problemOf, someMemory, withService } from '../support/service.ts'

const service = withService()
const PAST = '2020-06-01T00:00:00.000Z'
const LATER = '2999-01-01T00:00:00.000Z'

/** A memory that another one has replaced, in a tenant of its own. */
async function superseded(fields: Parameters<typeof someMemory>[0] = {}) {
  const { tenant, client } = service.newTenant()
  const old = await client.createMemory(
    someMemory({ content: 'The ferry leaves at noon', tags: ['ferry'], ...fields }),
  )
  const next = await client.createMemory(
    someMemory({ content: 'The ferry leaves at one', tags: ['ferry'], supersedes: [old.id] }),
  )
  await service.drain(tenant)
  return { tenant, client, old: old.id, next: next.id }
}

type Client = typeof service.client
const memoryOf = (client: Client, id: string) => client.getMemory({ id, record_recall: false })

/** The ids that each kind of search and a walk from a memory find. */
async function found(client: Client, valid_at: string | undefined, from: string) {
  const at = valid_at === undefined ? {} : { valid_at }
  const searches = (['semantic', 'keyword', 'hybrid'] as const).flatMap(search_type =>
    [{}, { tags: ['ferry'] }].map(filter =>
      client.searchMemories({ query: 'ferry leaves', search_type, ...filter, ...at }),
    ),
  )
  const results = (await Promise.all(searches)).map(({ results }) => results.map(({ memory }) => memory.id))
  const context = await client.composeContext({
    query: 'When does the ferry leave?',
    min_relevance: 0,
    ...at,
  })
  const { related } = await client.relatedMemories({ id: from, ...at })
  return [
    ...results,
    context.sources.map(({ memory_id }) => memory_id),
    [from, ...related.map(({ memory }) => memory.id)],
  ].map(ids => ids.toSorted())
}

const everywhere = (...ids: string[]) => Array.from({ length: 8 }, () => ids.toSorted())

test('a superseded memory that is restored holds again, is found, and is in conflict with its successor', async () => {
  const { client, old, next } = await superseded()
  expect(await found(client, undefined, next)).toEqual(everywhere(next))
  expect(await client.restoreMemory({ id: old })).toMatchObject({
    state: 'active',
    valid_until: null,
    version: 3,
  })
  expect(await found(client, undefined, next)).toEqual(everywhere(old, next))
  expect((await client.listConflicts()).conflicts).toMatchObject([
    { source: { id: next }, target: { id: old } },
  ])
  const again = someMemory({ content: 'The ferry leaves at noon', on_duplicate: 'return' })
  expect(await client.createMemory(again)).toMatchObject({ duplicate_of: old })
})

test('so is one that lost a conflict, and it can lose it again', async () => {
  const { client, old, next } = await superseded()
  await client.restoreMemory({ id: old })
  await client.resolveConflict({ keep_id: old, archive_id: next, reason: 'The timetable says noon' })
  expect(await memoryOf(client, next)).toMatchObject({ state: 'archived', archived_reason: 'superseded' })
  expect((await client.getMemoryHistory({ id: next })).versions[0]?.reason).toBe(
    `superseded by ${old}: The timetable says noon`,
  )
  expect(await found(client, undefined, old)).toEqual(everywhere(old))
  expect((await client.restoreMemory({ id: next })).valid_until).toBeNull()
  expect(await found(client, undefined, next)).toEqual(everywhere(old, next))
  await client.resolveConflict({ keep_id: next, archive_id: old })
  expect(await found(client, undefined, next)).toEqual(everywhere(next))
})

test('an end that a caller has set stays through supersession and restore', async () => {
  const { client, old } = await superseded({ valid_until: LATER })
  expect(await client.restoreMemory({ id: old })).toMatchObject({ state: 'active', valid_until: LATER })
  const planned = await superseded({ valid_from: LATER })
  expect(await planned.client.restoreMemory({ id: planned.old })).toMatchObject({
    valid_from: LATER,
    valid_until: null,
  })
})

test('a fact that was superseded is found for a time when it held, with its state, and not for now', async () => {
  const { client, old, next } = await superseded({ valid_from: '2020-01-01T00:00:00.000Z' })
  await client.updateMemory({ id: next, valid_from: '2020-02-01T00:00:00.000Z' })
  expect(await found(client, PAST, next)).toEqual(everywhere(old, next))
  for (const time of [undefined, 'any', LATER])
    expect(await found(client, time, next)).toEqual(everywhere(next))
  await client.updateMemory({ id: next, valid_from: '2021-01-01T00:00:00.000Z' })
  const { results } = await client.searchMemories({ query: 'ferry', search_type: 'hybrid', valid_at: PAST })
  expect(results).toMatchObject([{ memory: { id: old, state: 'archived', archived_reason: 'superseded' } }])
  const { text } = await client.composeContext({ query: 'ferry leaves', min_relevance: 0, valid_at: PAST })
  expect(text).toContain(`${old} 20`)
  expect(text).toContain('(superseded since)')
  expect(
    (await client.searchMemories({ query: 'ferry', search_type: 'hybrid', valid_at: '2019-01-01T00:00:00Z' }))
      .results,
  ).toEqual([])
})

test('what was archived for another reason is not found for any time', async () => {
  const { client, old, next } = await superseded()
  await client.restoreMemory({ id: old })
  await client.deleteMemory({ id: old })
  expect(await found(client, PAST, next)).toEqual(everywhere(next))
})

test('a plan to forget what held at a time leaves what is archived alone', async () => {
  const { client, next } = await superseded()
  const { changes } = await client.planMaintenance({
    kind: 'forget',
    filters: { tags: ['ferry'], valid_at: PAST },
  })
  expect(changes.map(({ memory_id }) => memory_id)).toEqual([next])
})

test('after an export and an import into another tenant it is the same', async () => {
  const { tenant, old, next } = await superseded()
  const response = await service.request('/export', { headers: { 'x-tenant-id': tenant } })
  const bundle = await response.text()
  const copy = service.clientOf(freshTenant())
  await copy.importBundle({ lines: bundle.trim().split('\n') })
  expect(await found(copy, PAST, next)).toEqual(everywhere(old, next))
  expect(await copy.restoreMemory({ id: old })).toMatchObject({ state: 'active', valid_until: null })
  expect(await found(copy, undefined, next)).toEqual(everywhere(old, next))
})

test('a revert to the superseded version does not end its validity', async () => {
  const { client, old, next } = await superseded()
  expect((await problemOf(client.revertMemory({ id: old, version: 1 }))).code).toBe('memory_archived')
  await client.restoreMemory({ id: old })
  expect(await client.revertMemory({ id: old, version: 2 })).toMatchObject({
    state: 'active',
    valid_until: null,
  })
  expect(await found(client, undefined, next)).toEqual(everywhere(old, next))
})

test('it is restored also when its successor is gone for good', async () => {
  const { client, old, next } = await superseded()
  await client.deleteMemory({ id: next, hard: true })
  expect(await client.restoreMemory({ id: old })).toMatchObject({ state: 'active', valid_until: null })
  expect((await client.listConflicts()).conflicts).toEqual([])
  expect(await found(client, undefined, old)).toEqual(everywhere(old))
})

test('an undo of maintenance leaves what was superseded since as it is', async () => {
  const client = service.clientOf(freshTenant())
  const { id } = await client.createMemory(someMemory({ content: 'The ferry is red', tags: ['ferry'] }))
  const plan = await client.planMaintenance({ kind: 'forget', filters: { tags: ['ferry'] } })
  await client.applyMaintenance({ id: plan.plan_id as string })
  await client.restoreMemory({ id })
  await client.createMemory(someMemory({ content: 'The ferry is blue', supersedes: [id] }))
  expect(await client.undoMaintenance({ id: plan.plan_id as string })).toMatchObject({
    undone: 0,
    skipped: [id],
  })
  expect(await memoryOf(client, id)).toMatchObject({ state: 'archived', archived_reason: 'superseded' })
  expect(await client.restoreMemory({ id })).toMatchObject({ state: 'active', valid_until: null })
})

test('agents and the command line read whether a restored memory is found', async () => {
  const say = async (name: string, args: object) => {
    const { result } = await ask(service, 'tools/call', { name, arguments: args })
    return (result as { content: { text: string }[] }).content[0]?.text
  }
  const [over, open] = (
    await service.client.createMemories({
      memories: [someMemory({ valid_until: PAST }), someMemory({ content: 'The ferry is slow' })],
    })
  ).memories.map(idOf) as [string, string]
  await service.client.createMemory(someMemory({ content: 'The ferry is fast', supersedes: [open] }))
  await service.client.deleteMemory({ id: over })
  expect(
    await say('search_memories', { query: 'ferry slow', search_type: 'keyword', valid_at: PAST }),
  ).toContain('(superseded)')
  expect(await say('restore_memory', { id: open })).toBe(`${open} is active.`)
  expect(await say('restore_memory', { id: over })).toBe(
    `${over} is active. It held until ${PAST}: to have it found, clear valid_until.`,
  )
  expect((await runInProcess(['restore', over], { service })).err).toContain(
    `edit ${over} --clear valid-until`,
  )
})
