import {
  type DefinitionNode,
  type GraphQLInputObjectType,
  type GraphQLOutputType,
  type GraphQLSchema,
  getNamedType,
  isEnumType,
  isInputObjectType,
  isObjectType,
  parse,
  print,
  printSchema,
  visit,
} from 'graphql'
import { beforeAll, expect, test } from 'vitest'
import { printOperations } from '../../scripts/docs.ts'
import { makeGraph, readSchema } from '../../src/api/graphql/graph.ts'
import { isRelatedFilter } from '../../src/api/graphql/guard.ts'
import { makeSchema } from '../../src/api/graphql/schema.ts'
import { isPart } from '../../src/api/graphql/shapes.ts'
import { relationshipTypes } from '../../src/contract/connections.ts'
import { routes } from '../../src/contract/index.ts'
import { isBuiltIn } from '../../src/contract/policies.ts'
import { problems } from '../../src/contract/problem-codes.ts'
import { isRead } from '../../src/contract/route.ts'
import {
  argumentsOf,
  declared,
  expectedArguments,
  maximaOf,
  missingIn,
  OWN_ROOTS,
} from '../support/graphql-contract.ts'

let schema: GraphQLSchema
let inner: GraphQLSchema
beforeAll(async () => {
  schema = await makeSchema()
  inner = (await makeGraph()).inner
})

/** Descriptions also name a header, authors, reasons, kinds of jobs, and how a composed text refers to a memory, and a word for a time. */
const ELSEWHERE = [
  'X-Recall: deferred',
  'default',
  'Accept: text/event-stream',
  'rule:',
  'webhook-id',
  'whsec_',
  'superseded',
  'expired',
  'faded',
  'merged',
  'forgotten',
  'operator',
  'ok',
  'authenticate',
  'discover',
  'rediscover',
  'hash',
  'auto',
  '[1]',
  'now',
]

test('schema/operations.graphql is current (npm run docs)', () => {
  expect(readSchema('operations.graphql')).toBe(printOperations())
})

test('the service serves what schema/operations.graphql says', () => {
  const served = definitions(printSchema(schema))
  for (const [name, text] of definitions(readSchema('operations.graphql')))
    if (!['Query', 'Memory', 'DateTime'].includes(name)) expect(served.get(name), name).toBe(text)
})

test('the operations are those of the contract, with the same arguments and responses', () => {
  for (const name of declared) {
    const field = fieldOf(name)
    expect(argumentsOf(field?.args ?? []), name).toEqual(expectedArguments(name))
    expect(missingIn(routes[name].output, responseOf(name), name), name).toEqual([])
  }
  const queries = Object.keys(schema.getQueryType()?.getFields() ?? {})
  const reads = declared.filter(name => isRead(routes[name]))
  expect(queries.toSorted()).toEqual([...reads, ...OWN_ROOTS].toSorted())
})

test('a list of new memories has the same fields and defaults as one', () => {
  const input = schema.getType('NewMemory') as GraphQLInputObjectType
  const {
    wait: _wait,
    idempotencyKey: _key,
    visibility: _visibility,
    ...expected
  } = expectedArguments('createMemory')
  expect(argumentsOf(Object.values(input.getFields()))).toEqual(expected)
})

test('every type and field says what it is', () => {
  const silent: string[] = []
  for (const type of Object.values(schema.getTypeMap())) {
    if (type.name.startsWith('__')) continue
    if (!type.description) silent.push(type.name)
    const parts =
      isObjectType(type) || isInputObjectType(type)
        ? Object.values(type.getFields())
        : isEnumType(type)
          ? type.getValues()
          : []
    for (const part of parts) if (!part.description) silent.push(`${type.name}.${part.name}`)
  }
  expect(silent).toEqual([])
})

test('every argument says what it is, and no other maximum than the contract has', () => {
  for (const name of declared) {
    const maxima = maximaOf(name)
    for (const arg of fieldOf(name)?.args ?? []) {
      expect(arg.description, `${name}.${arg.name}`).toBeTruthy()
      const [said] = /\d+(?= is the maximum)|(?<=at most )\d+(?=\.)/i.exec(arg.description ?? '') ?? []
      if (said !== undefined && arg.name !== 'wait')
        expect(maxima.get(arg.name), `${name}.${arg.name}`).toBe(Number(said))
    }
  }
})

test('every operation says what the contract says, and the scope that it needs', () => {
  for (const name of declared) {
    const { summary, scope } = routes[name]
    const text = fieldOf(name)?.description ?? ''
    expect(text.startsWith(summary), `${name}: ${text}`).toBe(true)
    expect(/Needs the scope `(\w+)`/.exec(text)?.[1] ?? 'read', name).toBe(scope)
  }
})

