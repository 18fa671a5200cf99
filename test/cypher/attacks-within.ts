/**
 * Queries that try to read the nodes of others where Neo4j has no operator for them, or where a name means another thing
 * than it seems to. Each returns what it finds, or fails with it.
 */

/** Reads all properties of what it matches. */
const all = 'MATCH (c) RETURN [labels(c), properties(c)]'
const found = `COLLECT { ${all} }`
/** Fails with the content of what it matches. */
const failing = 'WHERE [p IN [properties(c)] WHERE p.content IS NOT NULL | p.content.x][0] = 1'

/** Expressions with a query or a pattern inside. */
const inside = [
  found,
  `COLLECT { MATCH (c) ${failing} RETURN 1 }`,
  `COUNT { MATCH (c) ${failing} }`,
  `EXISTS { MATCH (c) ${failing} }`,
  'COUNT { ()-[r:PART_OF]->() WHERE [p IN [properties(endNode(r))] WHERE p.content IS NOT NULL | p.content.x][0] = 1 }',
  '[()-[r]->() | properties(endNode(r))]',
  '[(x)-[r]->(y) | [properties(x), properties(y), properties(r)]]',
]

/** Places where an expression stands within another one. */
const places = [
  (x: string) => `RETURN CASE WHEN true THEN ${x} END AS l`,
  (x: string) => `RETURN CASE WHEN false THEN 1 ELSE [c IN [${x}] | c] END AS l`,
  (x: string) => `RETURN [x IN [1] | ${x}] AS l`,
  (x: string) => `RETURN [x IN [1] WHERE ${x} IS NOT NULL | x] AS l`,
  (x: string) => `RETURN any(x IN [1] WHERE ${x} IS NULL) AS l`,
  (x: string) => `RETURN reduce(s = [], x IN [1] | s + ${x}) AS l`,
  (x: string) => `RETURN coalesce(null, ${x}) AS l`,
  (x: string) => `RETURN {k: ${x}}.k AS l`,
  (x: string) => `RETURN [${x}][0] AS l`,
  (x: string) => `WITH CASE WHEN true THEN ${x} END AS c RETURN c`,
  (x: string) => `MATCH (m {content: CASE WHEN ${x} IS NULL THEN 'a' END}) RETURN m.id AS l`,
  (x: string) => `UNWIND [x IN [1] | ${x}] AS l RETURN l`,
  (x: string) => `RETURN 1 AS l ORDER BY CASE WHEN ${x} IS NULL THEN 1 END`,
]

/** Names that Neo4j has bound elsewhere than they seem to be. */
const names = [
  `RETURN [c IN ${found} | c] AS l`,
  `WITH ${found} AS c RETURN c`,
  `WITH 1 AS c WITH CASE WHEN true THEN ${found} END AS c RETURN c`,
  'MATCH (a) WITH count(*) AS n WHERE EXISTS { MATCH (a) WHERE a.content IS NOT NULL } RETURN n',
  'MATCH (a) WITH DISTINCT 1 AS n ORDER BY COUNT { MATCH (a) } RETURN n',
  'MATCH (a) RETURN count(*) AS n ORDER BY EXISTS { (a)--() }',
  'MATCH (c) CALL { RETURN 1 AS x UNION MATCH (c) RETURN properties(c) AS x } RETURN x',
  'MATCH (c) CALL () { RETURN 1 AS x UNION MATCH (c) RETURN properties(c) AS x } RETURN x',
  'MATCH (c) CALL (c) { WITH 1 AS y MATCH (c) RETURN properties(c) AS x } RETURN x',
  `MATCH (a WHERE EXISTS { MATCH (c) ${failing} }) RETURN a.id AS l`,
  `MATCH (a)-[r WHERE EXISTS { MATCH (c) ${failing} }]->(b) RETURN a.id AS l`,
  `MATCH (a {content: [c IN ${found} | c][0]}) RETURN a.id AS l`,
  'MATCH (a) RETURN [(a)--(c) | COLLECT { MATCH (c) RETURN properties(c) }] AS l',
  'MATCH (c) WITH [c IN [1] | c] AS l, c AS d MATCH (d) RETURN properties(d) AS x, l',
  'UNWIND [null] AS c MATCH (c) RETURN properties(c) AS x',
  'OPTIONAL MATCH (c {content: "none"}) WITH c MATCH (c) RETURN properties(c) AS x',
  'LET c = null MATCH (c) RETURN properties(c) AS x',
]

/** Conditions that Neo4j may test before it asks for the tenant, and values that show more than is public. */
const order = [
  'MATCH (c) WHERE c.content.x = 1 RETURN c',
  'MATCH (c) WHERE toInteger(c.content) / 0 = 1 RETURN c',
  'MATCH ()-[r:PART_OF]->() WHERE startNode(r).content.x = 1 RETURN r',
  'MATCH ()-[r:PART_OF]->() WHERE [p IN [properties(startNode(r))] | p.content.x][0] = 1 RETURN r',
  'MATCH (x)-[r]-(y) WHERE date(y.content) IS NULL RETURN r',
  'MATCH p = (x)-[*1..3]-(y) WHERE any(n IN nodes(p) WHERE date(n.content) IS NULL) RETURN p',
  'MATCH p = (x)-[*0..3]-(y) RETURN [n IN nodes(p) | properties(n)] AS l',
  'MATCH (x)((u)--(v)){0,3}(y) RETURN [n IN u + v | properties(n)] AS l',
  'MATCH p = ANY SHORTEST (x)--{0,3}(y) RETURN p',
  'MATCH (c) RETURN c, [c], {k: c}, collect(c) AS l',
  'MATCH (c) RETURN c {.*} AS c, properties(c) AS p, keys(c) AS k, labels(c) AS l',
  'MATCH (c) RETURN c["embedding"] AS e, c["textDigest"] AS d',
  'MATCH (c) RETURN [x IN collect(c) | x["textDigest"]] AS d',
  'MATCH (c) WITH {k: c} AS m RETURN m.k.textDigest AS d',
  'MATCH (c) WITH {k: c} AS m RETURN m["k"]["words"] AS d',
  'MATCH (c) RETURN reduce(s = null, x IN [c] | x)["words"] AS d',
  'MATCH (c) RETURN coalesce(c, 1)["words"] AS d, head([c])["words"] AS e',
  'MATCH (c) RETURN c { .words, .textDigest, .liveUntil, .revision } AS d',
  'MATCH (c) WHERE c.lock IS NULL RETURN c.writeId AS d',
  'MATCH ()-[r]-() RETURN r.key AS k, properties(r) AS p, r AS r',
  'MATCH (r:Recall) RETURN r, properties(r) AS p, keys(r) AS k',
  'MATCH (c {tenant: $victim}) RETURN c',
  'MATCH (c) WHERE c.tenant = $victim OR true RETURN c',
  'MATCH (c) WHERE c.tenant IN [$victim] RETURN c',
  'WITH $victim AS tenant MATCH (c {tenant: tenant}) RETURN c',
]

export const within = [...places.flatMap(place => inside.map(place)), ...names, ...order]
