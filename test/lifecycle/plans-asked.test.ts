import { expect, test } from 'vitest'
import type { Client } from '../../src/client.ts'
import type { Input } from '../../src/contract/index.ts'
import { age } from '../support/lifecycle.ts'
import { idOf, remember, rememberIds } from '../support/seed.ts'
import { freshTenant, problemOf, someMemory, withService } from '../support/service.ts'

const service = withService()

/** All that a bundle says of a tenant, line by line, without what each new version changes. */
async function bundleOf(client: Client): Promise<string[]> {
  let text = ''
  for await (const piece of (await client.exportBundle()).pieces) text += piece
  // The first line has the time of the export, the last one a digest of all before it.
  const lines = text
    .split('\n')
    .slice(1, -2)
    .filter(line => !/"section":"(checkpoint|versions|earlier_connections)"/.test(line))
  return lines.map(line => line.replaceAll(/"(version|updated_at|author|reason)":[^,}]*/g, '')).toSorted()
}

test('a plan to forget archives exactly what matches its filters, and its undo leaves nothing of it', async () => {
  const client = service.clientOf(freshTenant())
  const source = 'wiki/old'
  const memories = [{ source }, { source, tags: ['kept'] }, { source: 'wiki/new' }].map((fields, at) =>
    someMemory({ content: `Fact ${at}`, ...fields }),
  )
  const ids = (await client.createMemories({ memories })).memories.map(idOf)
  const before = await bundleOf(client)
  const plan = await client.planMaintenance({ kind: 'forget', filters: { source } })
  expect(plan.changes.map(({ memory_id, change, rule }) => [memory_id, change, rule])).toEqual(
    ids.slice(0, 2).map(id => [id, 'archive', 'forget']),
  )
  expect((await client.listMemories()).memories).toHaveLength(3)
  await client.applyMaintenance({ id: plan.plan_id as string })
  const left = (await client.listMemories()).memories
  expect(left.map(idOf)).toEqual([ids[2]])
  const forgotten = await client.getMemory({ id: ids[0] as string, record_recall: false })
  expect(forgotten).toMatchObject({ state: 'archived', archived_reason: 'forgotten' })
  expect((await client.listMaintenanceRuns()).runs).toMatchObject([{ kind: 'forget', state: 'applied' }])
  await client.undoMaintenance({ id: plan.plan_id as string })
  expect(await bundleOf(client)).toEqual(before)
})

test('a plan to forget without a filter is refused, and so is one whose memories have changed', async () => {
  const client = service.clientOf(freshTenant())
  const { id } = await client.createMemory(someMemory({ tags: ['x'] }))
  const refused: [Input<'planMaintenance'>['filters'], string][] = [
    [undefined, '/filters'],
    [{}, '/filters'],
    [{ tags: [] }, '/filters/tags'],
    [{ tags_match: 'any' }, '/filters'],
    [{ metadata: {} }, '/filters/metadata'],
  ]
  for (const [filters, pointer] of refused)
    expect(
      await problemOf(client.planMaintenance({ kind: 'forget', ...(filters && { filters }) })),
    ).toMatchObject({ status: 422, pointers: [pointer] })
  const plan = await client.planMaintenance({ kind: 'forget', filters: { tags: ['x'] } })
  await client.updateMemory({ id, importance: 1 })
  expect(await problemOf(client.applyMaintenance({ id: plan.plan_id as string }))).toMatchObject({
    code: 'plan_moved',
  })
  expect(
    await client.planMaintenance({ kind: 'forget', filters: { tags: ['nobody has it'] } }),
  ).toMatchObject({
    plan_id: null,
    changes: [],
  })
})

