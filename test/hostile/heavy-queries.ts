/** A query in Cypher that takes much to read, to plan, to run or to decode. */
export type HeavyQuery = { query: string; parameters?: Record<string, unknown>; explain?: boolean }

const many = <T>(count: number, make: (at: number) => T): T[] =>
  Array.from({ length: count }, (_, at) => make(at))
const exclusive = `MATCH (m) WHERE ${many(30, at => `m.importance > ${at}`).join(' XOR ')} RETURN m`
const needle = { text: 'a'.repeat(100_000), needle: `${'a'.repeat(50_000)}b` }
const numbers = 'UNWIND range(1, 1000) AS a UNWIND range(1, 1000) AS b'
const chain = many(10, at => `(n${at})`)

export const heavyQueries: Readonly<Record<string, () => HeavyQuery>> = {
  '30 XOR': () => ({ query: exclusive }),
  'the plan of 30 XOR': () => ({ query: exclusive, explain: true }),
  'all memories in one row': () => ({ query: 'MATCH (m) RETURN collect(m) AS all' }),
  'nested split': () => ({
    query:
      'MATCH (m) RETURN [x IN split(m.content, "") | [y IN split(m.content, "") | split(m.content, "")]] AS all',
  }),
  'an expression that starts again': () => ({
    query: "MATCH (m) WHERE m.content =~ '(a|a)*\\\\1$' RETURN m",
  }),
  'brackets that are hard to parse': () => ({
    query: `RETURN ${'(['.repeat(2_400)}1${'])'.repeat(2_400)} AS x`,
  }),
  'texts that are hard to parse': () => ({ query: `RETURN [${'"a" + ('.repeat(1_200)}` }),
  '99,000 parameters': () => ({
    query: 'RETURN 1 AS one',
    parameters: Object.fromEntries(many(99_000, at => [`p${at}`, at])),
  }),
  'parameters of 250 kB': () => ({
    query: 'UNWIND $all AS a UNWIND $all AS b RETURN count(a + b) AS n',
    parameters: { all: many(40_000, at => at) },
  }),
  'a long chain': () => ({ query: `MATCH ${chain.join('--')} RETURN count(*) AS n` }),
  'all pairs of patterns compared': () => ({
    query: `MATCH ${chain.slice(0, 6).join(', ')} WHERE ${many(60, at => `n${at % 6}.source = n${(at * 5 + 1) % 6}.source`).join(' AND ')} RETURN 1 AS n`,
  }),
  'a product of all memories': () => ({ query: 'MATCH (a), (b), (c), (d), (e) RETURN count(*) AS n' }),
  'a product in order': () => ({
    query: 'MATCH (a), (b), (c) RETURN a.content + b.content AS text ORDER BY text + c.content LIMIT 5',
  }),
  'different rows of a product': () => ({ query: `${numbers} RETURN DISTINCT a * 1000 + b AS n` }),
  'a million rows': () => ({ query: `${numbers} RETURN a, b, a * b AS product` }),
  'lists of lists': () => ({
    query: `${numbers} WITH a, collect(b) AS l WITH collect(l) AS all RETURN all, [all, all] AS more`,
  }),
  'a list compared with itself': () => ({
    query: `${numbers} WITH collect(a * 1000 + b) AS l RETURN any(x IN l WHERE any(y IN l WHERE y = -x)) AS found`,
  }),
  'a text that is sought at each place of a text': () => ({
    query: 'RETURN [x IN range(1, 1000) WHERE $text + x CONTAINS $needle] AS l',
    parameters: needle,
  }),
  'a text that is trimmed by a long one': () => ({
    query: 'RETURN [x IN range(1, 1000) | size(btrim($text + x, $needle))] AS l',
    parameters: { text: needle.text, needle: 'b'.repeat(100_000) },
  }),
  'signs of a text compared with each other': () => ({
    query:
      'MATCH (m) RETURN any(x IN split(m.content, "") WHERE any(y IN split(m.content, "") WHERE y = x + "z")) AS l',
  }),
  'a text that doubles': () => ({
    query: 'MATCH (m) RETURN reduce(s = m.content, x IN range(1, 1000) | s + s) AS s',
  }),
  'unions of all memories': () => ({
    query: many(10, at => `MATCH (m) RETURN m.content + ${at} AS text`).join(' UNION '),
  }),
}
