import { execFileSync } from 'node:child_process'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { beforeAll, expect, test } from 'vitest'
import type { Connection } from '../../src/contract/connections.ts'
import type { Memory } from '../../src/contract/memory.ts'
import { temporaryFolder } from '../../tools/temporary-folder.ts'
import { expectProblem } from '../support/expect-problem.ts'
import { exportText, readCsv, readGexf, readGraphml } from '../support/graph-export.ts'
import { pythonWith, pythonWithNetworkx } from '../support/python.ts'
import { idOf, numbered, remember } from '../support/seed.ts'
import { freshTenant, withService } from '../support/service.ts'

/** What could end a quotation, a line, a statement or an element; what is a formula, or a code, or not ASCII. */
const hostile = [
  `"double", 'single', \`back\`; ""`,
  'C:\\users\\new\\ \\u0041 \\\\u0041 \\" ends in \\',
  'one\r\ntwo\rthree\nfour\ttabbed\n',
  ']]> <!-- <node id="x"> &amp; &#0; </data></node> <![CDATA[',
  '=1+1 +2 -3 @SUM(A1)',
  '// no comment; /* none */ :param x => 1;\n:exit',
  'zażółć 猫 🐈‍⬛ \u2028 \u00a0 \ufeff',
  '{id: 1}} $tenant $(tenant) %s',
]
const controls = 'bell \u0007, escape \u001b[31m, separator \u001f, \ufffe, del \u007f\u0085'
const tags = ['a;b', 'c,d|e', '"quoted"', "it's", 'back\\slash\\', '=1', 'two\nlines', '猫']

const service = withService()
let memories: Memory[]
let archived: string
let expired: string
let connections: Connection[]
const python = pythonWithNetworkx()
const lxml = pythonWith('lxml==6.1.3')
beforeAll(async () => {
  const { client } = service
  const made = await remember(client, [
    ...hostile.map(content => ({ content, tags, importance: 1, ttl_seconds: 86_400 })),
    controls,
    'is archived',
    'has expired',
  ])
  const ids = made.map(idOf)
  ;[archived, expired] = ids.slice(-2) as [string, string]
  const connect = (source: number, target: number, fields: object = {}) =>
    client.createConnection({ source_id: ids[source] as string, target_id: ids[target] as string, ...fields })
  await connect(0, 1, { strength: 1 })
  await connect(0, 1, { relationship_type: 'caused_by', strength: 0.25 })
  await connect(1, 0, { relationship_type: 'supports' })
  for (const hidden of [made.length - 2, made.length - 1]) await connect(2, hidden, { strength: 0.5 })
  await service.cypher(
    `MATCH (:Memory {id: $id})-[r:RELATED_TO]->() SET r.origin = 'discovered', r.model = '<"model">', r.threshold = 0.7`,
    { id: ids[0] },
  )
  await client.getMemory({ id: ids[0] as string })
  await client.deleteMemory({ id: archived })
  await service.cypher('MATCH (m:Memory {id: $expired}) SET m.liveUntil = 0', { expired })
  const other = await remember(service.clientOf(freshTenant()), ['of another tenant'])
  await service.cypher(
    `MATCH (a:Memory {id: $mine}), (b:Memory {id: $theirs}) CREATE (a)-[:RELATED_TO {key: a.id + ':' + b.id,
       tenant: $tenant, createdAt: a.createdAt, origin: 'asserted'}]->(b)`,
    { mine: ids[0], theirs: other[0]?.id, tenant: service.tenant },
  )
  memories = (await client.listMemories({ order: 'asc', limit: 200 })).memories
  connections = (await client.listConnections({ limit: 500 })).connections.filter(
    ({ connection }) => ![archived, expired].includes(connection.target_id),
  )
})

test('GraphML holds every memory and connection of the tenant, and nothing else', async () => {
  const { nodes, edges } = readGraphml(await exportText(service.client, { format: 'graphml' }))
  expect(
    nodes.map(({ attributes, data }) => [attributes.id, data.content, JSON.parse(data.tags ?? '')]),
  ).toEqual(memories.map(({ id, content, tags: given }) => [id, inXml(content), given]))
  expect(
    edges
      .map(({ attributes, data }) => [attributes.source, attributes.target, data.type, Number(data.weight)])
      .toSorted(),
  ).toEqual(connections.map(edge => [...endsOf(edge), edge.connection.strength ?? 1]).toSorted())
})

