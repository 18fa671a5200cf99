import { createHash } from 'node:crypto'
import { beforeAll, expect, test } from 'vitest'
import type { Client } from '../../src/client.ts'
import type { Input } from '../../src/contract/index.ts'
import { exported, imported } from '../../tools/bundle-lines.ts'
import { holdNodes } from '../support/memory-locks.ts'
import { idOf, remember, rememberIds } from '../support/seed.ts'
import { freshTenant, problemOf, someMemory, startService, withService } from '../support/service.ts'
import { beforeFirst } from '../support/statements.ts'

const service = withService()
const MARK = 'Xanthippe'
/** The tenants of other files. */
let others: string[]
beforeAll(async () => {
  const rows = await service.cypher<{ tenant: string }>('MATCH (n) RETURN DISTINCT n.tenant AS tenant')
  others = rows.map(({ tenant }) => tenant).filter(Boolean)
})

/** A tenant that has a marker text wherever the service stores text, and one memory without it. */
async function markedTenant() {
  const { tenant, client } = service.newTenant()
  const source = `source ${MARK}`
  const keyed = { headers: { 'idempotency-key': `of-${tenant}` } }
  const memory = (content: string, fields: object = {}) =>
    someMemory({ content, source, tags: [MARK], session_id: MARK, metadata: { mark: MARK }, ...fields })
  const first = await client.createMemory(memory(`${MARK} sleeps on the sofa`), keyed)
  const near = await client.createMemory(memory(`${MARK} sleeps on the sofa!`, { tags: [`near ${MARK}`] }))
  const [kept] = await remember(client, ['Nothing to hide'])
  await service.drain(tenant)
  await client.updateMemory({ id: first.id, content: `${MARK} sleeps on the sofa.` })
  await client.createConnection({ source_id: first.id, target_id: kept?.id as string })
  await client.getMemory({ id: first.id })
  const plan = await client.planMaintenance({ kind: 'merge' })
  await client.applyMaintenance({ id: plan.plan_id as string })
  return { tenant, client, source, ids: [first.id, near.id], kept: kept?.id as string }
}

/** Every node of the database that has the text in any property, vectors aside. What was there before is passed by, which is most. */
const occurrences = (text: string) =>
  service.cypher<{ of: string[] }>(
    `MATCH (n) WHERE NOT coalesce(n.tenant, '') IN $others
    WITH n WHERE any(key IN keys(n) WHERE NOT key STARTS WITH 'embedding' AND toStringOrNull(n[key]) CONTAINS $text)
      OR any(key IN ['tags'] WHERE any(each IN n[key] WHERE each CONTAINS $text))
    RETURN labels(n) AS of`,
    { text, others },
  )

test('an erasure leaves nothing of what matches, and its receipt says what it removed', async () => {
  const { tenant, client, source, ids, kept } = await markedTenant()
  expect((await occurrences(MARK)).flatMap(({ of }) => of)).toEqual(
    expect.arrayContaining(['Memory', 'Version', 'RunChange']),
  )
  const dry = await client.eraseMemories({ filters: { source }, dry_run: true })
  expect(dry).toMatchObject({ id: null, counts: { memories: 2, answers: 1 } })
  expect(dry.counts.versions).toBeGreaterThan(1)
  expect((await client.listMemories({ include_archived: true })).memories).toHaveLength(3)

  const receipt = await client.eraseMemories({ filters: { source } })
  expect(receipt).toMatchObject({
    verified: true,
    complete: true,
    requested_by: 'operator',
    counts: dry.counts,
  })
  expect(receipt.digest).toBe(createHash('sha256').update(ids.toSorted().join('\n')).digest('hex'))
  expect(await occurrences(MARK)).toEqual([])
  expect(await client.getErasure({ id: receipt.id as string })).toEqual(receipt)
  expect((await client.listMemories({ include_archived: true })).memories.map(idOf)).toEqual([kept])
  expect((await client.listConnections()).total).toBe(0)
  const keyed = { headers: { 'idempotency-key': `of-${tenant}` } }
  const again = client.createMemory(
    someMemory({
      content: `${MARK} sleeps on the sofa`,
      source,
      tags: [MARK],
      session_id: MARK,
      metadata: { mark: MARK },
    }),
    keyed,
  )
  expect(await problemOf(again)).toMatchObject({ code: 'idempotency_answer_gone' })
})

test('an erasure needs a filter or `all`, not both, and does not reach another tenant', async () => {
  const [mine, theirs] = [service.clientOf(freshTenant()), service.clientOf(freshTenant())]
  for (const client of [mine, theirs]) await remember(client, ['one', 'two'])
  for (const input of [
    {},
    { filters: {} },
    { filters: { valid_at: 'any' } },
    { all: true, filters: { tags: ['x'] } },
  ])
    expect(await problemOf(mine.eraseMemories(input))).toMatchObject({ status: 422, pointers: ['/filters'] })
  const receipt = await mine.eraseMemories({ all: true })
  expect(receipt).toMatchObject({ verified: true, counts: { memories: 2 } })
  expect((await mine.listMemories({ include_archived: true })).memories).toEqual([])
  expect((await theirs.listMemories()).memories).toHaveLength(2)
  expect(await problemOf(theirs.getErasure({ id: receipt.id as string }))).toMatchObject({
    code: 'erasure_not_found',
  })
})

