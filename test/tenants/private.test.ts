import { beforeEach, describe, expect, test } from 'vitest'
import type { Client } from '../../src/client.ts'
import type { TextStream } from '../../src/contract/route.ts'
import { freshTenant, problemOf, someMemory, withService } from '../support/service.ts'

const service = withService()
let tenant: string
/** Keys bound to anna and to ben, and one of the tenant that is bound to nobody. */
let anna: Client
let ben: Client
let team: Client
/** The key of anna, in the private memories alone and in the shared ones alone. */
let hers: Client
let shared: Client

beforeEach(async () => {
  tenant = freshTenant()
  const keyOf = async (owner?: string) =>
    (await service.client.createKey({ tenant, scopes: ['delete', 'cypher'], ...(owner && { owner }) })).key
  const annas = await keyOf('anna')
  anna = service.clientOf('', annas)
  hers = service.clientOf(`${tenant}~anna`, annas)
  shared = service.clientOf(tenant, annas)
  ben = service.clientOf('', await keyOf('ben'))
  team = service.clientOf('', await keyOf())
})

const idsOf = async (client: Client) =>
  (await client.listMemories({ include_archived: true, limit: 200 })).memories.map(({ id }) => id)
const missing = { code: 'memory_not_found', status: 404 }

describe('what an owner creates', () => {
  test('is private, unless the request says that it is shared', async () => {
    const own = await anna.createMemory(someMemory({ content: 'private by default' }))
    const common = await anna.createMemory(someMemory({ content: 'for all', visibility: 'shared' }))
    expect([own.owner, common.owner]).toEqual(['anna', null])
    expect(await idsOf(team)).toEqual([common.id])
    expect(await idsOf(ben)).toEqual([common.id])
    expect(await idsOf(hers)).toEqual([own.id])
    expect((await idsOf(anna)).sort()).toEqual([own.id, common.id].sort())
  })

  test('is private in a batch and as turns of a conversation too', async () => {
    const { memories } = await anna.createMemories({ memories: [someMemory(), someMemory()] })
    expect(memories.map(({ owner }) => owner)).toEqual(['anna', 'anna'])
    const time = '2026-11-20T09:15:30Z'
    const turns = [{ speaker: 'Anna', text: 'Where are my keys?', time }]
    const said = await anna.addTurns({ session_id: 'chat', turns })
    expect(await anna.addTurns({ session_id: 'chat', turns })).toMatchObject({ stored: 0 })
    expect(await anna.addTurns({ session_id: 'chat', turns, visibility: 'shared' })).toMatchObject({
      stored: 1,
    })
    expect(await anna.getMemory({ id: said.turns[0]?.id as string })).toMatchObject({ owner: 'anna' })
    expect((await idsOf(team)).length).toBe(1)
  })

  test('goes where the header names, and must not say otherwise', async () => {
    expect(await hers.createMemory(someMemory())).toMatchObject({ owner: 'anna' })
    expect(await hers.createMemory(someMemory({ visibility: 'private' }))).toMatchObject({ owner: 'anna' })
    expect(await shared.createMemory(someMemory())).toMatchObject({ owner: null })
    const refused = { code: 'validation_failed', pointers: ['/visibility'] }
    expect(await problemOf(hers.createMemory(someMemory({ visibility: 'shared' })))).toMatchObject(refused)
    expect(await problemOf(shared.createMemory(someMemory({ visibility: 'private' })))).toMatchObject(refused)
  })

  test('cannot be private without an owner', async () => {
    expect(await team.createMemory(someMemory({ visibility: 'shared' }))).toMatchObject({ owner: null })
    const asked = problemOf(team.createMemory(someMemory({ visibility: 'private' })))
    expect(await asked).toMatchObject({
      code: 'validation_failed',
      pointers: ['/visibility'],
      detail: expect.stringContaining('no private memories'),
    })
    const reader = (await service.client.createKey({ tenant, scopes: ['read'] })).key
    const forbidden = service.clientOf('', reader).createMemory(someMemory({ visibility: 'private' }))
    expect(await problemOf(forbidden)).toMatchObject({ code: 'forbidden' })
  })

  test('is a duplicate only of what is in the same part', async () => {
    const text = { content: 'Standup is at nine', on_duplicate: 'return' as const }
    const common = await team.createMemory(someMemory(text))
    const own = await anna.createMemory(someMemory(text))
    expect(own.duplicate_of).toBeUndefined()
    expect(own.id).not.toBe(common.id)
    expect(await anna.createMemory(someMemory(text))).toMatchObject({ duplicate_of: own.id })
    expect(await ben.createMemory(someMemory({ ...text, visibility: 'shared' }))).toMatchObject({
      duplicate_of: common.id,
    })
    const { id: replaced } = await team.createMemory(someMemory({ content: 'old' }))
    expect(await problemOf(anna.createMemory(someMemory({ supersedes: [replaced] })))).toMatchObject(missing)
  })
})

