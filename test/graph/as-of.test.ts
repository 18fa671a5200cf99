import { expect, test } from 'vitest'
import { retain } from '../../src/service/lifecycle/retention.ts'
import { exported, imported } from '../../tools/bundle-lines.ts'
import { exportText } from '../support/graph-export.ts'
import { ask } from '../support/graphql.ts'
import { contextOf } from '../support/lifecycle.ts'
import { pastMoment } from '../support/past-moment.ts'
import { idOf, rememberIds } from '../support/seed.ts'
import { freshTenant, problemOf, someMemory, withService } from '../support/service.ts'

const service = withService({ settings: { SERVICE_HISTORY_VERSIONS: '3' } })

const moment = () => pastMoment(service)

/** Two memories that were connected, changed and disconnected, with the times between. */
async function past() {
  const { tenant, client } = service.newTenant()
  const before = await moment()
  const [a, b] = await rememberIds(client, ['The oven is hot', 'The bread burns'])
  const apart = await moment()
  const ends = { source_id: a, target_id: b, relationship_type: 'caused_by' } as const
  await client.createConnection({ ...ends, strength: 0.5 })
  const weak = await moment()
  await client.createConnection({ ...ends, strength: 0.9 })
  await client.updateMemory({ id: b, content: 'The bread is burnt', tags: ['bread'] })
  const strong = await moment()
  await client.deleteConnection(ends)
  await client.deleteMemory({ id: b })
  const after = await moment()
  return { tenant, client, a, b, before, apart, weak, strong, after }
}

test('a memory is read as it was at a time', async () => {
  const { client, b, before, weak, strong, after } = await past()
  const at = (as_of: string) => client.getMemory({ id: b, as_of })
  expect(await problemOf(at(before))).toMatchObject({ code: 'memory_not_found' })
  expect(await at(weak)).toMatchObject({ content: 'The bread burns', tags: [], version: 1, state: 'active' })
  expect(await at(strong)).toMatchObject({
    content: 'The bread is burnt',
    tags: ['bread'],
    version: 2,
    archived_at: null,
  })
  expect(await at(after)).toMatchObject({ state: 'archived', version: 3, recall_count: 0 })
  expect(await at('2999-01-01')).toMatchObject({ state: 'archived', version: 3 })
})

test('a list shows the memories that there were, filtered by what they were', async () => {
  const { client, a, b, before, apart, weak, strong, after } = await past()
  const ids = async (input: object) =>
    (await client.listMemories({ order: 'asc', ...input })).memories.map(idOf)
  expect(await ids({ as_of: before })).toEqual([])
  expect(await ids({ as_of: apart })).toEqual([a, b].toSorted())
  expect(await ids({ as_of: weak, tags: ['bread'] })).toEqual([])
  expect(await ids({ as_of: strong, tags: ['bread'] })).toEqual([b])
  expect(await ids({ as_of: after })).toEqual([a])
  expect(await ids({ as_of: after, state: 'archived' })).toEqual([b])
  const first = await client.listMemories({ as_of: strong, order: 'asc', limit: 1 })
  const rest = await client.listMemories({
    as_of: strong,
    order: 'asc',
    limit: 1,
    cursor: first.next_cursor as string,
  })
  expect([...first.memories, ...rest.memories].map(idOf)).toEqual([a, b].toSorted())
  expect(rest).toMatchObject({ has_more: false, truncated: false })
})

