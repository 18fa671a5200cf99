import { randomUUID } from 'node:crypto'
import { expect, test } from 'vitest'
import type { Client } from '../../src/client.ts'
import type { Line } from '../../src/contract/bundle.ts'
import { bundleLines, connectionLine, exported, imported, memoryLine } from '../../tools/bundle-lines.ts'
import { noRules } from '../support/lifecycle.ts'
import { remember } from '../support/seed.ts'
import { freshTenant, problemOf, someMemory, withService } from '../support/service.ts'

const service = withService()

const newcomer = () => service.clientOf(freshTenant())
const contentsOf = async (client: Client) =>
  (await client.listMemories({ include_archived: true })).memories.map(({ content }) => content).toSorted()

test('merging brings what is newer, keeps what was changed later here, and replacing lets the bundle win', async () => {
  const client = newcomer()
  const [old, changed] = [memoryLine({ content: 'old' }), memoryLine({ content: 'to be changed' })]
  await imported(client, bundleLines([old, changed]))
  await client.updateMemory({ id: changed.id, content: 'changed here' })
  const newer = { ...old, content: 'newer', updated_at: '2026-02-01T00:00:00.000Z', version: 2 }
  const bundle = bundleLines([newer, changed])

  const trial = await imported(client, bundle, { dry_run: true })
  expect(trial.totals.memories).toMatchObject({ updated: 1, kept: 1 })
  expect(await contentsOf(client)).toEqual(['changed here', 'old'])
  expect((await imported(client, bundle)).totals.memories).toMatchObject({ updated: 1, kept: 1 })
  expect(await contentsOf(client)).toEqual(['changed here', 'newer'])
  expect((await imported(client, bundle, { mode: 'replace' })).totals.memories).toMatchObject({ updated: 1 })
  expect(await client.getMemory({ id: changed.id, record_recall: false })).toMatchObject({
    content: 'to be changed',
    version: 3,
    updated_at: changed.updated_at,
  })
})

test('replacing removes what is not in the bundle, at its end and not before', async () => {
  const client = newcomer()
  const kept = memoryLine()
  const lines = bundleLines([kept, memoryLine()])
  await imported(client, lines)
  const { id: lost } = await client.createMemory(someMemory({ content: 'not in it' }))
  await client.createConnection({ source_id: kept.id, target_id: lost })
  await client.putPolicy({ name: 'own', health_decay: 3 })

  const trial = await imported(client, lines, { mode: 'replace', dry_run: true })
  expect(trial.totals.memories).toMatchObject({ unchanged: 2, removed: 1 })
  const first = await client.importBundle({ lines: lines.slice(0, -1), mode: 'replace' })
  expect((await client.getStats()).memories.total).toBe(3)
  const made = await client.createMemory(someMemory({ content: 'made in the meantime' }))
  const last = await client.importBundle({
    lines: lines.slice(-1),
    mode: 'replace',
    cursor: first.cursor as string,
  })
  expect(last).toMatchObject({ done: true, totals: { memories: { removed: 1 }, policies: { removed: 1 } } })
  expect((await client.getStats()).memories.total).toBe(3)
  expect(await client.getMemory({ id: made.id })).toMatchObject({ content: 'made in the meantime' })
  expect(await client.listConnections({})).toMatchObject({ total: 0 })
})

test('replacing leaves a memory alone that is in the bundle with a policy that is not known here', async () => {
  const client = newcomer()
  const { id } = await client.createMemory(someMemory({ content: 'stays' }))
  await client.createMemory(someMemory({ content: 'goes' }))
  const [here, nowhere] = [memoryLine({ id, policy: 'nowhere' }), memoryLine({ policy: 'nowhere' })]
  const lines = bundleLines([here, nowhere])
  for (const dry_run of [true, false]) {
    const { totals, left_out } = await imported(client, lines, { mode: 'replace', dry_run })
    expect(left_out.map(({ reason }) => reason)).toEqual(['unknown_policy', 'unknown_policy'])
    expect(totals.memories).toMatchObject({ created: 0, updated: 0, removed: 1 })
  }
  expect(await contentsOf(client)).toEqual(['stays'])
})