describe('a memory by its id', () => {
  test('is found, changed, archived, restored and removed where it is', async () => {
    for (const visibility of ['private', 'shared'] as const) {
      const { id } = await anna.createMemory(someMemory({ content: 'before', visibility }))
      const owner = visibility === 'private' ? 'anna' : null
      expect(await anna.getMemory({ id })).toMatchObject({ owner, content: 'before' })
      expect(await anna.updateMemory({ id, content: 'after' })).toMatchObject({ owner, version: 2 })
      const { versions } = await anna.getMemoryHistory({ id })
      expect(versions.map(({ memory }) => memory.content)).toEqual(['after', 'before'])
      expect(await anna.revertMemory({ id, version: 1 })).toMatchObject({ owner, content: 'before' })
      expect(await anna.getMemory({ id, as_of: new Date(Date.now() + 60_000).toISOString() })).toMatchObject({
        owner,
      })
      expect(await anna.deleteMemory({ id })).toMatchObject({ state: 'archived' })
      expect(await anna.restoreMemory({ id })).toMatchObject({ owner, state: 'active' })
      expect(await anna.deleteMemory({ id, hard: true })).toMatchObject({ state: 'deleted' })
      expect(await problemOf(anna.getMemory({ id }))).toMatchObject(missing)
    }
  })

  test('that maintenance has removed and keeps for an undo can be removed for good', async () => {
    const { id } = await anna.createMemory(someMemory())
    await service.cypher(
      `MATCH (m:Memory {tenant: $tenant, id: $id}) REMOVE m:Memory
       SET m:RemovedMemory, m.removedBy = 'a run', m.removedAt = datetime()`,
      { tenant: `${tenant}~anna`, id },
    )
    expect(await anna.deleteMemory({ id, hard: true })).toMatchObject({ state: 'deleted' })
  })

  test('of another owner is as one that does not exist', async () => {
    const { id } = await anna.createMemory(someMemory({ content: 'a secret of Anna' }))
    const nowhere = crypto.randomUUID()
    for (const client of [ben, team, shared]) {
      const calls = (memory: string) => [
        client.getMemory({ id: memory }),
        client.updateMemory({ id: memory, content: 'taken' }),
        client.deleteMemory({ id: memory }),
        client.deleteMemory({ id: memory, hard: true }),
        client.restoreMemory({ id: memory }),
        client.getMemoryHistory({ id: memory }),
        client.revertMemory({ id: memory, version: 1 }),
        client.relatedMemories({ id: memory }),
      ]
      const problems = async (memory: string) =>
        (await Promise.all(calls(memory).map(problemOf))).map(({ code, detail }) =>
          `${code} ${detail}`.replaceAll(memory, 'ID'),
        )
      expect(await problems(id)).toEqual(await problems(nowhere))
    }
    expect(await anna.getMemory({ id })).toMatchObject({ content: 'a secret of Anna', version: 1 })
  })

  test('is changed only in the version that the request expects', async () => {
    const { id } = await anna.createMemory(someMemory())
    const expecting = (version: number) => ({ headers: { 'if-match': `"${version}"` } })
    expect(await problemOf(anna.updateMemory({ id, importance: 1 }, expecting(7)))).toMatchObject({
      code: 'version_mismatch',
    })
    expect(await anna.updateMemory({ id, importance: 1 }, expecting(1))).toMatchObject({ version: 2 })
  })

  test('is private first, if an import has given a shared one the same id', async () => {
    const common = await anna.createMemory(someMemory({ content: 'the shared one', visibility: 'shared' }))
    const lines = (await text(await service.clientOf(tenant).exportBundle({}))).trim().split('\n')
    await service.clientOf(`${tenant}~anna`).importBundle({ lines })
    await anna.updateMemory({ id: common.id, content: 'the private one' })
    expect(await anna.getMemory({ id: common.id })).toMatchObject({ owner: 'anna', version: 2 })
    expect(await team.getMemory({ id: common.id })).toMatchObject({ content: 'the shared one' })
    const listed = await anna.listMemories({ limit: 1 })
    const next = await anna.listMemories({ limit: 1, cursor: listed.next_cursor as string })
    expect([...listed.memories, ...next.memories].map(({ owner }) => owner).sort()).toEqual(['anna', null])
    expect(next.has_more).toBe(false)
  })
})