test('GraphQL reads memories, their connections and subgraphs as of a time', async () => {
  const { tenant, a, b, weak, strong, after } = await past()
  const query = `query($a: ID!, $b: ID!, $at: DateTime!) {
    getMemory(id: $b, asOf: $at) { content state version connections { direction memory { content } connection { strength } } }
    listMemoriesConnection(asOf: $at, order: ASC) { edges { node { id } } }
    subgraph(ids: [$a], asOf: $at) { nodes { memory { content } } edges { strength } }
    relatedMemories(id: $a, asOf: $at) { related { memory { content } connection { source { content } } } }
  }`
  const at = (time: string) => ask(service, query, { variables: { a, b, at: time }, tenant })
  expect(await at(weak)).toMatchObject({
    getMemory: {
      content: 'The bread burns',
      state: 'ACTIVE',
      version: 1,
      connections: [
        { direction: 'IN', memory: { content: 'The oven is hot' }, connection: { strength: 0.5 } },
      ],
    },
    subgraph: {
      nodes: [{ memory: { content: 'The oven is hot' } }, { memory: { content: 'The bread burns' } }],
      edges: [{ strength: 0.5 }],
    },
    relatedMemories: {
      related: [
        { memory: { content: 'The bread burns' }, connection: { source: { content: 'The oven is hot' } } },
      ],
    },
  })
  expect((await at(strong)).subgraph.edges).toEqual([{ strength: 0.9 }])
  const now = await at(after)
  expect(now.getMemory).toBeNull()
  expect(now.listMemoriesConnection.edges).toHaveLength(1)
  expect(now.subgraph).toEqual({ nodes: [{ memory: { content: 'The oven is hot' } }], edges: [] })
})

test('what a read of the past cannot have is refused, and a version that is not kept is named', async () => {
  const client = service.clientOf(freshTenant())
  const { id } = await client.createMemory(someMemory())
  const other = await client.createMemory(someMemory({ content: 'Another one' }))
  await client.createConnection({ source_id: other.id, target_id: id, relationship_type: 'supports' })
  const first = await moment()
  for (const importance of [0.1, 0.2, 0.3, 0.4, 0.6]) await client.updateMemory({ id, importance })
  expect(await problemOf(client.getMemory({ id, as_of: first }))).toMatchObject({ code: 'version_not_found' })
  const list = await client.listMemories({ as_of: first })
  expect([list.memories.map(idOf), list.truncated]).toEqual([[other.id], true])
  expect(await client.relatedMemories({ id: other.id, as_of: first })).toMatchObject({
    related: [],
    truncated: true,
  })
  for (const input of [{ include_embedding: true }, { include_fades_at: true }])
    expect(await problemOf(client.getMemory({ id, as_of: first, ...input }))).toMatchObject({
      code: 'validation_failed',
      pointers: [`/${Object.keys(input)[0]}`],
    })
  expect(await problemOf(client.listMemories({ as_of: first, order_by: 'health' }))).toMatchObject({
    code: 'validation_failed',
    pointers: ['/order_by'],
  })
})

test('a search by words finds what texts said at a time', async () => {
  const { tenant, client, a, b, before, weak, strong, after } = await past()
  const found = async (query: string, as_of: string, more: object = {}) => {
    const { results } = await client.searchMemories({ query, search_type: 'keyword', as_of, ...more })
    return results.map(({ memory }) => [memory.id, memory.content])
  }
  expect(await found('bread', before)).toEqual([])
  expect(await found('burning', weak)).toEqual([[b, 'The bread burns']])
  expect(await found('bread "is burnt"', weak)).toEqual([[b, 'The bread burns']])
  expect(await found('bread "is burnt"', strong)).toEqual([[b, 'The bread is burnt']])
  expect(await found('bread oven', strong)).toHaveLength(2)
  expect(await found('bread', strong, { tags: ['bread'] })).toHaveLength(1)
  expect(await found('bread', weak, { tags: ['bread'] })).toEqual([])
  expect(await found('bread oven', after)).toEqual([[a, 'The oven is hot']])
  const first = { query: 'bread oven', search_type: 'keyword', as_of: strong, limit: 1 } as const
  const page = await client.searchMemories(first)
  const next = await client.searchMemories({ ...first, cursor: page.next_cursor as string })
  expect([...page.results, ...next.results].map(({ memory }) => memory.id).toSorted()).toEqual(
    [a, b].toSorted(),
  )
  const query = `query($at: DateTime!) {
    searchMemories(query: "bread", searchType: KEYWORD, asOf: $at) { results { memory { content connections { direction } } } }
  }`
  expect((await ask(service, query, { variables: { at: strong }, tenant })).searchMemories.results).toEqual([
    { memory: { content: 'The bread is burnt', connections: [{ direction: 'IN' }] } },
  ])
  for (const [field, value] of [
    ['search_type', 'hybrid'],
    ['around', 1],
    ['diversity', 0.5],
  ] as const)
    expect(
      await problemOf(
        client.searchMemories({ query: 'x', search_type: 'keyword', as_of: strong, [field]: value }),
      ),
    ).toMatchObject({ code: 'validation_failed', pointers: [`/${field}`] })
})