test('a text that an import brings has a version that no other text had here, and importing it again changes nothing', async () => {
  const { tenant, client } = service.newTenant()
  const line = memoryLine()
  await imported(client, bundleLines([line]))
  await client.updateMemory({ id: line.id, content: 'mine' })
  const later = { ...line, content: 'theirs', version: 2, updated_at: '2099-01-01T00:00:00.000Z' }
  const lines = bundleLines([later])
  const unlessVersionTwo = { headers: { 'if-none-match': '"2"', 'x-tenant-id': tenant } }
  const statusOf = async () =>
    (await service.request(`/memories/${line.id}?record_recall=false`, unlessVersionTwo)).status
  expect(await statusOf()).toBe(304)

  expect((await imported(client, lines)).totals.memories).toMatchObject({ updated: 1 })
  expect(await statusOf()).toBe(200)
  expect(await client.getMemory({ id: line.id, record_recall: false })).toMatchObject({
    content: 'theirs',
    version: 3,
  })
  const asIs = { ...later, version: 3 }
  for (const again of [lines, bundleLines([asIs])])
    expect((await imported(client, again)).totals.memories).toMatchObject({ updated: 0 })

  for (const mode of ['merge', 'replace', 'merge', 'replace'] as const)
    expect((await imported(client, lines, { mode })).totals.memories).toMatchObject({ updated: 0 })
  await client.updateMemory({ id: line.id, content: 'mine again' })
  for (const updated of [1, 0])
    expect((await imported(client, lines, { mode: 'replace' })).totals.memories).toMatchObject({ updated })
  const { versions } = await client.getMemoryHistory({ id: line.id })
  expect(versions.map(({ version, memory }) => [version, memory.content])).toEqual([
    [5, 'theirs'],
    [4, 'mine again'],
    [3, 'theirs'],
    [2, 'mine'],
    [1, line.content],
  ])
})

test('replacing removes what is dated in the future, too', async () => {
  const client = newcomer()
  const future = '2099-01-01T00:00:00.000Z'
  const [one, two] = [memoryLine({ created_at: future }), memoryLine()]
  await imported(client, bundleLines([one, two, connectionLine(one.id, two.id, { created_at: future })]))
  await imported(client, bundleLines([two]), { mode: 'replace' })
  expect(await client.getStats()).toMatchObject({ memories: { total: 1 }, connections: { total: 0 } })
})

test('replacing discovers again what it unrelates, unless somebody rejected it', async () => {
  const { tenant, client } = service.newTenant()
  const ids = (await remember(client, ['cat', 'cat and kitten', 'kitten and cat'])).map(({ id }) => id)
  const [first, second, third] = ids as [string, string, string]
  const waiting = await exported(client)
  await service.drain(tenant)
  await client.deleteConnection({ source_id: third, target_id: second })
  await client.createConnection({ source_id: second, target_id: first })

  const { totals } = await imported(client, waiting, { mode: 'replace' })
  expect(totals.connections).toMatchObject({ removed: 2 })
  await service.drain(tenant)
  const { connections } = await client.listConnections({})
  const found = connections.map(({ source_id, connection }) => [source_id, connection.target_id])
  expect(found).toHaveLength(2)
  expect(found).toEqual(
    expect.arrayContaining([
      [second, first],
      [third, first],
    ]),
  )
})

test('a memory that was not discovered yet when a bundle was made finds those that an import brings back', async () => {
  const { tenant, client } = service.newTenant()
  const related = async () => (await client.listConnections({ origin: 'discovered' })).total
  const { id: old } = await client.createMemory(someMemory({ content: 'the cat sleeps on the sofa' }))
  await service.drain(tenant)
  await client.createMemory(someMemory({ content: 'the cat sleeps on the red sofa' }))
  const bundle = await exported(client)
  await service.drain(tenant)
  expect(await related()).toBe(1)
  await client.deleteMemory({ id: old, hard: true })
  await imported(client, bundle)
  await service.drain(tenant)
  expect(await related()).toBe(1)
})