const text = async ({ pieces }: TextStream) => (await Array.fromAsync(pieces)).join('')

test('connections stay among the shared or among the private memories', async () => {
  const { memories: own } = await anna.createMemories({ memories: [someMemory(), someMemory()] })
  const common = await anna.createMemory(someMemory({ visibility: 'shared' }))
  const [a, b] = own.map(({ id }) => id) as [string, string]
  const pair = { source_id: a, target_id: b }
  expect(await anna.createConnection(pair)).toMatchObject({ source_id: a })
  expect((await anna.relatedMemories({ id: a })).related.map(({ memory }) => memory.id)).toEqual([b])
  expect((await anna.findPath(pair)).paths).toHaveLength(1)
  for (const [source_id, target_id, reason] of [
    [a, common.id, 'names a shared memory'],
    [common.id, a, 'names a private memory'],
  ] as [string, string, string][]) {
    const problem = { status: 422, pointers: ['/target_id'], detail: expect.stringContaining(reason) }
    expect(await problemOf(anna.createConnection({ source_id, target_id }))).toMatchObject(problem)
    expect(await problemOf(anna.findPath({ source_id, target_id }))).toMatchObject(problem)
  }
  const ofBen = await ben.createMemory(someMemory())
  for (const nobodys of [ofBen.id, crypto.randomUUID()])
    for (const ends of [
      { source_id: a, target_id: nobodys },
      { source_id: nobodys, target_id: a },
    ])
      expect(await problemOf(anna.createConnection(ends))).toMatchObject(missing)
  const both = { connections: [pair, { source_id: a, target_id: common.id }] }
  expect(await problemOf(anna.createConnections(both))).toMatchObject({
    status: 422,
    pointers: ['/connections/1/target_id'],
  })
  expect((await team.listConnections()).connections).toEqual([])
  expect(await anna.deleteConnection(pair)).toMatchObject({ deleted: 1 })
})

test('a repeated create is made once, and its response goes with the private memories', async () => {
  const once = { headers: { 'idempotency-key': 'same' } }
  const first = await anna.createMemory(someMemory({ content: 'once' }), once)
  expect(await anna.createMemory(someMemory({ content: 'once' }), once)).toEqual(first)
  expect(await problemOf(anna.createMemory(someMemory({ content: 'twice' }), once))).toMatchObject({
    code: 'idempotency_key_reused',
  })
  expect(await idsOf(anna)).toEqual([first.id])
  const kept = () =>
    service.cypher('MATCH (i:IdempotentRequest) WHERE i.tenant STARTS WITH $of RETURN i.tenant AS tenant', {
      of: tenant,
    })
  expect(await kept()).toEqual([{ tenant: `${tenant}~anna` }])
  await service.client.eraseTenant({ tenant: `${tenant}~anna` })
  expect(await kept()).toEqual([])
})

test('a create waits for the discovery of a private memory', async () => {
  const created = anna.createMemory(someMemory(), { headers: { prefer: 'wait=30' } })
  await expect.poll(() => service.drain(`${tenant}~anna`).then(() => queued())).toBe(0)
  expect((await created).embedding.status).toBe('ready')

  async function queued() {
    const [row] = await service.cypher<{ done: number }>(
      'MATCH (m:Memory) WHERE m.tenant = $own AND m.discoveredRevision IS NULL RETURN 1.0 * count(m) AS done',
      { own: `${tenant}~anna` },
    )
    return row?.done
  }
})

test('discovery connects private memories with one another alone', async () => {
  const content = 'The release train leaves on Thursday'
  await team.createMemory(someMemory({ content }))
  await ben.createMemory(someMemory({ content }))
  const { memories } = await anna.createMemories({
    memories: [someMemory({ content }), someMemory({ content })],
  })
  for (const name of [tenant, `${tenant}~anna`, `${tenant}~ben`]) await service.drain(name)
  const [first, second] = memories.map(({ id }) => id) as [string, string]
  const { related } = await anna.relatedMemories({ id: first, direction: 'both' })
  expect(related.map(({ memory }) => memory.id)).toEqual([second])
  expect((await service.clientOf(`${tenant}~ben`).listConnections()).total).toBe(0)
})