test('every name in backticks in a description exists', () => {
  const codes = Object.keys(problems).map(code => code.toUpperCase())
  const known = new Set([...namesIn(schema), ...codes, ...declared.map(name => routes[name].scope)])
  const isKnown = (word: string) => known.has(word) || isBuiltIn(word)
  const named = ['operations.graphql', 'types.graphql'].flatMap(file => spansOf(readSchema(file)))
  expect(named.length).toBeGreaterThan(50)
  const unknown = named.filter(span => !ELSEWHERE.includes(span) && !span.match(/\w+/g)?.every(isKnown))
  expect(unknown).toEqual([])
})

test('each relationship type can be followed both ways, with what is known of the connection', () => {
  const fields = Object.keys((schema.getType('Memory') as never as { getFields(): object }).getFields())
  const ways = fields.filter(name => fields.includes(`${name}Connection`))
  expect(ways).toHaveLength(2 * relationshipTypes.length)
})

test('internal properties are nowhere in the schema', () => {
  const kept =
    /^(tenant|scope|tagKeys|policyKey|sourceKey|sessionKey|kindKey|metadataKeys|embedding(Truncated)?_.*|lock|revision|liveUntil|writeId|recallOrder)$/
  const shown = Object.values(schema.getTypeMap()).flatMap(type =>
    isObjectType(type) || isInputObjectType(type)
      ? Object.keys(type.getFields())
          .filter(name => kept.test(name))
          .map(name => `${type.name}.${name}`)
      : [],
  )
  expect(
    shown.filter(
      name =>
        ![
          'ApiKey.tenant',
          'CreateKeyPayload.tenant',
          'RotateKeyPayload.tenant',
          'Quota.tenant',
          'KeyRecord.tenant',
          'RestoredKey.tenant',
          'RestoredQuota.tenant',
          'ImportBundlePayload.tenant',
          'Job.tenant',
          'Tenant.tenant',
          'GetAccessPayload.tenant',
        ].includes(name),
    ),
  ).toEqual([])
})

test('nothing is written by what the library makes', () => {
  const names = Object.keys(schema.getMutationType()?.getFields() ?? {})
  expect(names.toSorted()).toEqual(declared.filter(name => !isRead(routes[name])).toSorted())
  expect(Object.keys(schema.getSubscriptionType()?.getFields() ?? {})).toEqual(['changes', 'memoryMatches'])
})

test('every filter that asks about other memories is known as one', () => {
  for (const type of Object.values(inner.getTypeMap())) {
    if (!isInputObjectType(type)) continue
    for (const field of Object.values(type.getFields())) {
      const of = getNamedType(field.type).name
      if (!/Where$/.test(of) || of === type.name || isRelatedFilter(type.name)) continue
      expect([`${type.name}.${field.name}`, /ConnectionWhere$/.test(type.name)]).toEqual([
        `${type.name}.${field.name}`,
        true,
      ])
    }
  }
})

test('the types that the library returns in addition to memories are recognised by name', () => {
  for (const type of Object.values(schema.getTypeMap())) {
    if (!isObjectType(type) || type.name.startsWith('__')) continue
    const isOfLibrary = inner.getType(type.name) !== undefined && !['Query', 'Memory'].includes(type.name)
    expect([type.name, isPart(type.name)]).toEqual([type.name, isOfLibrary])
  }
})

/** Definitions by name, without descriptions. */
function definitions(text: string): Map<string, string> {
  const bare = visit(parse(text), {
    enter: node => ('description' in node ? { ...node, description: undefined } : undefined),
  })
  return new Map(
    bare.definitions.flatMap(each => (nameOf(each) ? [[nameOf(each) as string, print(each)]] : [])),
  )
}

/** The type of what the contract returns: in a payload it may be the only field. */
function responseOf(name: (typeof declared)[number]): GraphQLOutputType {
  const { type } = fieldOf(name) as { type: GraphQLOutputType }
  const { id } = (routes[name].output.meta() ?? {}) as { id?: string }
  const payload = getNamedType(type)
  if (id === undefined || isRead(routes[name]) || !isObjectType(payload)) return type
  if (id === 'CreatedMemory') return payload.getFields().memory?.type as GraphQLOutputType
  return payload.getFields()[`${id[0]?.toLowerCase()}${id.slice(1)}`]?.type as GraphQLOutputType
}

const fieldOf = (name: string) =>
  schema.getQueryType()?.getFields()[name] ?? schema.getMutationType()?.getFields()[name]

/** The texts in backticks in the descriptions of a schema. */
function spansOf(text: string): string[] {
  const spans: string[] = []
  visit(parse(text), {
    StringValue({ value }, key) {
      const found = key === 'description' ? value.matchAll(/`([^`]+)`/g) : []
      for (const [, span] of found) spans.push(span as string)
    },
  })
  return spans
}

/** All that has a name in a schema. */
function namesIn(of: GraphQLSchema): string[] {
  const names: string[] = []
  visit(parse(printSchema(of)), { Name: ({ value }) => void names.push(value) })
  return names
}

const nameOf = (each: DefinitionNode) => ('name' in each ? each.name?.value : undefined)
