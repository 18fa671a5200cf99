import { beforeAll, describe, expect, test } from 'vitest'
import { graphql } from '../support/graphql.ts'
import { type Answer, post } from '../support/mcp.ts'
import { remember } from '../support/seed.ts'
import { problemOf, withService } from '../support/service.ts'

const service = withService()
const BIG = '9007199254740993'

/** What each API returns for the first column of the first row. */
const apis: Record<string, (query: string) => Promise<unknown>> = {
  REST: async query => Object.values((await service.client.runCypher({ query })).rows[0] ?? {})[0],
  GraphQL: async query => {
    const asked = 'query ($q: String!) { runCypher(query: $q) { rows } }'
    const { data } = await graphql(service, asked, { variables: { q: query } })
    return Object.values(data.runCypher.rows[0])[0]
  },
  MCP: async query => {
    const response = await post(service, 'tools/call', { name: 'run_cypher', arguments: { query } })
    const { result } = (await response.json()) as Answer
    const { structuredContent } = result as { structuredContent: { rows: Record<string, unknown>[] } }
    return Object.values(structuredContent.rows[0] ?? {})[0]
  },
}

const cases: [expression: string, value: unknown][] = [
  [BIG, BIG],
  [`-${BIG}`, `-${BIG}`],
  ['9007199254740991', 9007199254740991],
  ['9007199254740992', '9007199254740992'],
  ['-9007199254740992', '-9007199254740992'],
  ['9223372036854775807', '9223372036854775807'],
  ['-9223372036854775807 - 1', '-9223372036854775808'],
  ['9007199254740991 + 2', BIG],
  ['toInteger("9007199254740993")', BIG],
  [`[1, ${BIG}, [${BIG}]]`, [1, BIG, [BIG]]],
  [`{a: ${BIG}, b: {c: [${BIG}, 1.5]}}`, { a: BIG, b: { c: [BIG, 1.5] } }],
  ['0.0 / 0.0', 'NaN'],
  ['1.0 / 0.0', 'Infinity'],
  ['[-1.0 / 0.0]', ['-Infinity']],
  ['{a: 0.0 / 0.0}', { a: 'NaN' }],
  ['9007199254740993.0', 9007199254740992],
  ['0.1', 0.1],
]

describe.each(Object.keys(apis))('over %s', api => {
  test.each(cases)('RETURN %s returns its digits', async (expression, value) => {
    expect(await apis[api]?.(`RETURN ${expression} AS value`)).toEqual(value)
  })

  test('a sum beyond 2^53 returns its digits', async () => {
    const query = 'UNWIND [9007199254740991, 2] AS n RETURN sum(n) AS value'
    expect(await apis[api]?.(query)).toBe(BIG)
  })
})

describe('whole numbers that the graph holds', () => {
  beforeAll(async () => {
    await remember(service.client, [{ content: 'has a number' }])
    await service.cypher(`MATCH (m:Memory {tenant: $tenant}) SET m.x_big = ${BIG}`)
  })

  test.each([
    ['MATCH (m:Memory) RETURN m.x_big AS value', BIG],
    ['MATCH (m:Memory) RETURN {of: [m.x_big]} AS value', { of: [BIG] }],
    ['MATCH (m:Memory) RETURN max(m.x_big) AS value', BIG],
  ])('%s returns its digits', async (query, value) => {
    expect(await apis.REST?.(query)).toEqual(value)
  })
})

describe('parameters', () => {
  const sent = async (parameters: string) => {
    const response = await service.request('/cypher', {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: `{"query": "RETURN $p AS value", "parameters": {"p": ${parameters}}}`,
    })
    const { rows, code, detail } = (await response.json()) as Record<string, unknown> & { rows?: object[] }
    return rows ? Object.values(rows[0] ?? {})[0] : [code, detail]
  }

  test.each([
    ['9007199254740991', 9007199254740991],
    ['-3', -3],
    ['1e300', 1e300],
    ['2.5', 2.5],
    [`"${BIG}"`, BIG],
  ])('%s arrives as it was sent', async (given, value) => {
    expect(await sent(given)).toEqual(value)
  })

  test.each([BIG, '9007199254740992', `-${BIG}`, `[1, [${BIG}]]`, `{"a": {"b": ${BIG}}}`])(
    '%s, which JSON changes, is refused',
    async given => {
      expect(await sent(given)).toEqual(['validation_failed', expect.stringContaining('as text')])
    },
  )

  test('a number in a GraphQL literal that is no exact one is refused too', async () => {
    const { errors } = await graphql(
      service,
      `{ runCypher(query: "RETURN $p AS p", parameters: { p: ${BIG} }) { rows } }`,
    )
    expect(errors[0]).toMatchObject({ message: expect.stringContaining('as text') })
  })

  test('text becomes the number that it says', async () => {
    const { rows } = await service.client.runCypher({
      query: 'RETURN toInteger($p) = 9007199254740993 AS isEqual, toInteger($p) AS value',
      parameters: { p: BIG },
    })
    expect(rows).toEqual([{ isEqual: true, value: BIG }])
  })

  test.each([
    ['100 names', Object.fromEntries(Array.from({ length: 101 }, (_, at) => [`p${at}`, 1])), '100 names'],
    ['256 kB', { p: 'x'.repeat(256_000) }, '256 kB'],
    ['names of 100 characters', { ['p'.repeat(101)]: 1 }, '100 characters'],
  ])('more than %s are refused', async (_, parameters, told) => {
    const problem = await problemOf(service.client.runCypher({ query: 'RETURN 1 AS one', parameters }))
    expect(problem).toMatchObject({ status: 422, code: 'validation_failed', pointers: ['/parameters'] })
    expect(problem.detail).toContain(told)
  })
})
