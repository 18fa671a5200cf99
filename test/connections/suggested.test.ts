import { expect, test } from 'vitest'
import { exported, imported } from '../../tools/bundle-lines.ts'
import { freshTenant, problemOf, someMemory, withService } from '../support/service.ts'

const service = withService()

/** Memories of one tenant that are all near each other, in the order in which they were written, discovered. */
async function discovered(...contents: string[]) {
  const { tenant, client } = service.newTenant()
  const ids: string[] = []
  for (const content of contents) ids.push((await client.createMemory(someMemory({ content }))).id)
  await service.drain(tenant)
  const listed = async (status: 'suggested' | 'rejected' | 'confirmed') =>
    (await client.listConflicts({ status })).conflicts.map(({ source, target }) => [source.id, target.id])
  return { tenant, client, ids: ids as [string, string, string], listed }
}

test('a pair that says nearly the same with another value is suggested, with the rule and the reason, and is in no hit', async () => {
  const { client, ids, listed } = await discovered(
    'The office is in Ghent',
    'The office is in Porto',
    'The garden needs water',
  )
  const [old, now] = ids
  const { conflicts } = await client.listConflicts({ status: 'suggested' })
  expect(conflicts).toEqual([
    expect.objectContaining({
      source: expect.objectContaining({ id: now }),
      target: expect.objectContaining({ id: old }),
      status: 'suggested',
      rule: 'place',
      reason: '“Porto” in one is “Ghent” in the other.',
    }),
  ])
  expect(await listed('confirmed')).toEqual([])
  const { results } = await client.searchMemories({ query: 'office', search_type: 'keyword' })
  expect(results.map(({ conflicts: ids }) => ids)).toEqual([[], []])
  expect((await client.listConnections({ relationship_type: 'contradicts' })).connections).toEqual([])
})

test('a confirmed suggestion is a conflict, and a rejected one is not suggested again', async () => {
  const { client, ids, listed } = await discovered('The release is on Friday', 'The release is on Monday')
  const [old, now] = ids
  const review = (outcome: 'confirmed' | 'rejected') =>
    client.reviewConflict({ source_id: old, target_id: now, outcome })
  expect(await review('rejected')).toEqual({ source_id: now, target_id: old, status: 'rejected' })
  expect([await listed('suggested'), await listed('rejected')]).toEqual([[], [[now, old]]])
  await review('confirmed')
  expect([await listed('confirmed'), await listed('rejected')]).toEqual([[[now, old]], []])
  const reason = '“Monday” in one is “Friday” in the other.'
  expect((await client.listConflicts({})).conflicts).toMatchObject([{ rule: null, reason }])
  const { connections } = await client.listConnections({ relationship_type: 'contradicts' })
  expect(connections).toMatchObject([{ connection: { origin: 'asserted', reason } }])
  expect(await problemOf(review('rejected'))).toMatchObject({ code: 'connection_not_found' })
})

test('a suggestion goes when its text no longer warrants it, and with its memories', async () => {
  const { tenant, client, ids, listed } = await discovered(
    'The limit is 100 requests',
    'The limit is 250 requests',
    'The limit is 400 requests',
  )
  expect(await listed('suggested')).toHaveLength(3)
  await client.updateMemory({ id: ids[1], content: 'The garden needs water' })
  await service.drain(tenant)
  expect(await listed('suggested')).toEqual([[ids[2], ids[0]]])
  await client.deleteMemory({ id: ids[2], hard: true })
  expect(await listed('suggested')).toEqual([])
})