test('a plan to merge keeps one of near duplicates with the tags, metadata and connections of all, and can be undone', async () => {
  const { tenant, client } = service.newTenant()
  const [old, young, other, far] = await rememberIds(client, [
    { content: 'the cat sleeps on the sofa', tags: ['a'], metadata: { room: 'one', floor: 1 } },
    { content: 'The cat sleeps on the sofa!', tags: ['b', 'a'], metadata: { room: 'two', color: 'red' } },
    { content: 'a truck engine' },
    { content: 'music of a guitar' },
  ])
  await service.drain(tenant)
  await client.createConnection({ source_id: young, target_id: other, relationship_type: 'supports' })
  await client.createConnection({
    source_id: far,
    target_id: young,
    relationship_type: 'part_of',
    strength: 0.5,
  })
  await client.createConnection({ source_id: young, target_id: old, relationship_type: 'references' })
  const before = await bundleOf(client)

  const plan = await client.planMaintenance({ kind: 'merge' })
  expect(plan.changes).toMatchObject([
    { memory_id: old, change: 'merge', reason: 'kept as the oldest one; takes over from 1' },
    { memory_id: young, change: 'archive' },
  ])
  expect(plan.changes[1]?.reason).toContain(`near duplicate of ${old}`)
  await client.applyMaintenance({ id: plan.plan_id as string })
  expect(await client.getMemory({ id: old, record_recall: false })).toMatchObject({
    tags: ['a', 'b'],
    metadata: { room: 'one', floor: 1, color: 'red' },
    version: 2,
  })
  expect(await client.getMemory({ id: young, record_recall: false })).toMatchObject({
    archived_reason: 'merged',
  })
  const edges = async (filter: object) =>
    (await client.listConnections(filter)).connections.map(({ source_id, connection }) => [
      source_id,
      connection.relationship_type,
      connection.target_id,
      connection.strength,
    ])
  expect(await edges({ source_id: old })).toEqual([[old, 'supports', other, null]])
  expect(await edges({ target_id: old, relationship_type: 'part_of' })).toEqual([[far, 'part_of', old, 0.5]])
  const tagged = await client.searchMemories({ query: 'cat', search_type: 'keyword', tags: ['b'] })
  expect(tagged.results.map(({ memory }) => memory.id)).toEqual([old])

  await client.undoMaintenance({ id: plan.plan_id as string })
  await service.drain(tenant)
  expect(await bundleOf(client)).toEqual(before)
})

test('a plan to merge does nothing if one of its memories has changed, whichever of them', async () => {
  for (const changed of [0, 1]) {
    const { tenant, client } = service.newTenant()
    const ids = (await remember(client, ['the cat sleeps on the sofa', 'The cat sleeps on the sofa!'])).map(
      idOf,
    )
    await service.drain(tenant)
    const plan = await client.planMaintenance({ kind: 'merge' })
    expect(plan.changes).toHaveLength(2)
    await client.updateMemory({ id: ids[changed] as string, importance: 0.9 })
    const before = await bundleOf(client)
    expect(await problemOf(client.applyMaintenance({ id: plan.plan_id as string }))).toMatchObject({
      status: 409,
      code: 'plan_moved',
    })
    expect(await bundleOf(client)).toEqual(before)
  }
})

test.each([
  ['50 tags', (name: string, n: number) => ({ tags: Array.from({ length: n }, (_, at) => `${name}-${at}`) })],
  [
    '32 metadata keys',
    (name: string, n: number) => ({
      metadata: Object.fromEntries(Array.from({ length: n }, (_, at) => [`${name}-${at}`, at])),
    }),
  ],
])(
  'a plan to merge cuts nothing: what would give a memory more than %s is left out, and named',
  async (most, fieldsOf) => {
    const { tenant, client } = service.newTenant()
    const texts = ['the cat sleeps on the sofa', 'The cat sleeps on the sofa!', 'the cat sleeps on the sofa.']
    const [kept, large, small] = await rememberIds(client, [
      { content: texts[0] as string, ...fieldsOf('kept', 30) },
      { content: texts[1] as string, ...fieldsOf('large', 30) },
      { content: texts[2] as string, ...fieldsOf('small', 2) },
    ])
    await service.drain(tenant)
    const plan = await client.planMaintenance({ kind: 'merge' })
    expect(plan.changes.map(({ memory_id }) => memory_id)).toEqual([kept, small])
    expect(plan.left_out).toEqual([
      { memory_id: large, reason: `near duplicate of ${kept}, which would have more than ${most}` },
    ])
    await client.applyMaintenance({ id: plan.plan_id as string })
    const { tags, metadata } = await client.getMemory({ id: kept, record_recall: false })
    expect(Math.max(tags.length, Object.keys(metadata).length)).toBe(32)
    expect(await client.getMemory({ id: large, record_recall: false })).toMatchObject({ state: 'active' })
  },
)