test('connections are listed as they stood at a time', async () => {
  const { tenant, client, a, b, apart, weak, strong, after } = await past()
  const listed = async (as_of: string, more: object = {}) => {
    const { connections, total } = await client.listConnections({ as_of, ...more })
    expect(total).toBe(connections.length)
    return connections.map(({ source_id, connection }) => [
      source_id,
      connection.target_id,
      connection.strength,
    ])
  }
  expect(await listed(apart)).toEqual([])
  expect(await listed(weak)).toEqual([[a, b, 0.5]])
  for (const filter of [
    { source_id: a },
    { target_id: b },
    { source_id: a, target_id: b, origin: 'asserted' },
  ])
    expect(await listed(strong, filter)).toEqual([[a, b, 0.9]])
  for (const filter of [{ source_id: b }, { relationship_type: 'supports' }, { origin: 'discovered' }])
    expect(await listed(strong, filter)).toEqual([])
  expect(await listed(after)).toEqual([])
  const query = `query($at: DateTime!) {
    listConnections(asOf: $at) { connections { strength source { content } target { content } } }
  }`
  expect(
    (await ask(service, query, { variables: { at: weak }, tenant })).listConnections.connections,
  ).toEqual([
    { strength: 0.5, source: { content: 'The oven is hot' }, target: { content: 'The bread burns' } },
  ])
})

test('pages of connections of a time have each exactly once, in the order of the present', async () => {
  const client = service.clientOf(freshTenant())
  const ids = await rememberIds(client, ['one', 'two', 'three', 'four'])
  const pairs = ids.flatMap(source_id =>
    ids.filter(id => id !== source_id).map(target_id => ({ source_id, target_id })),
  )
  for (const relationship_type of ['supports', 'references'] as const)
    await client.createConnections({ connections: pairs.map(pair => ({ ...pair, relationship_type })) })
  const order = (await client.listConnections({ limit: 100 })).connections
  const then = await moment()
  for (const pair of pairs.slice(0, 5)) await client.deleteConnection(pair)
  const found: unknown[] = []
  for (let cursor: string | undefined, more = true; more; ) {
    const page = await client.listConnections({ as_of: then, limit: 7, cursor })
    expect(page.total).toBe(24)
    found.push(...page.connections)
    more = page.has_more
    cursor = page.next_cursor ?? undefined
  }
  expect(found).toEqual(order)
  expect((await client.listConnections({ as_of: then, limit: 7, offset: 7 })).connections).toEqual(
    order.slice(7, 14),
  )
})

test.each(['graphml', 'gexf', 'ndjson', 'cypher', 'csv'] as const)(
  'the export as %s has the graph as it was',
  async format => {
    const { client, apart, weak, strong, after } = await past()
    const exportedAt = async (as_of: string) => {
      const parts = format === 'csv' ? (['nodes', 'edges'] as const) : [undefined]
      const texts = await Promise.all(parts.map(part => exportText(client, { format, part, as_of })))
      return texts.join('')
    }
    const shown = (text: string) =>
      [/The bread burns/, /The bread is burnt/, /(?<!\d)0\.9(?!\d)/, /caused_by/i].map(each =>
        each.test(text),
      )
    expect(shown(await exportedAt(apart))).toEqual([true, false, false, false])
    expect(shown(await exportedAt(weak))).toEqual([true, false, false, true])
    expect(shown(await exportedAt(strong))).toEqual([false, true, true, true])
    expect(shown(await exportedAt(after))).toEqual([false, false, false, false])
  },
)

