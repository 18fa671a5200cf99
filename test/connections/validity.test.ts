import { expect, test } from 'vitest'
import type { Client } from '../../src/client.ts'
import { bundleLines, connectionLine, exported, imported, memoryLine } from '../../tools/bundle-lines.ts'
import { exportText, readCsv, readGexf, readGraphml } from '../support/graph-export.ts'
import { ask } from '../support/graphql.ts'
import { runInProcess } from '../support/in-process-cli.ts'
import { pastMoment } from '../support/past-moment.ts'
import { rememberIds } from '../support/seed.ts'
import { freshTenant, problemOf, withService } from '../support/service.ts'

const service = withService()

const SPAN = { valid_from: '2020-01-01T00:00:00.000Z', valid_until: '2024-01-01T00:00:00.000Z' }
const [BEFORE, THEN, AFTER] = ['2019-06-01', '2022-06-01', '2024-01-01']

/** a works at b, which held from 2020 to 2024, and b belongs to c. */
async function world() {
  const { tenant, client } = service.newTenant()
  const [a, b, c] = await rememberIds(client, ['Ada', 'the bakery', 'the market'])
  const held = { source_id: a, target_id: b, relationship_type: 'part_of' } as const
  const made = await client.createConnection({ ...held, ...SPAN, reason: 'Her contract says so.' })
  await client.createConnection({ source_id: b, target_id: c, relationship_type: 'part_of' })
  return { tenant, client, a, b, c, held, made }
}

const shownOf = async (client: Client, source_id: string) =>
  (await client.listConnections({ source_id })).connections[0]?.connection

test('a connection has a validity and a reason, and one that ends before it begins is refused as of a memory', async () => {
  const { client, a, held, made } = await world()
  expect(made.connection).toMatchObject({ ...SPAN, reason: 'Her contract says so.' })
  expect(await shownOf(client, a)).toEqual(made.connection)
  const turned = { valid_from: SPAN.valid_until, valid_until: SPAN.valid_until }
  const problem = { status: 422, code: 'validation_failed', pointers: ['/valid_until'] }
  expect(await problemOf(client.createConnection({ ...held, ...turned }))).toMatchObject(problem)
  expect(await problemOf(client.createConnections({ connections: [{ ...held, ...turned }] }))).toMatchObject({
    ...problem,
    pointers: ['/connections/0/valid_until'],
  })
  expect(await problemOf(client.createConnection({ ...held, reason: ' ' }))).toMatchObject({
    pointers: ['/reason'],
  })
})

test('connecting again keeps what is not sent, and replaces a validity as a whole', async () => {
  const { client, held, made } = await world()
  expect(await client.createConnection(held)).toEqual(made)
  const longer = await client.createConnection({ ...held, valid_until: '2030-01-01', strength: 0.5 })
  expect(longer.connection).toEqual({
    ...made.connection,
    strength: 0.5,
    valid_from: null,
    valid_until: '2030-01-01T00:00:00.000Z',
  })
  const { changes } = await client.listChanges({ from: 'oldest', kinds: ['connected'] })
  expect(changes).toHaveLength(3)
})

test('what is cleared is gone, alone or with a new value next to it, and nothing is both sent and cleared', async () => {
  const { client, held, made } = await world()
  const always = await client.createConnection({ ...held, clear: ['valid_from', 'valid_until'] })
  expect(always.connection).toEqual({ ...made.connection, valid_from: null, valid_until: null })
  const [again] = (
    await client.createConnections({ connections: [{ ...held, strength: 0.5, clear: ['reason'] }] })
  ).connections
  expect(again?.connection).toEqual({ ...always.connection, strength: 0.5, reason: null })
  const both = { ...held, reason: 'She says so.', clear: ['reason' as const] }
  expect(await problemOf(client.createConnection(both))).toMatchObject({ status: 422, pointers: ['/clear'] })
  expect(await problemOf(client.createConnections({ connections: [both] }))).toMatchObject({
    pointers: ['/connections/0/clear'],
  })
})

test('lists take the time at which a connection must hold; its end is exclusive', async () => {
  const { client } = await world()
  const at = async (valid_at?: string) => {
    const { connections, total } = await client.listConnections(valid_at === undefined ? {} : { valid_at })
    expect(connections).toHaveLength(total)
    return total
  }
  expect([await at(), await at('any'), await at('now')]).toEqual([2, 2, 1])
  expect([await at(BEFORE), await at(SPAN.valid_from), await at(THEN), await at(AFTER)]).toEqual([1, 2, 2, 1])
})

