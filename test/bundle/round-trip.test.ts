import { beforeAll, expect, test } from 'vitest'
import type { Client } from '../../src/client.ts'
import { bundleLines, exported, imported, memoryLine, sumsOf } from '../../tools/bundle-lines.ts'
import { remember } from '../support/seed.ts'
import { freshTenant, someMemory, withService } from '../support/service.ts'

const service = withService()
let original: string[]
beforeAll(async () => {
  await furnish()
  original = await exported(service.client)
  await vacate(service.tenant)
})

/** One of everything that a bundle holds. */
async function furnish() {
  const { client } = service
  await client.putPolicy({ name: 'weekly', health_decay: 14.3, promote_at_recalls: 2, promote_to: 'pinned' })
  await client.putPolicy({ name: 'short_term', health_decay: 1 })
  await client.putPolicy({ name: 'long_term', health_decay: 1 })
  await client.deletePolicy({ name: 'long_term' })
  const { memories } = await client.createMemories({
    memories: [
      someMemory({
        content: 'cat "quoted"\n\\ 猫',
        tags: ['b', 'ä,ö'],
        importance: 0.1 + 0.2,
        policy: 'weekly',
      }),
      someMemory({ content: 'cat and kitten', ttl_seconds: 3600 }),
      someMemory({ content: 'cat', policy: 'pinned' }),
      someMemory({ content: 'archived cat' }),
    ],
  })
  const [first, second, third, fourth] = memories.map(({ id }) => id) as [string, string, string, string]
  await service.drain()
  await client.createConnection({ source_id: first, target_id: second, relationship_type: 'contradicts' })
  await client.createConnection({ source_id: second, target_id: first, strength: 1 / 3 })
  await client.createConnection({ source_id: fourth, target_id: third, relationship_type: 'part_of' })
  await client.getMemory({ id: first })
  await client.updateMemory({ id: second, importance: 0.9 })
  await client.deleteMemory({ id: fourth })
  const { plan_id } = await client.planMaintenance({})
  if (plan_id) await client.applyMaintenance({ id: plan_id })
  await client.getMemory({ id: second })
}

/** Ids are given once in a service: what a bundle holds must be gone before another tenant can take it. */
const vacate = (tenant: string) =>
  service.cypher('MATCH (n) WHERE n.tenant = $tenant DETACH DELETE n', { tenant })

const other = freshTenant()

test('a bundle in an empty tenant gives the same bundle, and no work is queued', async () => {
  const client = service.clientOf(other)
  const { totals, left_out, done } = await imported(client, original, { size: 3 })
  expect({ left_out, done }).toEqual({ left_out: [], done: true })
  expect(totals.policies).toMatchObject({ created: 3 })
  expect(totals.memories).toMatchObject({ created: 4, updated: 0 })
  expect(totals.vectors).toEqual({ taken: 4, left_out: 0 })
  const again = await exported(client)
  expect(withoutCheckpoints(again)).toEqual(withoutCheckpoints(original))
  expect(sumsOf(again)).toEqual(sumsOf(original))
  expect(await discoveriesOf(client)).toBe(0)

  const repeated = await imported(client, original)
  expect(repeated.totals.memories).toMatchObject({ created: 0, unchanged: 4 })
  expect(repeated.totals.connections).toMatchObject({ created: 0, updated: 0, kept: 0 })
  expect(repeated.totals.policies).toMatchObject({ unchanged: 3 })
  expect(sumsOf(await exported(client))).toEqual(sumsOf(original))
})

test('the sums of the other sections are the same without vectors, which the queue then makes', async () => {
  const { vectors, ...rest } = sumsOf(original)
  await vacate(other)
  const bare = original.filter(line => !line.startsWith('{"section":"vectors"'))
  const manifest = { ...rest, vectors: { count: 0, sha256: '0'.repeat(64) } }
  const lines = [...bare.slice(0, -1), JSON.stringify({ section: 'manifest', sections: manifest })]
  await imported(service.clientOf(other), lines)
  expect(await discoveriesOf(service.clientOf(other))).toBe(3)
  expect(sumsOf(await exported(service.clientOf(other), { vectors: false }))).toEqual(manifest)
  await service.drain(other)
  expect(sumsOf(await exported(service.clientOf(other))).vectors.count).toBe(3)
  expect(vectors.count).toBe(4)
})