test.skipIf(python.reason)(`NetworkX opens the GraphML with its types ${python.reason ?? ''}`, async () => {
  const file = join(temporaryFolder(), 'graph.graphml')
  writeFileSync(file, await exportText(service.client, { format: 'graphml' }))
  const program = `
import json, networkx, sys
graph = networkx.read_graphml(sys.argv[1])
json.dump({'directed': graph.is_directed(), 'nodes': list(graph.nodes(data=True)), 'edges': list(graph.edges(data=True)),
  'apart': networkx.number_weakly_connected_components(graph)}, sys.stdout)`
  const answer = JSON.parse(
    execFileSync(python.python as string, ['-c', program, file], { encoding: 'utf8' }),
  )
  expect(answer).toMatchObject({ directed: true, apart: memories.length - 1 })
  expect(answer.nodes).toEqual(
    memories.map(({ id, content, importance, version, ttl_seconds: ttlSeconds }) => [
      id,
      expect.objectContaining({ content: inXml(content), importance, version, ttlSeconds }),
    ]),
  )
  expect(answer.edges).toHaveLength(connections.length)
  expect(answer.edges).toContainEqual([
    memories[0]?.id,
    memories[1]?.id,
    expect.objectContaining({ type: 'CAUSED_BY', weight: 0.25, strength: 0.25, origin: 'asserted' }),
  ])
})

test('GEXF has an interval for each memory and connection, for a timeline', async () => {
  const { nodes, edges } = readGexf(
    await exportText(service.client, { format: 'gexf', include_archived: true }),
  )
  const gone = nodes.find(({ attributes }) => attributes.id === archived)
  expect(gone?.attributes.end).toMatch(/^\d{4}-\d\d-\d\dT/)
  expect(
    nodes
      .filter(node => node !== gone)
      .map(({ attributes, data }) => [attributes.id, attributes.start, data.content]),
  ).toEqual(memories.map(({ id, created_at, content }) => [id, created_at, inXml(content)]))
  const shown = edges.map(({ attributes: { source, target, start, kind, weight } }) =>
    [source, target, start, kind, weight].join(' '),
  )
  for (const { source_id, connection } of connections)
    expect(shown).toContain(
      [
        source_id,
        connection.target_id,
        connection.created_at,
        connection.relationship_type.toUpperCase(),
        connection.strength ?? 1,
      ].join(' '),
    )
})

test.skipIf(lxml.reason)(`GEXF is valid by its schema ${lxml.reason ?? ''}`, async () => {
  const file = join(temporaryFolder(), 'graph.gexf')
  const program = `
import sys
from lxml import etree
schema = etree.RelaxNG(etree.parse('test/fixtures/gexf.rng'))
print(schema.validate(etree.parse(sys.argv[1])), schema.error_log)`
  for (const client of [service.client, service.clientOf(freshTenant())]) {
    writeFileSync(file, await exportText(client, { format: 'gexf', include_archived: true }))
    const said = execFileSync(lxml.python as string, ['-c', program, file], { encoding: 'utf8' })
    expect(said.trim()).toBe('True')
  }
})

test('NDJSON has a line for each memory and connection as the API has them, and vectors if asked', async () => {
  const client = service.clientOf(freshTenant())
  const found = await remember(client, ['one\ntwo', 'three'])
  const [source_id, target_id] = found.map(idOf) as [string, string]
  const { connection } = await client.createConnection({ source_id, target_id, strength: 0.5 })
  const lines = async (vectors: boolean) =>
    (await exportText(client, { format: 'ndjson', vectors }))
      .trim()
      .split('\n')
      .map(each => JSON.parse(each))
  expect(await lines(false)).toEqual([
    ...found.map(memory => ({ record: 'memory', ...memory })),
    { record: 'connection', source_id, ...connection },
  ])
  const [first] = await lines(true)
  const fetched = await client.getMemory({ id: first.id, include_embedding: true, record_recall: false })
  expect(first.embedding.vector).toEqual(fetched.embedding.vector)
  await expectProblem(await service.request('/graph/export?format=gexf&vectors=true'), 'validation_failed')
})

