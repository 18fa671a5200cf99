import { expect, test } from 'vitest'
import { problemOf, withService } from '../support/service.ts'

const service = withService()
const times = (count: number, make: (at: number) => string) =>
  Array.from({ length: count }, (_, at) => make(at))
const nodes = (count: number) => times(count, at => `(n${at})`)

const TOO_OFTEN = 'this would be computed too often within operators on lists: UNWIND one of the lists.'
const SOUGHT = 'a text is sought in another one: use shorter texts here, or fewer operators on lists.'
const NODES = 'a query may have 10 nodes in its patterns.'
const APART = 'a query may have 6 patterns that begin at no node of an earlier one.'
const collected = 'MATCH (m) WITH collect(m.id) AS l, collect(m.source) AS k'

/** Neo4j stops neither while it plans nor within an expression. */
test.each([
  [`MATCH ${nodes(11).join('--')} RETURN 1`, NODES],
  [`MATCH ${nodes(11).join('-[*1..2]-')} RETURN 1`, NODES],
  [`MATCH (c) ${times(10, at => `MATCH (c)--(n${at})`).join(' ')} RETURN 1`, NODES],
  [`MATCH ${nodes(7).join(', ')} WHERE n0.source = n6.source RETURN 1`, APART],
  [`${times(7, at => `MATCH (n${at})`).join(' ')} RETURN 1`, APART],
  [`MATCH (m) ${times(6, at => `MATCH (r${at}:Recall {memoryId: m.id})`).join(' ')} RETURN 1`, APART],
  [`${collected} RETURN any(x IN l WHERE any(y IN k WHERE y = x))`, TOO_OFTEN],
  [`${collected} RETURN [x IN l | [y IN k | y]]`, TOO_OFTEN],
  [`${collected} RETURN [x IN l WHERE x IN (k + x)]`, TOO_OFTEN],
  [`${collected} RETURN [x IN l WHERE l = k]`, TOO_OFTEN],
  [`${collected} RETURN reduce(n = 0, x IN l | n + size(reverse(l)))`, TOO_OFTEN],
  [`${collected} RETURN [x IN l | [y IN tail(k) | y]]`, TOO_OFTEN],
  [`${collected} RETURN any(x IN [l, k] WHERE any(y IN x WHERE y = ''))`, TOO_OFTEN],
  [
    'RETURN [x IN COLLECT { MATCH (m) RETURN m.id } | size(COLLECT { MATCH (m) RETURN m.id })]',
    'WITH before.',
  ],
  [
    "MATCH (m) RETURN any(x IN split(m.content, '') WHERE any(y IN split(m.content, '') WHERE y = x + 'z'))",
    TOO_OFTEN,
  ],
  ['MATCH (m), (n) RETURN [x IN m.tags WHERE m.content CONTAINS n.content]', SOUGHT],
  ['RETURN [x IN range(1, 1000) WHERE $long + x CONTAINS $long]', SOUGHT],
  ['RETURN [x IN range(1, 1000) | size(replace($long, $long + x, "y"))]', SOUGHT],
  ['RETURN [x IN range(1, 1000) | size(split($long, $long + x))]', SOUGHT],
  ['RETURN [x IN range(1, 1000) | size(btrim($long + x, $long))]', SOUGHT],
])('%s is refused with its place', async (query, sentence) => {
  const parameters = { long: 'a'.repeat(50_000) }
  const { status, code, detail } = await problemOf(service.client.runCypher({ query, parameters }))
  expect([status, code]).toEqual([422, 'cypher_not_allowed'])
  expect(detail).toMatch(/^Line 1, column \d+: /)
  expect(detail).toContain(sentence)
})

test.each([
  [`MATCH ${nodes(10).join('--')} RETURN count(*) AS n`],
  [`${collected} RETURN [x IN l WHERE x IN k] AS both`],
  [`${collected} RETURN [at IN range(0, 9) | l[at] + k[at]] AS pairs`],
  [`${collected} RETURN [x IN l WHERE x CONTAINS 'a' | size(l)] AS n`],
  ['MATCH (m) RETURN [x IN m.tags WHERE any(y IN m.tags WHERE y CONTAINS x AND y <> x)] AS within'],
  ['MATCH (m), (n) WHERE m <> n AND m.content CONTAINS n.content RETURN count(*) AS n'],
  [
    'MATCH p = ()-[*1..3]-() WHERE all(a IN nodes(p) WHERE single(b IN nodes(p) WHERE a = b)) RETURN count(p) AS n',
  ],
])('%s is answered', async query => {
  expect((await service.client.runCypher({ query })).columns).toHaveLength(1)
})
