import { expect, test } from 'vitest'
import { idOf, remember } from '../support/seed.ts'
import { withService } from '../support/service.ts'

const service = withService()

/** A circle of three with a tail: a -> b -> c -> a, c -> d, and e alone. */
test('what is there', async () => {
  const memories = await remember(service.client, [
    { content: 'a', tags: ['x', 'y'], kind: 'k', source: 's', importance: 1 },
    { content: 'b', tags: ['x'], kind: 'k', importance: 0.5 },
    { content: 'c', tags: ['y', 'x'], importance: 0.5 },
    { content: 'd', tags: [] },
    { content: 'e', tags: ['z'] },
  ])
  const ids = memories.map(idOf)
  for (const [from, to] of [
    [0, 1],
    [1, 2],
    [2, 0],
    [2, 3],
  ] as const)
    await service.client.createConnection({
      source_id: ids[from] as string,
      target_id: ids[to] as string,
      relationship_type: from === 2 ? 'caused_by' : 'supports',
      strength: 0.5,
    })
  await service.client.getMemory({ id: ids[0] as string })
})

/** What an analyst asks of a graph, with the values of the first column. */
const questions: readonly (readonly [string, readonly unknown[]])[] = [
  ['MATCH (m) RETURN count(*)', [5]],
  ['MATCH (m) UNWIND m.tags AS tag RETURN tag, count(*) AS n ORDER BY n DESC, tag', ['x', 'y', 'z']],
  ['MATCH (m {content: "a"})--(n) RETURN n.content ORDER BY n.content', ['b', 'c']],
  ['MATCH (m {content: "a"})-->(n) RETURN n.content', ['b']],
  ['MATCH (m {content: "a"})-[*2]->(n) RETURN n.content', ['c']],
  ['MATCH (m {content: "a"})-->{1,3}(n) RETURN DISTINCT n.content AS c ORDER BY c', ['a', 'b', 'c', 'd']],
  ['MATCH (m) RETURN m.content, COUNT { (m)--() } AS hub ORDER BY hub DESC LIMIT 1', ['c']],
  ['MATCH (a)-->(b)-->(c)-->(a) WHERE a.id < b.id AND a.id < c.id RETURN count(*)', [1]],
  ['MATCH (a)-->(b)-->(c)-->(a) RETURN count(*)', [3]],
  ['MATCH p = SHORTEST 1 (a {content: "a"})-->+(d {content: "d"}) RETURN length(p)', [3]],
  [
    'MATCH p = shortestPath((a {content: "a"})-[*..5]-(d {content: "d"})) RETURN [n IN nodes(p) | n.content]',
    [['a', 'c', 'd']],
  ],
  ['MATCH p = ALL SHORTEST (a {content: "a"})--+(d {content: "d"}) RETURN count(p)', [1]],
  ['MATCH (m) WHERE NOT (m)--() RETURN m.content', ['e']],
  [
    'MATCH (m) UNWIND m.tags AS one UNWIND m.tags AS other WITH one, other WHERE one < other RETURN one + other, count(*)',
    ['xy'],
  ],
  ['MATCH ()-[r]->() RETURN type(r) AS t, count(*) ORDER BY t', ['CAUSED_BY', 'SUPPORTS']],
  ['MATCH ()-[r]->() RETURN avg(r.strength)', [0.5]],
  ['MATCH (m) RETURN max(duration.between(m.createdAt, datetime()).days)', [0]],
  ['MATCH (m) RETURN date(m.createdAt) = date() OR true AS recent, count(*)', [true]],
  ['MATCH (m) WHERE m.createdAt > datetime() - duration({days: 1}) RETURN count(*)', [5]],
  ['MATCH (m) RETURN coalesce(m.kind, "none") AS kind, count(*) AS n ORDER BY kind', ['k', 'none']],
  ['MATCH (m) RETURN round(avg(m.importance) * 100) / 100', [expect.any(Number)]],
  ['MATCH (m) RETURN percentileCont(m.importance, 0.5)', [0.5]],
  ['MATCH (m) WHERE "x" IN m.tags AND NOT "y" IN m.tags RETURN m.content', ['b']],
  [
    'MATCH (m) WHERE m.content CONTAINS "a" OR m.content STARTS WITH "b" RETURN m.content ORDER BY m.content',
    ['a', 'b'],
  ],
  ['MATCH (a)--(between)--(b) WHERE a.id < b.id AND NOT (a)--(b) RETURN count(*)', [2]],
  [
    'MATCH (m) OPTIONAL MATCH (m)-->(n) WITH m, collect(n.content) AS out RETURN size(out) AS degree, count(*) ORDER BY degree',
    [0, 1, 2],
  ],
  ['MATCH (r:Recall) MATCH (m {id: r.memoryId}) RETURN m.content', ['a']],
  ['MATCH (m) CALL (m) { MATCH (m)--(n) RETURN count(DISTINCT n) AS near } RETURN max(near)', [3]],
  ['MATCH (m) WITH m.kind AS kind, collect(m.content) AS all WHERE kind IS NOT NULL RETURN size(all)', [2]],
  ['MATCH (m) WHERE EXISTS { (m)-[:CAUSED_BY]->() } RETURN m.content', ['c']],
  [
    'MATCH (m) RETURN CASE WHEN m.importance >= 0.75 THEN "high" ELSE "low" END AS level, count(*) ORDER BY level',
    ['high', 'low'],
  ],
  ['MATCH (a {content: "a"}) MATCH (b {content: "b"}) RETURN COUNT { (a)--(n)--(b) }', [1]],
  ['MATCH (m) WHERE m.tenant = $tenant RETURN reduce(s = 0, t IN collect(size(m.tags)) | s + t)', [6]],
]

test.each(questions)('%s', async (query, first) => {
  const { columns, rows } = await service.client.runCypher({ query })
  expect(rows.map(row => row[columns[0] as string])).toEqual(first)
})
