import { describe, expect, test } from 'vitest'
import type { TestDatabase } from '../support/lender.ts'
import { emptyDatabase } from '../support/own-database.ts'
import { makeJobsDue } from '../support/queue.ts'
import { problemOf, someMemory, startService, type TestService, withService } from '../support/service.ts'

describe('Embedding spaces', () => {
  let database: TestDatabase
  const before = withService(async () => {
    database = await emptyDatabase()
    return { database, lengths: { 'the-next-model': 32 } }
  })

  /** The settings of the next start: the same endpoint, another model with vectors of another length. */
  const changed = () => ({
    OPENAI_BASE_URL: before.embeddings.url,
    SERVICE_EMBEDDING_MODEL: 'the-next-model',
    SERVICE_EMBEDDING_DIMENSIONS: '32',
  })

  const found = async (service: TestService) => {
    const { results } = await service
      .clientOf(before.tenant)
      .searchMemories({ query: 'kitten7', search_type: 'semantic', min_relevance: 0 })
    return {
      count: results.length,
      model: results[0]?.memory.embedding.model,
      status: new Set(results.map(({ memory }) => memory.embedding.status)),
    }
  }

  const modelsOfDiscovery = async () => {
    const rows = await before.cypher<{ model: string }>(
      `MATCH (:Memory {tenant: $tenant})-[r:RELATED_TO]->() WHERE r.origin = 'discovered' RETURN DISTINCT r.model AS model`,
      { tenant: before.tenant },
    )
    return rows.map(({ model }) => model)
  }

  test('a changed model is filled next to the old one while searches go on, then switched to and back', async () => {
    const topics = ['a cat and a kitten', 'a car and a truck', 'bread from the oven', 'a guitar melody']
    const memories = Array.from({ length: 120 }, (_, index) =>
      someMemory({ content: `${topics[index % 4]} ${index}` }),
    )
    await before.client.createMemories({ memories })
    await before.drain()
    await using after = await startService({ database, settings: changed() })
    const client = after.clientOf(before.tenant)

    const [old, next] = (await client.listEmbeddingSpaces()).spaces
    expect(old).toMatchObject({
      model: 'embedding-of-the-tests',
      state: 'active',
      ready: 120,
      missing: 0,
      available: true,
    })
    expect(next).toMatchObject({
      model: 'the-next-model',
      dimensions: 32,
      state: 'building',
      ready: 0,
      missing: 120,
    })
    const id = next?.id as string
    expect(await found(after)).toMatchObject({ count: 20, model: 'embedding-of-the-tests' })
    expect(await problemOf(client.switchEmbeddingSpace({ id }))).toMatchObject({
      status: 409,
      code: 'space_incomplete',
    })

    const late = await client.createMemory(someMemory({ content: 'a late kitten' }))
    await after.queueFills(before.tenant)
    await after.drain(before.tenant)
    expect((await client.listEmbeddingSpaces()).spaces[1]).toMatchObject({
      state: 'standby',
      ready: 121,
      missing: 0,
    })
    expect((await client.compareEmbeddingSpaces({ id, sample: 50, nearest: 5 })).overlap).toBeGreaterThan(0)

    expect(await client.switchEmbeddingSpace({ id })).toMatchObject({ active: id, previous: old?.id })
    expect(await found(after)).toMatchObject({
      count: 20,
      model: 'the-next-model',
      status: new Set(['ready']),
    })
    // The other process may not have followed yet: what it discovers now counts for the space that is active.
    await client.rediscoverMemories()
    await before.drain()
    expect(await modelsOfDiscovery()).toEqual(['the-next-model'])
    await expect.poll(() => found(before)).toMatchObject({ model: 'the-next-model' })

    const later = await client.createMemory(someMemory({ content: 'a kitten after the switch' }))
    await client.updateMemory({ id: late.id, content: 'a cat that was late' })
    await after.drain(before.tenant)
    expect(await client.switchEmbeddingSpace({ id: old?.id as string })).toMatchObject({
      active: old?.id,
      previous: id,
    })
    const status = async (memory: string) => (await client.getMemory({ id: memory })).embedding
    expect(await status(later.id)).toMatchObject({ status: 'ready', model: 'embedding-of-the-tests' })
    expect(await status(late.id)).toMatchObject({ status: 'ready', model: 'embedding-of-the-tests' })
  })

  test('the active space and the one of the settings cannot be taken away; another can', async () => {
    const [old, next] = (await before.client.listEmbeddingSpaces()).spaces
    expect(await problemOf(before.client.deleteEmbeddingSpace({ id: old?.id as string }))).toMatchObject({
      code: 'space_in_use',
    })
    expect(await before.client.deleteEmbeddingSpace({ id: next?.id as string })).toMatchObject({
      deleted: true,
    })
    expect((await before.client.listEmbeddingSpaces()).spaces).toHaveLength(1)
    const [left] = await before.cypher<{ n: number }>(
      'MATCH (m:Memory) WHERE any(key IN keys(m) WHERE key CONTAINS $id) RETURN count(*) AS n',
      { id: next?.id },
    )
    expect(left?.n).toBe(0)
  })

  test("a tenant's admin key may not touch what belongs to all tenants", async () => {
    const { key } = await before.client.createKey({ scopes: ['admin'] })
    expect(await problemOf(before.clientOf(before.tenant, key).listEmbeddingSpaces())).toMatchObject({
      status: 403,
    })
  })
})

test('a memory that a process cannot embed into the next space is left to the filling, and has its vector by that', async () => {
  const database = await emptyDatabase()
  await using old = await startService({ database, settings: { SERVICE_EMBEDDING_PROVIDER: 'hash' } })
  await using next = await startService({ database })
  await expect.poll(() => old.app.embeddings.kept()).toHaveLength(2)
  old.embeddings.refuse(() => true, { status: 401 })
  await old.client.createMemory(someMemory())
  await old.drain()
  const jobs = async () => (await old.client.listJobs()).jobs
  expect(await jobs()).toMatchObject([{ kind: 'fill', state: 'waiting' }])
  await makeJobsDue(old)
  await next.worker.revive()
  await next.drain(old.tenant)
  expect(await jobs()).toEqual([])
  const { spaces } = await old.client.listEmbeddingSpaces()
  expect(spaces).toMatchObject([{ state: 'active' }, { state: 'standby', ready: 1, missing: 0 }])
})