test('a connection that does not hold at that time is not walked', async () => {
  const { tenant, client, a, b, c } = await world()
  for (const depth of [1, 2, 5]) {
    const found = async (valid_at?: string) =>
      (await client.relatedMemories({ id: a, depth, ...(valid_at && { valid_at }) })).related.map(
        ({ memory }) => memory.id,
      )
    const all = depth === 1 ? [b] : [b, c]
    expect([await found(), await found(AFTER), await found(BEFORE)]).toEqual([[], [], []])
    expect([await found(THEN), await found('any')]).toEqual([all, all])
  }
  const paths = async (input: object) =>
    (await client.findPath({ source_id: a, target_id: c, ...input })).paths.length
  expect([await paths({}), await paths({ valid_at: THEN }), await paths({ valid_at: 'now' })]).toEqual([
    1, 1, 0,
  ])
  const query = `query($a: ID!, $at: String) {
    subgraph(ids: [$a], depth: 2, validAt: $at) { nodes { id } edges { reason validFrom validUntil } }
    getMemory(id: $a) { connections(validAt: $at) { connection { reason } } }
  }`
  const graph = (at: string) => ask(service, query, { variables: { a, at }, tenant })
  const edge = { reason: 'Her contract says so.', validFrom: SPAN.valid_from, validUntil: SPAN.valid_until }
  expect(await graph(THEN as string)).toMatchObject({
    subgraph: { nodes: [{ id: a }, { id: b }, { id: c }], edges: expect.arrayContaining([edge]) },
    getMemory: { connections: [{ connection: { reason: edge.reason } }] },
  })
  expect(await graph('now')).toMatchObject({
    subgraph: { nodes: [{ id: a }], edges: [] },
    getMemory: { connections: [] },
  })
})

test('as of a time a connection has the validity that was recorded then', async () => {
  const { client, a, b, held } = await world()
  const first = await pastMoment(service)
  await client.createConnection({ ...held, valid_until: '2020-06-01', reason: 'She left.' })
  const second = await pastMoment(service)
  await client.deleteConnection(held)
  const reads = async (as_of: string, valid_at: string) => {
    const { connections, total } = await client.listConnections({ source_id: a, as_of, valid_at })
    const { related } = await client.relatedMemories({ id: a, as_of, valid_at })
    const { paths } = await client.findPath({ source_id: a, target_id: b, as_of, valid_at })
    expect([related.length, paths.length, total]).toEqual(Array(3).fill(connections.length))
    return connections.map(({ connection }) => [connection.reason, connection.valid_until])
  }
  expect(await reads(first, THEN as string)).toEqual([['Her contract says so.', SPAN.valid_until]])
  expect(await reads(second, THEN as string)).toEqual([])
  expect(await reads(second, SPAN.valid_from)).toEqual([['She left.', '2020-06-01T00:00:00.000Z']])
  expect([await reads(first, 'now'), await reads(second, 'any')]).toEqual([
    [],
    [['She left.', '2020-06-01T00:00:00.000Z']],
  ])
  expect(await reads(await pastMoment(service), 'any')).toEqual([])
})

test('a bundle carries validity and reason, also of earlier connections, and an older one has none', async () => {
  const { tenant, client, a, held, made } = await world()
  await client.createConnection({ ...held, reason: 'She left.' })
  const lines = await exported(client)
  const of = (section: string) => lines.map(line => JSON.parse(line)).filter(line => line.section === section)
  expect(of('connections')).toContainEqual(expect.objectContaining({ ...SPAN, reason: 'She left.' }))
  expect(of('earlier_connections')).toEqual([
    expect.objectContaining({ ...SPAN, reason: 'Her contract says so.' }),
  ])
  await service.cypher('MATCH (n) WHERE n.tenant = $tenant DETACH DELETE n', { tenant })
  const to = service.clientOf(freshTenant())
  await imported(to, lines)
  expect(await shownOf(to, a)).toEqual({ ...made.connection, reason: 'She left.' })
  expect((await imported(to, lines)).totals.connections).toMatchObject({ unchanged: 2, created: 0 })
  await to.createConnection({ ...held, valid_from: '2021-01-01' })
  expect((await imported(to, lines, { mode: 'replace' })).totals.connections).toMatchObject({ updated: 1 })
  expect(await shownOf(to, a)).toMatchObject(SPAN)

  const memories = [memoryLine(), memoryLine()]
  const ends = memories.map(({ id }) => id) as [string, string]
  const { reason: _reason, valid_from: _from, valid_until: _until, ...old } = connectionLine(...ends)
  await imported(to, bundleLines([...memories, old as ReturnType<typeof connectionLine>]))
  expect(await shownOf(to, ends[0])).toMatchObject({ reason: null, valid_from: null, valid_until: null })
  const turned = { valid_from: AFTER as string, valid_until: BEFORE as string }
  expect(
    await problemOf(imported(to, bundleLines([...memories, connectionLine(...ends, turned)]))),
  ).toMatchObject({ code: 'validation_failed' })
})

