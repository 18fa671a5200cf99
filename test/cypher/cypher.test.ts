import { expect, test } from 'vitest'
import { rewriteForTenant } from '../../src/service/cypher/rewrite.ts'
import { rememberIds } from '../support/seed.ts'
import { problemOf, withService } from '../support/service.ts'

const service = withService()
const run = async (query: string, parameters: Record<string, unknown> = {}) =>
  (await service.client.runCypher({ query, parameters })).rows
const refusalOf = async (query: string) => {
  const { status, code, detail } = await problemOf(service.client.runCypher({ query }))
  return [status, code, detail]
}

let ids: string[] = []
test('memories, connections, paths and figures are returned as JSON', async () => {
  ids = await rememberIds(service.client, [
    { content: 'the cause', importance: 1, tags: ['a'] },
    { content: 'the effect', importance: 0.5 },
    { content: 'the end' },
  ])
  const [cause, effect, end] = ids as [string, string, string]
  await service.client.createConnection({
    source_id: effect,
    target_id: cause,
    relationship_type: 'caused_by',
  })
  await service.client.createConnection({ source_id: end, target_id: effect, relationship_type: 'supports' })
  expect(await run('MATCH (m:Memory) RETURN count(*) AS n, avg(m.importance) AS mean')).toEqual([
    { n: 3, mean: expect.closeTo(0.667, 2) },
  ])
  const [row] = await run(
    'MATCH p = (e {id: $id})-[r:CAUSED_BY]->(c) RETURN p, r, c, type(r) AS type, toString(9007199254740993) AS large, [1, 2.5] AS list',
    { id: effect },
  )
  expect(row).toMatchObject({
    r: { type: 'CAUSED_BY', properties: { origin: 'asserted' } },
    c: { labels: ['Memory'], properties: { id: cause, content: 'the cause', tags: ['a'] } },
    p: [{ labels: ['Memory'] }, { type: 'CAUSED_BY' }, { labels: ['Memory'] }],
    type: 'CAUSED_BY',
    large: '9007199254740993',
    list: [1, 2.5],
  })
})

test.each([
  ['MATCH (n) WHERE n.importance = 1 RETURN n.content AS c', [{ c: 'the cause' }]],
  ["MATCH (n {content: 'the end'}) RETURN COUNT { (n)-->() } AS n", [{ n: 1 }]],
  ["MATCH (n {content: 'the end'}) RETURN [(n)-->(o) | o.content] AS c", [{ c: ['the effect'] }]],
  ['MATCH (n) WHERE NOT (n)<--() RETURN n.content AS c', [{ c: 'the end' }]],
  ["MATCH (n {content: 'the end'})-[*2]->(o) RETURN o.content AS c", [{ c: 'the cause' }]],
  ["MATCH (n {content: 'the end'})-->{2}(o) RETURN o.content AS c", [{ c: 'the cause' }]],
  [
    'MATCH p = shortestPath((a {content: "the end"})-[*..5]-(b {content: "the cause"})) RETURN length(p) AS n',
    [{ n: 2 }],
  ],
  [
    'MATCH p = SHORTEST 1 (a {content: "the end"})-->+(b {content: "the cause"}) RETURN length(p) AS n',
    [{ n: 2 }],
  ],
  ['RETURN EXISTS { (a)-[:CAUSED_BY]->(b) } AS e', [{ e: true }]],
  ['MATCH (a) CALL (a) { MATCH (a)-->(b) RETURN b } RETURN count(b) AS n', [{ n: 2 }]],
  ['CALL { MATCH (a) RETURN a } RETURN count(a) AS n', [{ n: 3 }]],
  ['MATCH (a) WITH a ORDER BY a.content LIMIT 1 MATCH (b) WHERE b <> a RETURN count(b) AS n', [{ n: 2 }]],
  [
    'MATCH (a) RETURN a.content AS c ORDER BY c LIMIT 1 UNION MATCH (a) RETURN "x" AS c',
    [{ c: 'the cause' }, { c: 'x' }],
  ],
  ['MATCH (a)-->(b), (b)-->(c) RETURN a.content + c.content AS c', [{ c: 'the endthe cause' }]],
  ['OPTIONAL MATCH (a {id: "none"}) RETURN a', [{ a: null }]],
  ['MATCH ()-[r]->() RETURN count(r) AS n', [{ n: 2 }]],
  ['MATCH (:Memory)-[r]->(:Memory {content: "the cause"}) RETURN count(r) AS n', [{ n: 1 }]],
  ['MATCH (a), (b) RETURN count(*) AS n', [{ n: 9 }]],
  ['UNWIND range(1, 3) AS n RETURN sum(n) AS n', [{ n: 6 }]],
  ['RETURN $tenant = "someone else" AS other, 0.0 / 0.0 AS nan', [{ other: false, nan: 'NaN' }]],
])('%s', async (query, rows) => {
  expect(await run(query)).toEqual(rows)
})