test.each([{ legacy: false }, { legacy: true }])(
  'CSV is read byte for byte, by Neo4j’s rules: %o',
  async ({ legacy }) => {
    const quoting = legacy ? { quoting: 'load_csv' as const } : {}
    const csv = (part: 'nodes' | 'edges') => exportText(service.client, { format: 'csv', part, ...quoting })
    const nodes = readCsv(await csv('nodes'), { legacy })
    expect(nodes.map(row => [row['id:ID'], row['content:string'], split(row['tags:string[]'])])).toEqual(
      memories.map(({ id, content, tags: given }) => [id, content, given]),
    )
    expect(nodes.map(row => [row['expiresAt:datetime'], row['version:long'], row[':LABEL']])).toEqual(
      memories.map(({ expires_at, version }) => [expires_at, String(version), 'Memory']),
    )
    const edges = readCsv(await csv('edges'), { legacy })
    expect(
      edges
        .map(row => [
          row[':START_ID'],
          row[':END_ID'],
          row[':TYPE'],
          row['strength:double'],
          row['model:string'],
        ])
        .toSorted(),
    ).toEqual(
      connections
        .map(edge => [...endsOf(edge), edge.connection.strength?.toString() ?? null, edge.connection.model])
        .toSorted(),
    )
  },
)

test('Cypher makes the same graph again, once however often it runs', async () => {
  const script = await exportText(service.client, { format: 'cypher' })
  const before = await graph()
  await service.cypher('MATCH (m:Memory {tenant: $tenant}) DETACH DELETE m', { tenant: service.tenant })
  for (const statement of [...script.split(/;\n/), ...script.split(/;\n/)].filter(each => each.trim() !== ''))
    for (const language of ['CYPHER 25', 'CYPHER 5']) await service.cypher(`${language} ${statement}`)
  expect(await graph()).toEqual(before)
  expect(before[0]?.nodes).toHaveLength(memories.length)
})

test('archived memories, types and origins are a choice; an expired one never is', async () => {
  const { client } = service
  await restoreHidden()
  const read = async (input: object) => readGraphml(await exportText(client, { format: 'graphml', ...input }))
  const all = await read({ include_archived: true })
  expect(all.nodes.map(({ attributes }) => attributes.id)).toContain(archived)
  expect(all.edges.filter(({ attributes }) => attributes.target === archived)).toHaveLength(1)
  expect(JSON.stringify(all)).not.toContain(expired)
  expect(
    (await read({ relationship_types: ['caused_by', 'supports'] })).edges.map(({ data }) => data.type),
  ).toEqual(['CAUSED_BY', 'SUPPORTS'])
  expect((await read({ origin: 'discovered' })).edges.map(({ data }) => data.model)).toEqual(['<"model">'])
})

test('more than a page is exported once each, in the order in which it was made', async () => {
  const { tenant, client } = service.newTenant()
  const many = await remember(client, numbered(401, 'number'))
  await service.cypher(
    `MATCH (hub:Memory {id: $hub}) MATCH (m:Memory {tenant: $tenant}) WHERE m <> hub
     CREATE (m)-[:SUPPORTS {key: m.id + ':' + hub.id, tenant: $tenant, origin: 'asserted', createdAt: hub.createdAt}]->(hub)`,
    { hub: many[0]?.id, tenant },
  )
  const { nodes, edges } = readGraphml(await exportText(client, { format: 'graphml' }))
  expect(nodes.map(({ data }) => data.content)).toEqual(many.map(({ content }) => content))
  expect(edges.map(({ attributes }) => attributes.source).toSorted()).toEqual(
    many.slice(1).map(idOf).toSorted(),
  )
})

test('an export is a file with a name, and HEAD returns the same headers', async () => {
  for (const method of ['GET', 'HEAD']) {
    const answer = await service.request('/graph/export?format=csv&part=nodes', { method })
    expect(answer.headers.get('content-type')).toBe('text/csv; charset=utf-8')
    expect(answer.headers.get('content-disposition')).toBe(
      `attachment; filename="mnemograph-${service.tenant}-nodes.csv"`,
    )
    expect((await answer.text()).startsWith('id:ID,')).toBe(method === 'GET')
  }
})