test('a rejected one stays so when it is discovered again or carried to another tenant, until a text changes', async () => {
  const { tenant, client, ids, listed } = await discovered(
    'The limit is 100 requests',
    'The limit is 250 requests',
  )
  const [old, now] = ids
  await client.reviewConflict({ source_id: now, target_id: old, outcome: 'rejected' })
  for (const id of [old, now]) {
    await client.deleteMemory({ id })
    expect(await listed('rejected')).toEqual([])
    await client.restoreMemory({ id })
  }
  await service.drain(tenant)
  expect([await listed('suggested'), await listed('rejected')]).toEqual([[], [[now, old]]])
  const to = freshTenant()
  await imported(service.clientOf(to), await exported(client))
  await service.drain(to)
  const there = async (status: 'suggested' | 'rejected') =>
    (await service.clientOf(to).listConflicts({ status })).conflicts.map(({ source, target }) => [
      source.id,
      target.id,
    ])
  expect([await there('suggested'), await there('rejected')]).toEqual([[], [[now, old]]])
  await client.updateMemory({ id: old, content: 'The limit is 300 requests' })
  expect(await listed('rejected')).toEqual([])
  await service.drain(tenant)
  expect([await listed('suggested'), await listed('rejected')]).toEqual([[[now, old]], []])
})

test('a bundle carries suggestions with rule and reason to where the texts are the same', async () => {
  const { tenant, client, ids } = await discovered('The limit is 100 requests', 'The limit is 250 requests')
  const { conflicts } = await client.listConflicts({ status: 'suggested' })
  const shown = (from: typeof conflicts) =>
    from.map(({ source, target, rule, reason, created_at }) => [
      source.id,
      target.id,
      rule,
      reason,
      created_at,
    ])
  const lines = await exported(client)
  await service.cypher('MATCH (n) WHERE n.tenant = $tenant DETACH DELETE n', { tenant })
  const to = freshTenant()
  const there = service.clientOf(to)
  const first = await imported(there, lines)
  expect(first.totals.rejections).toMatchObject({ created: 1 })
  expect(shown((await there.listConflicts({ status: 'suggested' })).conflicts)).toEqual(shown(conflicts))
  expect((await imported(there, lines)).totals.rejections).toMatchObject({ unchanged: 1 })
  await there.reviewConflict({ source_id: ids[1], target_id: ids[0], outcome: 'rejected' })
  expect((await imported(there, lines)).totals.rejections).toMatchObject({ kept: 1 })
  await there.updateMemory({ id: ids[0], content: 'The garden needs water' })
  await service.drain(to)
  expect((await imported(there, lines)).totals.rejections).toMatchObject({ kept: 1 })
  expect((await there.listConflicts({ status: 'suggested' })).conflicts).toEqual([])
})

test('who keeps one of a suggested pair resolves it, and what was confirmed and disconnected is not suggested again', async () => {
  const { tenant, client, ids, listed } = await discovered('The office is in Ghent', 'The office is in Porto')
  const [old, now] = ids
  await client.resolveConflict({ keep_id: now, archive_id: old })
  expect([await listed('suggested'), await listed('confirmed')]).toEqual([[], []])
  await client.restoreMemory({ id: old })
  await service.drain(tenant)
  expect(await listed('confirmed')).toEqual([[now, old]])
  await client.deleteConnection({ source_id: now, target_id: old, relationship_type: 'contradicts' })
  expect([await listed('suggested'), await listed('confirmed')]).toEqual([[], []])
})

test('texts that hold at different times are no conflict', async () => {
  const { tenant, client } = service.newTenant()
  const at = '2026-06-01T00:00:00Z'
  await client.createMemory(someMemory({ content: 'The office is in Ghent', valid_until: at }))
  await client.createMemory(someMemory({ content: 'The office is in Porto', valid_from: at }))
  await service.drain(tenant)
  expect((await client.listConflicts({ status: 'suggested' })).conflicts).toEqual([])
})

test('suggestions are read page by page, each once', async () => {
  const { client } = await discovered(
    ...Array.from({ length: 4 }, (_, at) => `The limit is ${100 + at} requests`),
  )
  const seen: string[] = []
  for (let cursor: string | undefined; ; ) {
    const page = await client.listConflicts({ status: 'suggested', limit: 2, ...(cursor && { cursor }) })
    seen.push(...page.conflicts.map(({ source, target }) => source.id + target.id))
    if (page.next_cursor === null) break
    cursor = page.next_cursor
  }
  expect(new Set(seen).size).toBe(6)
  expect(seen).toHaveLength(6)
})