const earlierOf = (tenant: string) =>
  service.cypher<{ strength: number }>(
    'MATCH (c:EarlierConnection {tenant: $of}) RETURN c.strength AS strength ORDER BY strength',
    { of: tenant },
  )

test('a hard delete of an end and an erasure leave nothing of its earlier connections', async () => {
  const deleted = await past()
  expect(await earlierOf(deleted.tenant)).toEqual([{ strength: 0.5 }, { strength: 0.9 }])
  await deleted.client.deleteMemory({ id: deleted.b, hard: true })
  expect(await earlierOf(deleted.tenant)).toEqual([])
  expect((await deleted.client.relatedMemories({ id: deleted.a, as_of: deleted.strong })).related).toEqual([])
  const erased = await past()
  const receipt = await erased.client.eraseMemories({ filters: { tags: ['bread'] } })
  expect(receipt).toMatchObject({ verified: true })
  expect(await earlierOf(erased.tenant)).toEqual([])
})

test('earlier connections go when no version of an end is kept that had them, and beyond the number of versions', async () => {
  const { tenant, client, a, b } = await past()
  const ends = { source_id: a, target_id: b, relationship_type: 'caused_by' } as const
  await retain(contextOf(service, tenant))
  expect(await earlierOf(tenant)).toHaveLength(2)
  await client.restoreMemory({ id: b })
  for (const strength of [0.11, 0.12, 0.13, 0.14]) await client.createConnection({ ...ends, strength })
  await retain(contextOf(service, tenant))
  expect(await earlierOf(tenant)).toEqual([{ strength: 0.11 }, { strength: 0.12 }, { strength: 0.13 }])
  await moment()
  for (const importance of [0.1, 0.2, 0.3, 0.4]) await client.updateMemory({ id: a, importance })
  await retain(contextOf(service, tenant))
  expect(await earlierOf(tenant)).toEqual([])
})

test('a bundle carries the past to another tenant', async () => {
  const { client, a, weak, strong, after } = await past()
  const lines = await exported(client)
  expect(lines.filter(line => line.includes('"section":"earlier_connections"'))).toHaveLength(2)
  const target = service.clientOf(freshTenant())
  expect((await imported(target, lines)).totals).toMatchObject({ earlier_connections: { created: 2 } })
  expect((await imported(target, lines)).totals).toMatchObject({ earlier_connections: { unchanged: 2 } })
  for (const as_of of [weak, strong, after]) {
    const [theirs, ours] = await Promise.all(
      [target, client].map(each => each.relatedMemories({ id: a, as_of })),
    )
    expect(theirs?.related.map(({ connection, memory }) => [connection, memory.content])).toEqual(
      ours?.related.map(({ connection, memory }) => [connection, memory.content]),
    )
  }
})

test('a merge that is undone shows its connections for its time alone', async () => {
  const { tenant, client } = service.newTenant()
  const texts = ['the cat sleeps on the sofa', 'The cat sleeps on the sofa!', 'Stock prices fell']
  const [a, b, c] = (await rememberIds(client, texts)) as [string, string, string]
  await client.createConnection({ source_id: b, target_id: c, relationship_type: 'supports' })
  await client.createConnection({ source_id: c, target_id: a, relationship_type: 'caused_by' })
  await service.drain(tenant)
  const apart = await moment()
  const { plan_id } = await client.planMaintenance({ kind: 'merge' })
  await client.applyMaintenance({ id: plan_id as string })
  const merged = await moment()
  await client.undoMaintenance({ id: plan_id as string })
  const undone = await moment()
  const types = async (as_of: string) =>
    (
      await client.relatedMemories({ id: c, direction: 'both', as_of, include_archived: true, limit: 100 })
    ).related
      .filter(({ connection }) => connection.origin === 'asserted')
      .map(({ memory, connection }) => `${memory.id} ${connection.relationship_type}`)
      .toSorted()
  expect(await types(apart)).toEqual([`${a} caused_by`, `${b} supports`].toSorted())
  expect(await types(undone)).toEqual(await types(apart))
  expect(await types(merged)).toEqual(await types(apart))
})