test('an export that was cut off is resumed from its last checkpoint', async () => {
  const { client } = service.newTenant()
  await client.createMemories({
    memories: Array.from({ length: 300 }, (_, at) => someMemory({ content: `m${at}` })),
  })
  const whole = await exported(client)
  const cut = whole.findIndex(line => line.startsWith('{"section":"checkpoint"')) + 1
  const { cursor } = JSON.parse(whole[cut - 1] as string)
  const rest = await exported(client, { cursor })
  expect([...whole.slice(0, cut), ...rest]).toEqual(whole)
  await expect(exported(service.clientOf(freshTenant()), { cursor })).rejects.toMatchObject({ status: 400 })
})

test('what waits for its discovery is discovered where the bundle goes, though it has its vector', async () => {
  const [from, to] = [freshTenant(), freshTenant()]
  const client = service.clientOf(from)
  const [settled] = await remember(client, ['cat'])
  await service.drain(from)
  const [waiting] = await remember(client, ['cat and kitten'])
  const { embedding } = await client.getMemory({ id: waiting?.id as string, include_embedding: true })
  expect(embedding.vector).not.toBeNull()
  const lines = await exported(client)
  const vectors = lines.filter(line => line.startsWith('{"section":"vectors"'))
  expect(vectors.map(line => JSON.parse(line).id)).toEqual([settled?.id])

  await vacate(from)
  await imported(service.clientOf(to), lines)
  await service.drain(to)
  expect(await pairsOf(service.clientOf(to))).toEqual([[waiting?.id, settled?.id]])
})

test('a discovered connection of a bundle is left out where a memory has another content in the meantime', async () => {
  const { tenant, client } = service.newTenant()
  const [first, second, third] = (await remember(client, ['cat', 'cat and kitten', 'kitten and cat'])).map(
    ({ id }) => id,
  ) as [string, string, string]
  await service.drain(tenant)
  expect(await pairsOf(client)).toHaveLength(3)
  const lines = await exported(client)
  await client.updateMemory({ id: first, content: 'bread baking oven' })
  await service.drain(tenant)
  await service.cypher('MATCH (:Memory {id: $second})-[r:RELATED_TO]-(:Memory {id: $third}) DELETE r', {
    second,
    third,
  })

  const { totals } = await imported(client, lines)
  expect(totals.memories).toMatchObject({ kept: 1, unchanged: 2 })
  expect(totals.connections).toMatchObject({ created: 1, kept: 2 })
  expect(await pairsOf(client)).toEqual([[third, second]])
})

test('an expired memory that an import gives more time is connected with what was written in the meantime', async () => {
  const { tenant, client } = service.newTenant()
  const expired = memoryLine({ content: 'cat', ttl_seconds: 60, expires_at: '2026-01-01T00:01:00.000Z' })
  await imported(client, bundleLines([expired]))
  await service.drain(tenant)
  const [written] = await remember(client, ['cat and kitten'])
  await service.drain(tenant)
  expect(await pairsOf(client)).toEqual([])

  const [expires_at, updated_at] = ['2099-01-01T00:00:00.000Z', '2026-02-01T00:00:00.000Z']
  await imported(client, bundleLines([{ ...expired, expires_at, updated_at }]))
  await service.drain(tenant)
  expect(await pairsOf(client)).toEqual([[written?.id, expired.id]])
})

/** The ends of all connections. */
const pairsOf = async (client: Client) =>
  (await client.listConnections({})).connections.map(({ source_id, connection }) => [
    source_id,
    connection.target_id,
  ])

/** Queued discoveries; the filling of a space that another test has made is no matter of a bundle. */
const discoveriesOf = async (client: Client) =>
  (await client.listJobs({ limit: 500 })).jobs.filter(({ kind }) => kind === 'discover').length

const withoutCheckpoints = (lines: readonly string[]) =>
  lines.slice(1).filter(line => !line.startsWith('{"section":"checkpoint"'))