test('an erasure by source takes versions of other memories that had it, and the plans that name what it removes', async () => {
  const { tenant, client } = service.newTenant()
  const moved = await client.createMemory(someMemory({ content: `${MARK} moved`, source: 'first' }))
  await client.updateMemory({ id: moved.id, content: 'moved', source: 'second' })
  const ids = await rememberIds(client, [
    { content: 'the cat sleeps on the sofa', tags: ['kept'] },
    { content: 'the cat sleeps on the sofa!', tags: [MARK], source: 'first' },
  ])
  await service.drain(tenant)
  const plan = await client.planMaintenance({ kind: 'merge' })
  expect(plan.changes.map(({ memory_id }) => memory_id)).toEqual(ids)
  expect(await client.eraseMemories({ filters: { source: 'first' } })).toMatchObject({
    verified: true,
    counts: { memories: 1, versions: 1 },
  })
  expect(await occurrences(MARK)).toEqual([])
  expect(await problemOf(client.applyMaintenance({ id: plan.plan_id as string }))).toMatchObject({
    code: 'plan_not_found',
  })
  expect((await client.getMemoryHistory({ id: moved.id })).versions).toHaveLength(1)
})

test('a hard delete takes what a merge keeps of the memory', async () => {
  const { tenant, client } = service.newTenant()
  const [kept, gone] = await rememberIds(client, [
    'the cat sleeps on the sofa',
    { content: 'the cat sleeps on the sofa!', tags: [MARK] },
  ])
  await service.drain(tenant)
  const { plan_id } = await client.planMaintenance({ kind: 'merge' })
  await client.applyMaintenance({ id: plan_id as string })
  await client.deleteMemory({ id: gone, hard: true })
  expect((await occurrences(MARK)).flatMap(({ of }) => of)).toEqual(['Memory'])
  await client.undoMaintenance({ id: plan_id as string })
  expect((await client.getMemory({ id: kept, record_recall: false })).tags).toEqual([])
  expect(await occurrences(MARK)).toEqual([])
})

test('a hard delete that cannot take out what a merge keeps does nothing, and works when it is repeated', async () => {
  await using impatient = await startService({ settings: { SERVICE_REQUEST_TIMEOUT_MS: '2000' } })
  const { client, tenant } = impatient
  const texts = ['the cat sleeps on the sofa', { content: 'the cat sleeps on the sofa!', tags: [MARK] }]
  const [kept, gone] = (await rememberIds(client, texts)) as [string, string]
  await impatient.drain()
  const { plan_id } = await client.planMaintenance({ kind: 'merge' })
  await client.applyMaintenance({ id: plan_id as string })
  {
    await using held = await holdNodes('RunChange', tenant)
    expect(await problemOf(client.deleteMemory({ id: gone, hard: true }))).toMatchObject({ status: 503 })
    await held.release()
  }
  expect(await client.getMemory({ id: gone, record_recall: false })).toMatchObject({ tags: [MARK] })
  await client.deleteMemory({ id: gone, hard: true })
  await client.undoMaintenance({ id: plan_id as string })
  expect((await client.getMemory({ id: kept, record_recall: false })).tags).toEqual([])
  expect(await occurrences(MARK)).toEqual([])
})

test('hard deletes of several merged memories at the same time leave nothing of any of them', async () => {
  const { tenant, client } = service.newTenant()
  const texts = ['', '!', '!!', '!!!', '?'].map((end, at) => ({
    content: `the cat sleeps on the sofa${end}`,
    tags: [at === 0 ? 'kept' : `${MARK} ${at}`],
  }))
  const [kept, ...gone] = (await rememberIds(client, texts)) as [string, ...string[]]
  await service.drain(tenant)
  const { plan_id } = await client.planMaintenance({ kind: 'merge' })
  await client.applyMaintenance({ id: plan_id as string })
  await Promise.all(gone.map(id => client.deleteMemory({ id, hard: true })))
  await client.undoMaintenance({ id: plan_id as string })
  expect((await client.getMemory({ id: kept, record_recall: false })).tags).toEqual(['kept'])
  expect(await occurrences(MARK)).toEqual([])
})

test('an import that replaces leaves nothing of the memories that it removes, also not in what a merge keeps', async () => {
  const { tenant, client } = service.newTenant()
  const texts = ['the cat sleeps on the sofa', { content: 'the cat sleeps on the sofa!', tags: [MARK] }]
  await remember(client, texts)
  await service.drain(tenant)
  const { plan_id } = await client.planMaintenance({ kind: 'merge' })
  await client.applyMaintenance({ id: plan_id as string })
  const nothing = await exported(service.clientOf(freshTenant()))
  expect((await imported(client, nothing, { mode: 'replace' })).totals.memories.removed).toBe(2)
  expect(await occurrences(MARK)).toEqual([])
})