test('a plan to merge finds near duplicates that discovery did not connect, of the tenant and the filters only', async () => {
  const [tenant, other] = [freshTenant(), freshTenant()]
  const client = service.clientOf(tenant)
  const texts = ['the cat sleeps on the sofa', 'The cat sleeps on the sofa!', 'a truck engine']
  const ids = await rememberIds(
    client,
    texts.map(content => ({ content, tags: ['a'] })),
  )
  const [tagged] = (await remember(client, [{ content: 'the cat sleeps on the sofa.', tags: ['b'] }])).map(
    idOf,
  )
  await remember(service.clientOf(other), texts)
  expect((await client.listConnections()).total).toBe(0)
  const plan = await client.planMaintenance({ kind: 'merge', filters: { tags: ['a'] } })
  expect(plan.changes.map(({ memory_id }) => memory_id)).toEqual(ids.slice(0, 2))
  expect(plan).toMatchObject({ truncated: false, left_out: [] })
  const whole = await client.planMaintenance({ kind: 'merge' })
  expect(whole.changes.map(({ memory_id }) => memory_id)).toEqual([ids[0], ids[1], tagged])
})

test('a plan of the policies is about the memories that match its filters', async () => {
  const { tenant, client } = service.newTenant()
  const tags = [['a'], ['b'], ['a']]
  const ids = await rememberIds(
    client,
    tags.map((each, at) => ({ content: `Fact ${at}`, tags: each })),
  )
  await age(service, tenant, 14)
  const plan = await client.planMaintenance({ filters: { tags: ['a'] } })
  expect(plan.changes.map(({ memory_id, change }) => [memory_id, change])).toEqual([
    [ids[0], 'archive'],
    [ids[2], 'archive'],
  ])
  await client.applyMaintenance({ id: plan.plan_id as string })
  expect((await client.listMemories()).memories.map(idOf)).toEqual([ids[1]])
})

/** A memory that a run promoted from a policy of the tenant, or removed, so that nothing uses the policy any more. */
async function outOfPolicy(how: 'promoted' | 'removed') {
  const { tenant, client } = service.newTenant()
  const draft = { name: 'draft', health_decay: 0, recall_boost: 0, importance_decay: 1 }
  await client.putPolicy(
    how === 'promoted'
      ? { ...draft, promote_at_recalls: 1, promote_to: 'long_term' }
      : { ...draft, remove_after_seconds: 60 },
  )
  const { id } = await client.createMemory(someMemory({ policy: 'draft' }))
  await (how === 'promoted' ? client.getMemory({ id }) : client.deleteMemory({ id }))
  if (how === 'removed') await age(service, tenant, 1)
  const { plan_id } = await client.planMaintenance()
  await client.applyMaintenance({ id: plan_id as string })
  return { client, id, draft, undo: () => client.undoMaintenance({ id: plan_id as string }) }
}

test.each(['promoted', 'removed'] as const)(
  'an undo of what was %s waits until the policy that was deleted in the meantime is defined again',
  async how => {
    const { client, id, draft, undo } = await outOfPolicy(how)
    await client.deletePolicy({ name: 'draft' })
    expect(await problemOf(undo())).toMatchObject({ status: 409, code: 'run_not_undoable' })
    await client.putPolicy(draft)
    expect(await undo()).toMatchObject({ undone: 1, skipped: [] })
    expect(await client.getMemory({ id, record_recall: false })).toMatchObject({ policy: 'draft' })
  },
)

test('of an undo and a deletion of its policy at the same time only one succeeds', async () => {
  for (const how of ['promoted', 'removed', 'promoted', 'removed'] as const) {
    const { client, undo } = await outOfPolicy(how)
    const outcomes = await Promise.allSettled([undo(), client.deletePolicy({ name: 'draft' })])
    expect(outcomes.map(({ status }) => status).sort()).toEqual(['fulfilled', 'rejected'])
  }
})

test('a plan does not move a memory to a policy that was deleted since', async () => {
  const client = service.clientOf(freshTenant())
  const rules = { health_decay: 0, recall_boost: 0, importance_decay: 1 }
  await client.putPolicy({ name: 'lasting', ...rules })
  await client.putPolicy({ name: 'draft', ...rules, promote_at_recalls: 1, promote_to: 'lasting' })
  const { id } = await client.createMemory(someMemory({ policy: 'draft' }))
  await client.getMemory({ id })
  const plan = await client.planMaintenance()
  expect(plan.changes).toMatchObject([{ change: 'promote', after: { policy: 'lasting' } }])
  await client.putPolicy({ name: 'draft', ...rules })
  await client.deletePolicy({ name: 'lasting' })
  expect(await problemOf(client.applyMaintenance({ id: plan.plan_id as string }))).toMatchObject({
    code: 'plan_moved',
  })
  expect(await client.getMemory({ id, record_recall: false })).toMatchObject({ policy: 'draft' })
})
