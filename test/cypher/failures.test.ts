import { beforeAll, expect, test } from 'vitest'
import { graphql } from '../support/graphql.ts'
import { post } from '../support/mcp.ts'
import { remember } from '../support/seed.ts'
import { problemOf, withService } from '../support/service.ts'

const service = withService()
const CANARY = 'quokka-4711'

beforeAll(() => remember(service.client, [{ content: CANARY, tags: [CANARY] }]))

const WRONG_TYPE = 'A value has a type that its operator, function or clause does not take.'
const WRONG_ARGUMENT = 'A function has an argument that it does not take.'
const OUT_OF_RANGE = 'A number is outside the range that is allowed there.'
const NO_TIME = 'A value is no date, time or duration. Use ISO 8601, or a map of known fields.'

const faults: [query: string, sentence: string][] = [
  ['MATCH (m) RETURN 1 / (size(m.content) - size(m.content)) AS n', 'A number is divided by zero.'],
  ['MATCH (m) RETURN m.content + {} AS n', WRONG_TYPE],
  ['MATCH (m) RETURN m.content.x AS n', WRONG_TYPE],
  ['MATCH (m) RETURN m.content[0] AS n', WRONG_TYPE],
  ['MATCH (m) WHERE m.content RETURN m AS n', WRONG_TYPE],
  ['MATCH (m) RETURN -m.content AS n', WRONG_TYPE],
  ['MATCH (m) RETURN sum(m.content) AS n', WRONG_TYPE],
  ['MATCH (m) RETURN toUpper(m.tags) AS n', WRONG_TYPE],
  ['MATCH (m) RETURN date(m.content) AS n', NO_TIME],
  ['MATCH (m) RETURN datetime(m.content) AS n', NO_TIME],
  ['MATCH (m) RETURN duration(m.tags[0]) AS n', NO_TIME],
  ['MATCH (m) RETURN substring(m.content, -1) AS n', WRONG_ARGUMENT],
  ['MATCH (m) RETURN toInteger("99999999999999999999" + left(m.content, 0)) AS n', OUT_OF_RANGE],
  [
    'MATCH (m) RETURN 9223372036854775807 + size(m.content) AS n',
    'A calculation leaves the range of 64-bit integers.',
  ],
]

test.each(faults)('%s fails with a sentence of the service, in every API', async (query, sentence) => {
  const problem = await problemOf(service.client.runCypher({ query }))
  expect(problem).toMatchObject({ status: 422, code: 'cypher_failed', detail: sentence })
  const asked = 'query ($q: String!) { runCypher(query: $q) { rows } }'
  const { errors } = await graphql(service, asked, { variables: { q: query } })
  expect(errors).toMatchObject([{ message: sentence, extensions: { code: 'CYPHER_FAILED' } }])
  const tool = await (await post(service, 'tools/call', { name: 'run_cypher', arguments: { query } })).text()
  expect(tool).toContain(sentence)
  for (const told of [JSON.stringify(problem), JSON.stringify(errors), tool])
    for (const hidden of [CANARY, 'Neo.', 'mnemograph_', 'line 1, column']) expect(told).not.toContain(hidden)
})
