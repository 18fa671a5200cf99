import { beforeAll, describe, expect, test } from 'vitest'
import { graphql } from '../support/graphql.ts'
import { runInProcess } from '../support/in-process-cli.ts'
import { ask } from '../support/mcp.ts'
import { rememberIds } from '../support/seed.ts'
import { problemOf, someMemory, withService } from '../support/service.ts'

const service = withService()
let ids: [string, string]

beforeAll(async () => {
  ids = await rememberIds(service.client, [
    { content: 'The safe is green', source: 'crm:1' },
    { content: 'The door is blue', source: 'crm:2' },
  ])
  const [source_id, target_id] = ids
  for (const relationship_type of ['supports', 'references'] as const)
    await service.client.createConnection({ source_id, target_id, relationship_type })
})

const count = async () => (await service.client.getStats()).memories.by_state
const connections = async () => (await service.client.listConnections({ source_id: ids[0] })).total
const untouched = async () =>
  expect([await count(), await connections()]).toEqual([{ active: 2, archived: 0 }, 2])

describe('a filter without a value never widens what is archived or removed', () => {
  test.each([
    [{ tags: [], tags_match: 'any' }, '/filters/tags'],
    [{ tags: [], policy: 'short_term' }, '/filters/tags'],
    [{ metadata: {}, policy: 'short_term' }, '/filters/metadata'],
    [{ valid_at: 'any' }, '/filters'],
    [{ tags_match: 'none' }, '/filters'],
    [{ source: null as unknown as string, policy: 'short_term' }, '/filters/source'],
    [{ source: '', policy: 'short_term' }, '/filters/source'],
  ])('by REST: %j', async (filters, pointer) => {
    const asked = filters as { tags?: string[] }
    for (const call of [
      service.client.eraseMemories({ filters: asked }),
      service.client.planMaintenance({ kind: 'forget', filters: asked }),
    ])
      expect(await problemOf(call)).toMatchObject({ status: 422, pointers: [pointer] })
    await untouched()
  })

  test.each([
    [
      '($x: String) { eraseMemories(filters: { source: $x, policy: "short_term" }) { erasureReceipt { id } } }',
      'null',
    ],
    [
      '($x: String) { eraseMemories(filters: { source: $x, policy: "short_term" }) { erasureReceipt { id } } }',
      'unset',
    ],
    ['{ eraseMemories(filters: { source: null, policy: "short_term" }) { erasureReceipt { id } } }', ''],
    [
      '($x: Boolean) { eraseMemories(filters: { policy: "short_term" }, dryRun: $x) { erasureReceipt { id } } }',
      'null',
    ],
    [
      '($x: Boolean) { eraseMemories(filters: { policy: "short_term" }, dryRun: $x) { erasureReceipt { id } } }',
      'unset',
    ],
    [
      '($x: [String!]) { planMaintenance(kind: FORGET, filters: { tags: $x, policy: "short_term" }) { planId } }',
      'null',
    ],
    [
      '($x: [String!]) { planMaintenance(kind: FORGET, filters: { tags: $x, policy: "short_term" }) { planId } }',
      'unset',
    ],
    [
      '($x: RelationshipType) { deleteConnection(sourceId: "ONE", targetId: "TWO", relationshipType: $x) { deleted } }',
      'null',
    ],
    [
      '($x: RelationshipType) { deleteConnection(sourceId: "ONE", targetId: "TWO", relationshipType: $x) { deleted } }',
      'unset',
    ],
  ])('by GraphQL: mutation %s with %s', async (text, value) => {
    const query = `mutation ${text.replace('ONE', ids[0]).replace('TWO', ids[1])}`
    const variables = value === 'null' ? { x: null } : {}
    const { errors } = await graphql(service, query, { variables })
    expect(errors.map(({ extensions }) => extensions.code)).toEqual(['VALIDATION_FAILED'])
    await untouched()
  })

  test.each([
    ['plan_maintenance', { kind: 'forget', filters: { source: null, policy: 'short_term' } }],
    ['plan_maintenance', { kind: 'forget', filters: { source: '', policy: 'short_term' } }],
    ['plan_maintenance', { kind: 'forget', filters: { owner_of_it: 'ada', policy: 'short_term' } }],
    ['plan_maintenance', { kind: 'forget', filters: { valid_at: 'any' } }],
    ['delete_connection', { relationship_type: null }],
    ['delete_connection', { relationship_type: '' }],
  ])('by an agent: %s %j', async (name, args) => {
    const given = name === 'delete_connection' ? { source_id: ids[0], target_id: ids[1], ...args } : args
    const { result } = await ask(service, 'tools/call', { name, arguments: given })
    expect(result).toMatchObject({ isError: true })
    await untouched()
  })

  test.each([
    ['erase', '--tags', '', '--policy', 'short_term', '--yes'],
    ['erase', '--tags', ',', '--policy', 'short_term', '--yes'],
    ['erase', '--source', ' ', '--policy', 'short_term', '--yes'],
    ['forget', '--session', '', '--policy', 'short_term', '--apply'],
    ['jobs', 'retry', '--kind', ''],
  ])('on the command line: %s %s “%s”', async (...words) => {
    const { code, err } = await runInProcess(words, { service })
    expect([code, err]).toEqual([64, expect.stringMatching(/variable is not set|names no tag|nknown option/)])
    await untouched()
  })

  test('a list refuses a parameter without a value', async () => {
    for (const name of ['tags', 'source', 'session_id', 'policy', 'metadata'])
      expect([name, (await service.request(`/memories?${name}=`)).status]).toEqual([name, 422])
    expect((await service.request('/connections?source_id=')).status).toBe(422)
  })
})

test('the tags and the metadata of a memory are emptied by name', async () => {
  const { id } = await service.client.createMemory(someMemory({ tags: ['a'], metadata: { page: 1 } }))
  expect((await runInProcess(['edit', id, '--tags', ''], { service })).code).toBe(64)
  expect((await runInProcess(['edit', id, '--clear', 'tags,meta'], { service })).code).toBe(0)
  expect(await service.client.getMemory({ id })).toMatchObject({ tags: [], metadata: {} })
})

test.each(['{ tags: { includes: $x } }', '{ source: { in: $x } }', '{ OR: $x }', '{ AND: [$x] }', '$x'])(
  'a read of GraphQL refuses a filter whose value is null: %s',
  async where => {
    const types = { '{ OR: $x }': '[MemoryWhere!]', $x: 'MemoryWhere', '{ source: { in: $x } }': '[String!]' }
    const type = types[where as keyof typeof types] ?? 'String'
    const query = `query ($x: ${where.includes('AND') ? 'MemoryWhere' : type}) { memories(where: ${where}) { id } }`
    const { errors, data } = await graphql(service, query, { variables: { x: null } })
    expect([data?.memories ?? null, errors.length]).toEqual([null, 1])
    const text = await graphql(service, `{ memories(where: ${where.replace('$x', 'null')}) { id } }`)
    expect([text.data?.memories ?? null, text.errors.length]).toEqual([null, 1])
  },
)

test('in a read of GraphQL `eq: null` means memories without a value', async () => {
  const query = 'query ($x: String) { memories(where: { source: { eq: $x } }) { source } }'
  const { data } = await graphql(service, query, { variables: { x: null } })
  for (const { source } of data.memories) expect(source).toBeNull()
})
