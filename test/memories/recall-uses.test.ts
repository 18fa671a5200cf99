import { expect, test } from 'vitest'
import { toolName } from '../../src/api/mcp/tools.ts'
import { graphql } from '../support/graphql.ts'
import { endBurst } from '../support/lifecycle.ts'
import { ask } from '../support/mcp.ts'
import { idOf, remember } from '../support/seed.ts'
import { OPERATOR_KEY, withService } from '../support/service.ts'
import { beforeFirst } from '../support/statements.ts'

const service = withService()
const RECORDS = 'CREATE (:Recall '

/** A tenant with three memories, of which a search for `quince` finds the first two. */
async function threeMemories() {
  const { tenant, client } = service.newTenant()
  const made = await remember(client, ['quince jelly', 'quince cake', 'a wooden boat'])
  const ids = made.map(idOf) as [string, string, string]
  return {
    tenant,
    client,
    ids,
    search: (fields: { record_recall?: boolean; limit?: number } = {}) =>
      client.searchMemories({ query: 'quince', search_type: 'keyword', ...fields }),
    async counts() {
      await service.app.recalls.flush(service.app)
      return Promise.all(
        ids.map(async id => (await client.getMemory({ id, record_recall: false })).recall_count),
      )
    },
    recalls: () =>
      service.cypher('MATCH (r:Recall {tenant: $tenant}) RETURN r.memoryId AS id ORDER BY id', { tenant }),
  }
}

test('a search that is recorded recalls each of its results, and no other memory', async () => {
  const { ids, search, counts, recalls } = await threeMemories()
  await search({ record_recall: true })
  expect(await counts()).toEqual([1, 1, 0])
  expect(await recalls()).toEqual(
    ids
      .slice(0, 2)
      .toSorted()
      .map(id => ({ id })),
  )
})

test('a search recalls only what it returns', async () => {
  const { search, counts } = await threeMemories()
  const { results, has_more } = await search({ record_recall: true, limit: 1 })
  expect([results.length, has_more]).toEqual([1, true])
  expect((await counts()).reduce((sum, count) => sum + count)).toBe(1)
})

test('a search records nothing unless that is asked', async () => {
  const { search, counts } = await threeMemories()
  await search()
  await search({ record_recall: false })
  expect(await counts()).toEqual([0, 0, 0])
})

test('searches, contexts and fetches within thirty seconds are one recall; later ones are another', async () => {
  const { client, ids, search, counts } = await threeMemories()
  await client.getMemory({ id: ids[0] })
  await Promise.all(Array.from({ length: 8 }, () => search({ record_recall: true })))
  await client.composeContext({ query: 'quince', min_relevance: 0 })
  expect((await counts()).slice(0, 2)).toEqual([1, 1])
  await endBurst(service, ids[1])
  await search({ record_recall: true })
  expect((await counts()).slice(0, 2)).toEqual([1, 2])
})

test('a context recalls each memory in its text: hits, contradictions and neighbours', async () => {
  const { client, ids, counts } = await threeMemories()
  const [jelly, cake, boat] = ids
  await client.createConnection({ source_id: boat, target_id: cake, relationship_type: 'contradicts' })
  const context = (record_recall?: boolean) =>
    client.composeContext({
      query: 'quince cake',
      min_relevance: 0,
      ...(record_recall === undefined ? {} : { record_recall }),
    })
  const unrecorded = await context(false)
  expect(await counts()).toEqual([0, 0, 0])
  const recorded = await context()
  expect(recorded).toEqual(unrecorded)
  const shown = recorded.sources.map(({ memory_id }) => memory_id)
  expect(shown).toEqual(expect.arrayContaining([cake, boat]))
  expect(await counts()).toEqual([jelly, cake, boat].map(id => (shown.includes(id) ? 1 : 0)))
})

test('recalls are durable when the answer arrives', async () => {
  const { search, client, recalls, ids } = await threeMemories()
  await search({ record_recall: true })
  expect(await recalls()).toHaveLength(2)
  await client.composeContext({ query: 'a wooden boat', min_relevance: 0 })
  expect(await recalls()).toContainEqual({ id: ids[2] })
})

test('an answer whose recalls cannot be recorded says so, and they are recorded later', async () => {
  const { tenant, ids, counts } = await threeMemories()
  const ask = (path: string, init: RequestInit = {}) =>
    service.request(path, { ...init, headers: { 'x-tenant-id': tenant, 'content-type': 'application/json' } })
  const search = () =>
    ask('/memories/search', {
      method: 'POST',
      body: JSON.stringify({ query: 'quince', search_type: 'keyword', record_recall: true }),
    })
  const context = () =>
    ask('/context', { method: 'POST', body: JSON.stringify({ query: 'quince', min_relevance: 0 }) })
  expect((await search()).headers.get('x-recall')).toBeNull()
  for (const call of [search, context, () => ask(`/memories/${ids[1]}`)]) {
    await endBurst(service, ids[1])
    beforeFirst(service, RECORDS, () => Promise.reject(new Error('The disk is full.')))
    const response = await call()
    expect([response.status, response.headers.get('x-recall')]).toEqual([200, 'deferred'])
    await counts()
  }
  expect((await counts())[1]).toBe(4)
})

test('a key that may only read records recalls, for its own tenant', async () => {
  const { client, tenant, counts } = await threeMemories()
  const { key } = await client.createKey({ scopes: ['read'] })
  const reader = service.clientOf(tenant, key)
  await reader.searchMemories({ query: 'quince', search_type: 'keyword', record_recall: true })
  expect(await counts()).toEqual([1, 1, 0])
})

test('the MCP tools record what they show, unless the caller declines', async () => {
  const { tenant, counts } = await threeMemories()
  const headers = { authorization: `Bearer ${OPERATOR_KEY}`, 'x-tenant-id': tenant }
  const call = (name: 'searchMemories' | 'composeContext', args: object) =>
    ask(service, 'tools/call', { name: toolName(name), arguments: args }, headers)
  const search = { query: 'quince', search_type: 'keyword' }
  await call('searchMemories', { ...search, record_recall: false })
  await call('composeContext', { query: 'quince', min_relevance: 0, record_recall: false })
  expect(await counts()).toEqual([0, 0, 0])
  await call('searchMemories', search)
  expect(await counts()).toEqual([1, 1, 0])
  await call('composeContext', { query: 'a wooden boat', min_relevance: 0 })
  expect(await counts()).toEqual([1, 1, 1])
})

test('a search of GraphQL records nothing unless that is asked; a context records', async () => {
  const { tenant, counts } = await threeMemories()
  const search = (more: string) =>
    graphql(
      service,
      `{ searchMemories(query: "quince", searchType: KEYWORD${more}) { results { score } } }`,
      { tenant },
    )
  expect((await search('')).errors).toEqual([])
  expect(await counts()).toEqual([0, 0, 0])
  expect((await search(', recordRecall: true')).errors).toEqual([])
  expect(await counts()).toEqual([1, 1, 0])
  await graphql(service, '{ composeContext(query: "a wooden boat", minRelevance: 0) { tokens } }', { tenant })
  expect(await counts()).toEqual([1, 1, 1])
})