test('what is asked amiss is refused before anything is sent', async () => {
  for (const query of [
    '',
    '?format=xml',
    '?format=csv',
    '?format=graphml&part=nodes',
    '?format=cypher&quoting=load_csv',
  ])
    await expectProblem(await service.request(`/graph/export${query}`), 'validation_failed')
})

const endsOf = ({ source_id, connection }: Connection): [string, string, string] => [
  source_id,
  connection.target_id,
  connection.relationship_type.toUpperCase(),
]

/** What XML cannot hold is marked. */
const inXml = (text: string) =>
  ['\u0007', '\u001b', '\u001f', '\ufffe'].reduce((all, each) => all.replaceAll(each, '\ufffd'), text)

const split = (cell: string | null | undefined) => (cell ? cell.split('\u001f') : [])

/** The tenant's graph as the export promises it: what is live, with its documented properties. */
const graph = () =>
  service.cypher<{ nodes: unknown[]; edges: unknown[] }>(
    `MATCH (m:Memory {tenant: $tenant}) WHERE m.id IN $ids WITH m ORDER BY m.id
    WITH collect(m {.id, .tenant, .content, .policy, .tags, .importance, .state, .health, .ttlSeconds, .expiresAt,
      .archivedAt, .createdAt, .updatedAt, .lastRecalledAt, .recallCount, .version}) AS nodes
    OPTIONAL MATCH (a:Memory {tenant: $tenant})-[r]->(b:Memory {tenant: $tenant}) WHERE a.id IN $ids AND b.id IN $ids
    WITH nodes, r ORDER BY r.key, type(r)
    RETURN nodes, collect([type(r), properties(r)]) AS edges`,
    { tenant: service.tenant, ids: memories.map(idOf) },
  )

/** The archived and the expired memory again, and what leads to them. */
const restoreHidden = () =>
  service.cypher(
    `MATCH (m:Memory {id: $from}) SET m.liveUntil = 9e14
    WITH m UNWIND [[$archived, 'archived'], [$expired, 'active']] AS one
    CREATE (h:Memory {id: one[0], tenant: $tenant, content: 'hidden', policy: 'short_term', tags: [], importance: 0.5,
      state: one[1], health: 100.0, ttlSeconds: 0, recallCount: 0, version: 1, liveUntil: 0, createdAt: m.createdAt, updatedAt: m.createdAt})
    CREATE (m)-[:RELATED_TO {key: m.id + ':' + h.id, tenant: $tenant, origin: 'asserted', createdAt: m.createdAt}]->(h)
    WITH DISTINCT m MATCH (other:Memory {tenant: $tenant}) WHERE other.liveUntil IS NULL SET other.liveUntil = 9e14`,
    { from: memories[2]?.id, archived, expired, tenant: service.tenant },
  )

test('with filters an export has the matching memories and the connections between them', async () => {
  const client = service.clientOf(freshTenant())
  const made = await remember(client, [
    { content: 'one', source: 'wiki', tags: ['a'] },
    { content: 'two', source: 'wiki', tags: ['b'] },
    { content: 'three', source: 'other', tags: ['a'] },
  ])
  const [one, two, three] = made.map(idOf) as [string, string, string]
  await client.createConnection({ source_id: one, target_id: two })
  await client.createConnection({ source_id: two, target_id: three })
  const of = async (part: 'nodes' | 'edges', fields: object) =>
    readCsv(await exportText(client, { format: 'csv', part, ...fields }), { legacy: false })
  const contents = async (fields: object) => (await of('nodes', fields)).map(row => row['content:string'])
  expect(await contents({ source: 'wiki' })).toEqual(['one', 'two'])
  expect(await of('edges', { source: 'wiki' })).toHaveLength(1)
  expect(await of('edges', {})).toHaveLength(2)
  expect(await contents({ tags: ['a'], created_before: '2001-01-01T00:00:00Z' })).toEqual([])
  expect(await contents({ tags: ['a'] })).toEqual(['one', 'three'])
})