test('a map of all properties of a memory has no vector', async () => {
  const [row] = await run('MATCH (m) WITH m LIMIT 1 RETURN m {.*} AS m, [properties(m)] AS list')
  const { m, list } = row as { m: object; list: object[] }
  for (const each of [m, ...list]) {
    expect(Object.keys(each)).toContain('content')
    expect(Object.keys(each).filter(name => name.startsWith('embedding'))).toEqual([])
  }
})

test.each([
  [
    'MATCH (m:Memory) RETURN id(m)',
    'cypher_not_allowed',
    'Line 1, column 25: the function id is not allowed.',
  ],
  ['MATCH (m:Memory) RETURN n.id', 'cypher_not_allowed', 'Line 1, column 25: n is not known here.'],
  [
    'MATCH p = shortestPath((a:Memory)-[*]-(b:Memory)) RETURN length(p)',
    'cypher_failed',
    'A shortest path begins and ends at two different memories: match both before it, WHERE a <> b.',
  ],
])('%s says where it is wrong in the query itself, or nothing of a place', async (query, code, detail) => {
  expect(await refusalOf(query)).toEqual([422, code, detail])
})

test('every name that the service adds stays inside', async () => {
  const { columns, rows } = await service.client.runCypher({
    query: 'MATCH ({content: "the end"})-[r]->() RETURN *',
  })
  expect([columns, rows.map(row => Object.keys(row))]).toEqual([['r'], [['r']]])
})

test('an explained query is not run and says no estimates', async () => {
  const { rows, plan } = await service.client.runCypher({
    query: 'MATCH (n) RETURN n.content',
    explain: true,
  })
  expect(rows).toEqual([])
  expect(plan?.map(({ operator }) => operator)).toContain('ProduceResults')
  expect(JSON.stringify(plan)).not.toContain('stimated')
})

test('recalls are seen', async () => {
  await service.client.getMemory({ id: ids[0] as string })
  expect(await run('MATCH (r:Recall) RETURN r.memoryId AS id')).toEqual([{ id: ids[0] }])
})

test('more rows than an answer holds are cut, and it says so', async () => {
  const { rows, truncated } = await service.client.runCypher({
    query: 'UNWIND range(1, 200) AS a UNWIND range(1, 100) AS n RETURN n',
  })
  expect([rows.length, truncated]).toEqual([10_000, true])
})

test('a query that fails says why, and one that is no Cypher says where', async () => {
  expect(await refusalOf('MATCH (n) RETURN missing')).toEqual([
    422,
    'cypher_not_allowed',
    expect.stringContaining('missing'),
  ])
  expect(await refusalOf('RETURN 1 / 0 AS n')).toEqual([
    422,
    'cypher_failed',
    expect.stringContaining('zero'),
  ])
  expect(await refusalOf('MATCH (n RETURN n')).toEqual([
    422,
    'cypher_not_allowed',
    expect.stringContaining('Line 1, column'),
  ])
})

test('a hint asks for a look-up in the index: a scan of it begins at all tenants, and would be refused', () => {
  const { texts } = rewriteForTenant('MATCH (a)-[:SUPPORTS]->(b) RETURN a', {}, 'mine')
  expect(texts.at(-1)).toContain('USING INDEX SEEK a_1:Memory(tenant)')
})