test('a dry run reports of existing connections what the import makes of them', async () => {
  const client = newcomer()
  const [one, two] = [memoryLine(), memoryLine()]
  const lines = [one, two, connectionLine(one.id, two.id)] as const
  const trial = async (...more: Line[]) =>
    (await imported(client, bundleLines([...lines, ...more]), { dry_run: true })).totals.connections
  expect(await trial()).toMatchObject({ created: 1 })
  await imported(client, bundleLines(lines))
  const other = connectionLine(two.id, one.id)
  expect(await trial(other)).toMatchObject({ created: 1, unchanged: 1 })
  const changed = { ...lines[2], strength: 0.25 }
  const replacing = await imported(client, bundleLines([one, two, changed]), {
    mode: 'replace',
    dry_run: true,
  })
  expect(replacing.totals.connections).toMatchObject({ updated: 1 })
  expect(await trial()).toMatchObject({ unchanged: 1 })
})

test('a part with a fault behind what could be written is refused before anything is', async () => {
  const client = newcomer()
  const policy: Line = {
    section: 'policies',
    name: 'early',
    rules: { ...noRules, health_decay: 1 },
    since: '2026-01-01T00:00:00.000Z',
  }
  const twice = memoryLine()
  const vectors = { provider: 'p', model: 'm', dimensions: 2 }
  const many = Array.from({ length: 501 }, () => memoryLine())
  const nothing: Line = {
    section: 'vectors',
    id: many.at(-1)?.id as string,
    truncated: false,
    vector: Buffer.alloc(8).toString('base64'),
  }
  for (const [lines, pointer] of [
    [bundleLines([policy, twice, twice]), '/lines/3/id'],
    [bundleLines([policy, ...many, nothing], { vectors }), '/lines/503/vector'],
  ] as const)
    expect(await problemOf(client.importBundle({ lines: [...lines] }))).toMatchObject({ pointers: [pointer] })
  expect((await client.getStats()).memories.total).toBe(0)
  expect((await client.listPolicies()).policies.map(({ name }) => name)).not.toContain('early')
})

test('an id that another tenant has is imported like any other, and a connection to it is that of the tenant', async () => {
  const theirs = await service.client.createMemory(someMemory({ content: 'theirs' }))
  const client = newcomer()
  const [shared, mine] = [memoryLine({ id: theirs.id }), memoryLine()]
  const lines = bundleLines([shared, mine, connectionLine(mine.id, theirs.id)])
  const unused = [memoryLine(), mine] as const
  const trial = await imported(client, lines, { dry_run: true })
  expect(trial).toEqual(
    await imported(client, bundleLines([...unused, connectionLine(mine.id, unused[0].id)]), {
      dry_run: true,
    }),
  )
  const { left_out, totals } = await imported(client, lines)
  expect(left_out).toEqual([])
  expect(totals).toMatchObject({ memories: { created: 2 }, connections: { created: 1 } })
  expect(await client.getMemory({ id: theirs.id, record_recall: false })).toMatchObject({
    content: shared.content,
  })
  expect(await service.client.getMemory({ id: theirs.id, record_recall: false })).toEqual(theirs)
})

test('what a bundle must not hold is refused by its line, and nothing of the part is written', async () => {
  const client = newcomer()
  const good = memoryLine()
  const pair = { id: good.id, section: 'vectors', truncated: false, vector: 'AAAA' } as const
  const space = { provider: 'x', model: 'y', dimensions: 2 }
  const cases: [Line[], Partial<{ version: number; vectors: typeof space }>, string][] = [
    [[good], { version: 2 }, '/lines/0'],
    [[good, { ...good, id: randomUUID(), content: '' }], {}, '/lines/2/content'],
    [[good, { ...good, id: randomUUID(), tags: Array.from({ length: 51 }, () => 'x') }], {}, '/lines/2/tags'],
    [[good, { ...good, id: randomUUID(), ttl_seconds: 5 }], {}, '/lines/2/expires_at'],
    [[good, good], {}, '/lines/2/id'],
    [[connectionLine(good.id, good.id)], {}, '/lines/1/target_id'],
    [[connectionLine(good.id, randomUUID()), good], {}, '/lines/2'],
    [[good, { ...pair, id: randomUUID() }], { vectors: space }, '/lines/2'],
    [[good, pair], {}, '/lines/2/vector'],
    [[good, pair], { vectors: space }, '/lines/2/vector'],
    [[good, { section: 'secrets' } as never], {}, '/lines/2'],
  ]
  for (const [lines, beginning, pointer] of cases) {
    const refusal = await problemOf(client.importBundle({ lines: bundleLines(lines, beginning) }))
    expect([pointer, refusal.status, refusal.pointers]).toEqual([pointer, 422, [pointer]])
  }
  expect((await client.getStats()).memories.total).toBe(0)
})