test('exports have the validity: GEXF as the interval, the others as columns', async () => {
  const { client, a, b, c } = await world()
  const gexf = readGexf(await exportText(client, { format: 'gexf' }))
  const spans = gexf.edges.map(({ attributes: { source, start, end } }) => [source, start, end])
  expect(spans).toContainEqual([a, SPAN.valid_from, SPAN.valid_until])
  expect(spans).toContainEqual([b, expect.stringMatching(/^20/), undefined])
  const columns = {
    reason: 'Her contract says so.',
    validFrom: SPAN.valid_from,
    validUntil: SPAN.valid_until,
  }
  const graphml = readGraphml(await exportText(client, { format: 'graphml' }))
  expect(graphml.edges.map(({ data }) => data)).toContainEqual(expect.objectContaining(columns))
  const csv = await exportText(client, { format: 'csv', part: 'edges' })
  const row = readCsv(csv, { legacy: false }).find(each => each[':START_ID'] === a)
  expect(row).toMatchObject({
    'reason:string': columns.reason,
    'validFrom:datetime': columns.validFrom,
    'validUntil:datetime': columns.validUntil,
  })
  expect(await exportText(client, { format: 'cypher' })).toContain(
    `validFrom: datetime('${SPAN.valid_from}')`,
  )
  const kept = (await exportText(client, { format: 'ndjson', valid_at: 'now' })).trim().split('\n')
  expect(kept.map(line => JSON.parse(line)).filter(({ record }) => record === 'connection')).toMatchObject([
    { source_id: b, target_id: c },
  ])
})

test('what a merge copies keeps its validity and its reason, and an undo takes it back', async () => {
  const { tenant, client } = service.newTenant()
  const [kept, gone, other] = await rememberIds(client, [
    'the cat sleeps on the sofa',
    'The cat sleeps on the sofa!',
    'a truck engine',
  ])
  await service.drain(tenant)
  const supports = { target_id: other, relationship_type: 'supports' } as const
  await client.createConnection({ source_id: gone, ...supports, ...SPAN, reason: 'It was seen.' })
  const { plan_id } = await client.planMaintenance({ kind: 'merge' })
  await client.applyMaintenance({ id: plan_id as string })
  const copy = async () =>
    (await client.listConnections({ source_id: kept, relationship_type: 'supports' })).connections.map(
      ({ connection }) => connection,
    )
  expect(await copy()).toMatchObject([{ ...SPAN, reason: 'It was seen.' }])
  await client.undoMaintenance({ id: plan_id as string })
  expect(await copy()).toEqual([])
})

test('a contradiction that no longer holds is no open conflict', async () => {
  const { client, a, b } = await world()
  const ends = { source_id: a, target_id: b, relationship_type: 'contradicts' } as const
  const conflicts = async () => {
    const { results } = await client.searchMemories({ query: 'Ada', search_type: 'keyword' })
    const { conflicts: listed } = await client.listConflicts({})
    return [results[0]?.conflicts, listed.map(({ reason }) => reason)]
  }
  await client.createConnection({ ...ends, reason: 'They cannot both hold.' })
  expect(await conflicts()).toEqual([[b], ['They cannot both hold.']])
  await client.createConnection({ ...ends, ...SPAN })
  expect(await conflicts()).toEqual([[], []])
})

test('Cypher of a tenant and the command line know the fields', async () => {
  const { tenant, client, a, b, held } = await world()
  const { rows } = await client.runCypher({
    query: 'MATCH (a:Memory)-[r:PART_OF]->(b:Memory) WHERE a.id = $a RETURN r, a',
    parameters: { a },
  })
  expect(rows).toMatchObject([
    { r: { properties: { reason: 'Her contract says so.', validFrom: '2020-01-01T00:00:00Z' } } },
  ])
  await client.deleteConnection(held)
  const words = ['connect', a, b, '--type', 'part_of', '--valid-from', '2020-01-01', '--reason', 'It is so.']
  expect(await runInProcess(words, { service, tenant })).toMatchObject({ code: 0 })
  const { out } = await runInProcess(['related', a, '--valid-at', 'any'], { service, tenant })
  expect(out).toContain('part_of, asserted, from 2020-01-01T00:00:00.000Z, 1 away: It is so.')
  const none = await runInProcess(['connections', '--valid-at', BEFORE as string, '--json'], {
    service,
    tenant,
  })
  expect(JSON.parse(none.out).total).toBe(1)
})
