import { afterAll, beforeAll, expect, test } from 'vitest'
import type { Client } from '../src/client.ts'
import { exported, imported, sumsOf } from './support/bundle.ts'
import { freshTenant, someMemory, startService, type TestService } from './support/service.ts'

let service: TestService
let original: string[]
beforeAll(async () => {
  service = await startService()
  await furnish()
  original = await exported(service.client)
  await vacate(service.tenant)
})
afterAll(() => service?.[Symbol.asyncDispose]())

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

test('an export that was cut off is gone on with from its last checkpoint', async () => {
  const tenant = freshTenant()
  const client = service.clientOf(tenant)
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

/** Queued discoveries; the filling of a space that another test has made is no matter of a bundle. */
const discoveriesOf = async (client: Client) =>
  (await client.listJobs({ limit: 500 })).jobs.filter(({ kind }) => kind === 'discover').length

const withoutCheckpoints = (lines: readonly string[]) =>
  lines.slice(1).filter(line => !line.startsWith('{"section":"checkpoint"'))