describe('what concerns the whole tenant', () => {
  test('shows the shared memories alone, and the private ones if the header names them', async () => {
    await anna.createMemory(someMemory({ content: 'mine' }))
    await anna.createMemory(someMemory({ content: 'ours', visibility: 'shared' }))
    expect((await anna.getStats()).memories.total).toBe(1)
    expect((await hers.getStats()).memories.total).toBe(1)
    expect(await text(await anna.exportGraph({ format: 'ndjson' }))).not.toContain('mine')
    expect(await text(await hers.exportGraph({ format: 'ndjson' }))).toContain('mine')
    const { rows } = await anna.runCypher({ query: 'MATCH (m:Memory) RETURN m.content AS content' })
    expect(rows).toEqual([{ content: 'ours' }])
    const { changes } = await anna.listChanges({ from: 'oldest' })
    expect(changes).toHaveLength(1)
    expect((await hers.listChanges({ from: 'oldest' })).changes).toHaveLength(1)
  })

  test('custom policies and the quota of the tenant hold for private memories', async () => {
    const operator = service.clientOf(tenant)
    await operator.putPolicy({ name: 'notes', health_decay: 1 })
    const own = await anna.createMemory(someMemory({ policy: 'notes' }))
    expect(own).toMatchObject({ policy: 'notes', owner: 'anna' })
    expect(await problemOf(operator.deletePolicy({ name: 'notes' }))).toMatchObject({ code: 'policy_in_use' })
    await hers.deleteMemory({ id: own.id, hard: true })
    expect(await operator.deletePolicy({ name: 'notes' })).toMatchObject({ deleted: true })
    await operator.putQuota({ tenant, memories: 1 })
    await anna.createMemory(someMemory())
    const more = () => anna.createMemory(someMemory())
    expect(await problemOf(more())).toMatchObject({ code: 'quota_exceeded' })
    expect(await ben.createMemory(someMemory())).toMatchObject({ owner: 'ben' })
    await operator.putQuota({ tenant: `${tenant}~anna`, memories: 2 })
    expect(await more()).toMatchObject({ owner: 'anna' })
  })

  test('the operator sees private memories as tenants, and erases them with the tenant', async () => {
    await anna.createMemory(someMemory())
    await ben.createMemory(someMemory())
    await team.createMemory(someMemory())
    const { tenants } = await service.client.listTenants({ after: tenant, limit: 2 })
    expect(tenants.map(each => [each.tenant, each.memories.active])).toEqual([
      [`${tenant}~anna`, 1],
      [`${tenant}~ben`, 1],
    ])
    await service.client.eraseTenant({ tenant: `${tenant}~ben` })
    expect(await idsOf(service.clientOf(`${tenant}~ben`))).toEqual([])
    expect(await ben.createMemory(someMemory())).toMatchObject({ owner: 'ben' })
    const receipt = await service.client.eraseTenant({ tenant })
    expect(receipt).toMatchObject({ complete: true, verified: true, counts: { memories: 3 } })
    for (const name of [tenant, `${tenant}~anna`, `${tenant}~ben`])
      expect(await idsOf(service.clientOf(name))).toEqual([])
    expect(await problemOf(anna.getStats())).toMatchObject({ status: 401 })
    expect(await problemOf(service.client.eraseTenant({ tenant }))).toMatchObject({
      code: 'tenant_not_found',
    })
  })

  test('a tenant that has private memories alone can be erased', async () => {
    const only = freshTenant()
    await service.clientOf(`${only}~anna`).createMemory(someMemory())
    expect(await service.client.eraseTenant({ tenant: only })).toMatchObject({ counts: { memories: 1 } })
    expect(await idsOf(service.clientOf(`${only}~anna`))).toEqual([])
  })

  test('a bundle takes its owner from where it is imported', async () => {
    const own = await anna.createMemory(someMemory({ content: 'moves along' }))
    const lines = (await text(await service.clientOf(`${tenant}~anna`).exportBundle({}))).trim().split('\n')
    expect(lines.join()).not.toContain('"owner"')
    await service.clientOf(`${tenant}~ben`).importBundle({ lines })
    await service.clientOf(tenant).importBundle({ lines })
    expect(await ben.getMemory({ id: own.id })).toMatchObject({ owner: 'ben' })
    expect(await team.getMemory({ id: own.id })).toMatchObject({ owner: null })
    expect(await anna.getMemory({ id: own.id })).toMatchObject({ owner: 'anna', version: 1 })
  })
})