/** A memory whose text came from a source and a session at first, and has neither now. */
async function movedAway(client: Client, fields: Partial<Input<'createMemory'>>) {
  const { id } = await client.createMemory(someMemory({ content: `${MARK} moved`, ...fields }))
  const { tags: _tags, policy: _policy, ...rest } = fields
  await client.updateMemory({
    id,
    content: 'moved',
    source: 'elsewhere',
    session_id: 'later',
    ...(rest.metadata && { metadata: {} }),
  })
  return id
}

const versionsOf = async (client: Client, id: string) =>
  (await client.getMemoryHistory({ id })).versions.map(({ version }) => version)

test.each([
  ['tags', { tags: ['a'] }, { tags: ['b'] }, { tags: ['a'] }],
  ['policy', { policy: 'long_term' }, { policy: 'short_term' }, { policy: 'long_term' }],
  ['importance', { importance: 0.9 }, { importance: 0.1 }, { min_importance: 0.5 }],
  ['metadata', { metadata: { user: 'ada' } }, { metadata: { user: 'bob' } }, { metadata: { user: 'ada' } }],
  ['session', { session_id: 's' }, { session_id: 't' }, { session_id: 's' }],
] as const)(
  'an erasure by source and %s leaves the history of memories that never matched',
  async (_, matching, other, filters) => {
    const client = service.clientOf(freshTenant())
    const given = (fields: object) =>
      structuredClone({ source: 'first', ...fields }) as Partial<Input<'createMemory'>>
    const [did, never] = [await movedAway(client, given(matching)), await movedAway(client, given(other))]
    const gone = await client.createMemory(someMemory(given(matching)))
    const input = {
      filters: { source: 'first', ...structuredClone(filters) } as Input<'eraseMemories'>['filters'],
    }
    const dry = await client.eraseMemories({ ...input, dry_run: true })
    expect(dry.counts).toMatchObject({ memories: 1, versions: 1 })
    const receipt = await client.eraseMemories(input)
    expect(receipt).toMatchObject({ verified: true, complete: true, counts: dry.counts })
    expect(await versionsOf(client, did)).toEqual([2])
    expect(await versionsOf(client, never)).toEqual([2, 1])
    expect(await problemOf(client.getMemory({ id: gone.id }))).toMatchObject({ status: 404 })
    await client.eraseMemories({ filters: { source: 'first' } })
    expect(await versionsOf(client, never)).toEqual([2])
  },
)

test('an erasure by source and age counts a version with the age of its memory', async () => {
  const client = service.clientOf(freshTenant())
  const id = await movedAway(client, { source: 'first' })
  const { created_at } = await client.getMemory({ id, record_recall: false })
  const later = new Date(Date.parse(created_at) + 1).toISOString()
  await client.eraseMemories({ filters: { source: 'first', created_after: later } })
  expect(await versionsOf(client, id)).toEqual([2, 1])
  await client.eraseMemories({ filters: { source: 'first', created_before: later } })
  expect(await versionsOf(client, id)).toEqual([2])
})

test('an erasure removes very many earlier versions in several steps', async () => {
  const { client } = service.newTenant()
  const id = await movedAway(client, { source: 'first' })
  await service.cypher(
    `MATCH (v:Version {memoryId: $id}) UNWIND range(3, 7002) AS n
    CREATE (w) SET w = properties(v), w.version = toInteger(n) SET w:Version`,
    { id },
  )
  const dry = await client.eraseMemories({ filters: { source: 'first' }, dry_run: true })
  expect(dry.counts).toMatchObject({ memories: 0, versions: 7001 })
  const { counts, verified } = await client.eraseMemories({ filters: { source: 'first' } })
  expect([counts, verified]).toEqual([dry.counts, true])
  expect(await versionsOf(client, id)).toEqual([2])
})

test.each([
  ['a stored response', 'CREATE (:AnsweredMemory {tenant: $tenant, memoryId: $id})'],
  ['a run of maintenance', 'CREATE (:RunMention {tenant: $tenant, memoryId: $id})'],
  [
    'a recall',
    "CREATE (:Recall {id: $id, tenant: $tenant, memoryId: $id, at: datetime('2026-01-01T00:00:00Z')})",
  ],
])('a receipt is not verified while %s is left of an erased memory', async (_, left) => {
  const { tenant, client } = service.newTenant()
  const { id } = await client.createMemory(someMemory())
  await service.drain(tenant)
  // As a fault of the service would leave it: no step of the erasure finds it.
  beforeFirst(service, 'MATCH (x:ErasedMemories', () => service.cypher(left, { tenant, id }))
  expect(await client.eraseMemories({ all: true })).toMatchObject({ complete: true, verified: false })
})
