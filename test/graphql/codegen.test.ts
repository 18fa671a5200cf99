import { readFileSync } from 'node:fs'
import { mkdir, readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { buildSchema, type GraphQLEnumType, isScalarType, isSpecifiedScalarType } from 'graphql'
import { expect, test } from 'vitest'
import { queryErrors } from '../../src/api/graphql/error-codes.ts'
import { problems } from '../../src/contract/problem-codes.ts'
import { expectProblem } from '../support/expect-problem.ts'
import { fixture } from '../support/fixture.ts'
import { folderForTools, makeFrontend, runTool } from '../support/frontend.ts'
import { runInProcess } from '../support/in-process-cli.ts'
import { OPERATOR_KEY, withService } from '../support/service.ts'

const KEY = `${OPERATOR_KEY}-in-production`

// Introspection is off there.
const service = withService({ operatorKey: KEY, settings: { NODE_ENV: 'production' } })
const examples = fixture(folderForTools)
const relay = fixture(folderForTools)

const get = (headers: Record<string, string> = {}) =>
  fetch(`${service.url}/graphql/schema.graphql`, { headers: { authorization: `Bearer ${KEY}`, ...headers } })

test('the schema is a file that needs a key, and that a client need not read twice', async () => {
  await expectProblem(await fetch(`${service.url}/graphql/schema.graphql`), 'unauthorized')
  const whole = await get()
  expect([whole.status, whole.headers.get('content-type')]).toEqual([
    200,
    'application/graphql; charset=utf-8',
  ])
  expect(await whole.text()).toBe(readFileSync('schema/schema.graphql', 'utf8'))
  const known = await get({ 'if-none-match': `W/${whole.headers.get('etag')}` })
  expect([known.status, await known.text()]).toEqual([304, ''])
})

test('the command line prints the same schema', async () => {
  const { out } = await runInProcess(['schema'])
  expect(`${out.trimEnd()}\n`).toBe(await (await get()).text())
})

test('every scalar says what it is, and every code of an error is a value of the schema', async () => {
  const schema = buildSchema(await (await get()).text())
  for (const type of Object.values(schema.getTypeMap()))
    if (isScalarType(type) && !isSpecifiedScalarType(type))
      expect(type.specifiedByURL, type.name).toMatch(/^https:/)
  const codes = schema.getType('ErrorCode') as GraphQLEnumType
  expect(codes.getValues().map(({ name }) => name)).toEqual([
    ...Object.keys(queryErrors),
    ...Object.keys(problems).map(code => code.toUpperCase()),
  ])
})

test('graphql-codegen makes types of the schema, without unknown ones', async () => {
  await makeFrontend(examples.folder, await (await get()).text())
  const types = await readFile(join(examples.folder, 'src/gql/graphql.ts'), 'utf8')
  expect(types).toContain('updatedAt: string')
  expect(types).not.toMatch(/^export type \w+Query(Variables)? = .*\b(any|unknown)\b.*;$/m)
})

test('the compiler of Relay accepts the schema', async () => {
  const { folder } = relay
  await writeFile(join(folder, 'schema.graphql'), await (await get()).text())
  await writeFile(
    join(folder, 'relay.config.json'),
    JSON.stringify({
      src: './src',
      schema: './schema.graphql',
      language: 'typescript',
      eagerEsModules: true,
      customScalarTypes: { DateTime: 'string', JSON: 'Record<string, unknown>' },
    }),
  )
  await mkdir(join(folder, 'src/__generated__'), { recursive: true })
  await writeFile(join(folder, 'src/list.ts'), relayDocuments)
  await runTool('relay-compiler', ['relay.config.json', '--repersist'], folder)
  const artifact = await readFile(join(folder, 'src/__generated__/List_memory.graphql.ts'), 'utf8')
  expect(artifact).toContain('readonly updatedAt: string')
})

const relayDocuments = `import { graphql } from 'relay-runtime'

export const memory = graphql\`
  fragment List_memory on Memory @refetchable(queryName: "ListMemoryQuery") {
    id
    content
    updatedAt
    metadata
  }
\`

export const page = graphql\`
  fragment List_page on Query
  @argumentDefinitions(first: { type: "Int", defaultValue: 10 }, after: { type: "String" })
  @refetchable(queryName: "ListPageQuery") {
    listMemoriesConnection(first: $first, after: $after) @connection(key: "List_listMemoriesConnection") {
      edges {
        node {
          id
          ...List_memory
        }
      }
    }
  }
\`

export const list = graphql\`
  query listQuery {
    memories(limit: 5) {
      ...List_memory
    }
  }
\`
`