test('a bundle whose lines are not those of its manifest is refused before its last part is written', async () => {
  const client = newcomer()
  const lines = bundleLines([memoryLine(), memoryLine()])
  const altered = lines.map(line => line.replace('The cat', 'The dog'))
  const { detail, pointers } = await problemOf(client.importBundle({ lines: altered }))
  expect(pointers).toEqual(['/lines/3/sections/memories'])
  expect(detail).toContain('another count or digest than the lines before it')
  await problemOf(client.importBundle({ lines: lines.toSpliced(1, 1) }))
  expect((await client.getStats()).memories.total).toBe(0)
})

test('parts belong together by their cursor, which is of one tenant and one way of importing', async () => {
  const client = newcomer()
  const lines = bundleLines([memoryLine(), memoryLine()])
  const { cursor } = await client.importBundle({ lines: lines.slice(0, 2) })
  const rest = { lines: lines.slice(2), cursor: cursor as string }
  for (const call of [
    () => newcomer().importBundle(rest),
    () => client.importBundle({ ...rest, mode: 'replace' }),
    () => client.importBundle({ ...rest, dry_run: true }),
    () => client.importBundle({ ...rest, cursor: `${cursor}x` }),
  ])
    expect(await problemOf(call())).toMatchObject({ status: 400, code: 'invalid_cursor' })
  expect(await client.importBundle(rest)).toMatchObject({ done: true, cursor: null })
})

test('what an import changes is in the feed, and what it leaves as it is is not', async () => {
  const client = newcomer()
  const [first, second] = [memoryLine(), memoryLine()]
  const lines = bundleLines([first, second, connectionLine(first.id, second.id)])
  await imported(client, lines)
  await imported(client, lines)
  await imported(client, bundleLines([second]), { mode: 'replace' })
  const { changes } = await client.listChanges({})
  expect(changes.map(({ kind }) => kind)).toEqual(['created', 'created', 'connected', 'removed'])
})

test('an imported memory is found by its words, and one without a vector by its meaning when the queue is done', async () => {
  const { tenant, client } = service.newTenant()
  const line = memoryLine({ content: 'An imported walrus' })
  await imported(client, bundleLines([line, memoryLine({ content: 'An imported seal', policy: 'nowhere' })]))
  const search = (search_type: 'keyword' | 'semantic') =>
    client.searchMemories({ query: 'walrus', search_type })
  expect((await search('keyword')).results.map(({ memory }) => memory.id)).toEqual([line.id])
  await service.drain(tenant)
  expect((await search('semantic')).results.map(({ memory }) => memory.id)).toEqual([line.id])
  expect((await exported(client)).filter(text => text.includes('"vectors","id"'))).toHaveLength(1)
})

test('an imported vector is scaled to length one; one that has it stays as it is; one too small for a direction is refused', async () => {
  const { tenant, client } = service.newTenant()
  await remember(client, ['The first walrus'])
  await service.drain(tenant)
  const [opening, memory, vector] = (await exported(client)).map(line => JSON.parse(line))
  const values = new Float32Array(Uint8Array.from(Buffer.from(vector.vector, 'base64')).buffer)
  const times = (factor: number) => Buffer.from(values.map(value => value * factor).buffer).toString('base64')
  const taken = async (text: string) => {
    const other = newcomer()
    const line = memoryLine({ id: randomUUID(), content: memory.content })
    const lines = bundleLines([line, { ...vector, id: line.id, vector: text }], { vectors: opening.vectors })
    await imported(other, lines)
    return (await other.getMemory({ id: line.id, include_embedding: true })).embedding.vector ?? []
  }
  for (const factor of [1, 1e3, 1e38, 1e-10]) {
    const stored = await taken(times(factor))
    expect(Math.hypot(...stored)).toBeCloseTo(1, 5)
    expect(stored.every((value, at) => Math.abs(value - (values[at] ?? 0)) < 1e-5)).toBe(true)
  }
  await expect(taken(times(1e-30))).rejects.toMatchObject({
    problem: { errors: [{ code: 'not_a_vector', pointer: '/lines/2/vector' }] },
  })
})
