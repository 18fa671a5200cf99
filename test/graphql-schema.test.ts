import {
  type DefinitionNode,
  type GraphQLSchema,
  getNamedType,
  isEnumType,
  isInputObjectType,
  isObjectType,
  Kind,
  parse,
  print,
  visit,
} from 'graphql'
import { beforeAll, expect, test } from 'vitest'
import { makeGraph, readSchema } from '../src/api/graphql/graph.ts'
import { isRelatedFilter } from '../src/api/graphql/guard.ts'
import { makeSchema } from '../src/api/graphql/schema.ts'
import { relationshipTypes } from '../src/contract/connections.ts'
import { deriveOperations } from './support/graphql-contract.ts'

let schema: GraphQLSchema
let inner: GraphQLSchema
beforeAll(async () => {
  schema = await makeSchema()
  inner = (await makeGraph()).inner
})

/** What is offered here beyond the contract. */
const BEYOND = [
  'Memory',
  'MemoryEmbedding',
  'EmbeddingStatus',
  'MemoryConnection',
  'DateTime',
  'includeArchived',
  'Subscription',
]
const OF_SUBGRAPH = ['Subgraph', 'SubgraphNode', 'SubgraphSearch']
const OF_GRAPH = ['ConnectionProperties', 'DateTime', 'Memory']

test('the operations are those of the contract, with the same arguments and answers', () => {
  const written = definitions(`${readSchema('operations.graphql')}\n${readSchema('types.graphql')}`)
  const derived = definitions([...deriveOperations().values()].join('\n'))
  for (const [name, text] of derived) expect(written.get(name), name).toBe(text)
  const more = [...written.keys()].filter(name => !derived.has(name))
  expect(more.toSorted()).toEqual([...new Set([...BEYOND, ...OF_SUBGRAPH, ...OF_GRAPH])].toSorted())
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

test('each relationship type can be followed both ways, with what is known of the connection', () => {
  const fields = Object.keys((schema.getType('Memory') as never as { getFields(): object }).getFields())
  const ways = fields.filter(name => fields.includes(`${name}Connection`))
  expect(ways).toHaveLength(2 * relationshipTypes.length)
})

test('what the house keeps for itself is nowhere in the schema', () => {
  const kept = /^(tenant|scope|tagKeys|policyKey|embedding_.*|lock|revision|liveUntil|writeId|recallOrder)$/
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
        !['ApiKey.tenant', 'CreateKeyPayload.tenant', 'ImportBundlePayload.tenant', 'Job.tenant'].includes(
          name,
        ),
    ),
  ).toEqual([])
})

test('nothing is written by what the library makes', () => {
  const derived = definitions([...deriveOperations().values()].join('\n')).get('Mutation') ?? ''
  const names = Object.keys(schema.getMutationType()?.getFields() ?? {})
  expect(names.filter(name => !derived.includes(`  ${name}`))).toEqual([])
  expect(Object.keys(schema.getSubscriptionType()?.getFields() ?? {})).toEqual(['changes'])
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

/** Definitions by name, without descriptions and without what goes beyond the contract. */
function definitions(text: string): Map<string, string> {
  const bare = visit(parse(text), {
    enter(node) {
      if (node.kind === Kind.FIELD_DEFINITION && node.name.value === 'subgraph') return null
      return 'description' in node ? { ...node, description: undefined } : undefined
    },
  })
  return new Map(
    bare.definitions.flatMap(each => (nameOf(each) ? [[nameOf(each) as string, print(each)]] : [])),
  )
}

const nameOf = (each: DefinitionNode) => ('name' in each ? each.name?.value : undefined)
