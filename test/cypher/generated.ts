/** A random query over a graph of memories: as a caller without labels writes it, and so that it means the same where only one tenant is. */
export type Generated = { query: string; plain: string }

type Random = () => number
const pick = <T>(random: Random, values: readonly T[]): T => values[Math.floor(random() * values.length)] as T

const TYPES = 'RELATED_TO|CAUSED_BY|PART_OF|REFERENCES|CONTRADICTS|SUPPORTS|SIMILAR_TO|DERIVED_FROM'
const NODE = '§N'
const REL = '§R'

export function generate(random: Random): Generated {
  const text = statement(random)
  return {
    query: text.replaceAll(NODE, () => (random() < 0.5 ? ':Memory' : '')).replaceAll(`[${REL}`, '['),
    plain: text.replaceAll(NODE, ':Memory').replaceAll(`[${REL}`, `[:${TYPES}`),
  }
}

function statement(random: Random): string {
  const form = pick(random, [one, two, optional, exists, counted, comprehension, subquery, union, collected])
  return form(random)
}

const node = (random: Random, name: string) =>
  `(${name}${NODE}${random() < 0.3 ? pick(random, [' {kind: "a"}', ' {importance: 0.5}', ` WHERE ${condition(random, name)}`]) : ''})`

const rel = (random: Random) => {
  const inner = random() < 0.5 ? REL : `:${pick(random, ['SUPPORTS', 'CAUSED_BY', 'SUPPORTS|CAUSED_BY'])}`
  const length = pick(random, ['', '', '*1..2', '*2'])
  const [left, right] = pick(random, [
    ['-', '->'],
    ['<-', '-'],
    ['-', '-'],
  ] as const)
  return `${left}[${inner}${length}]${right}`
}

const condition = (random: Random, name: string): string =>
  pick(random, [
    `${name}.importance > ${pick(random, [0.2, 0.5, 0.8])}`,
    `${name}.kind = "${pick(random, ['a', 'b'])}"`,
    `${name}.content CONTAINS "${pick(random, ['1', '2', 'm'])}"`,
    `"${pick(random, ['x', 'y'])}" IN ${name}.tags`,
    `NOT (${name})-[:SUPPORTS]->()`.replace('()', `(${NODE})`),
    `1 / (${name}.importance + 1) > 0.6`,
  ])

const rows = (...names: string[]) => `RETURN ${names.map(name => `${name}.content AS ${name}`).join(', ')}`

const one = (random: Random) => `MATCH ${node(random, 'a')} WHERE ${condition(random, 'a')} ${rows('a')}`
const two = (random: Random) =>
  `MATCH ${node(random, 'a')}${rel(random)}${node(random, 'b')} WHERE ${condition(random, pick(random, ['a', 'b']))} ${rows('a', 'b')}`
const optional = (random: Random) =>
  `MATCH ${node(random, 'a')} OPTIONAL MATCH (a)${rel(random)}${node(random, 'b')} ${rows('a', 'b')}`
const exists = (random: Random) =>
  `MATCH ${node(random, 'a')} WHERE EXISTS { (a)${rel(random)}${node(random, 'b')} WHERE ${condition(random, 'b')} } ${rows('a')}`
const counted = (random: Random) =>
  `MATCH ${node(random, 'a')} RETURN a.content AS a, COUNT { (a)${rel(random)}${node(random, 'b')} } AS b`
const comprehension = (random: Random) =>
  `MATCH ${node(random, 'a')} RETURN a.content AS a, size([(a)${rel(random)}(b${NODE}) | b]) AS b`
const subquery = (random: Random) =>
  `MATCH ${node(random, 'a')} CALL (a) { MATCH (a)${rel(random)}${node(random, 'b')} RETURN count(b) AS b } RETURN a.content AS a, b`
const union = (random: Random) => `${one(random)} UNION ${one(random)}`
const collected = (random: Random) =>
  `MATCH ${node(random, 'a')}, ${node(random, 'c')} WHERE ${condition(random, 'c')} WITH a, count(c) AS b RETURN a.content AS a, b`
