import { type GraphQLObjectType, type GraphQLSchema, getNamedType, isObjectType } from 'graphql'
import type { RouteName } from '../../src/contract/index.ts'
import { graphql } from './graphql.ts'
import type { TestService } from './service.ts'

/** The answer of an operation of the contract to the same input by GraphQL, with all plain fields selected. */
export async function operate(
  service: TestService,
  schema: GraphQLSchema,
  name: RouteName,
  input: Record<string, unknown>,
  as: { key?: string; tenant?: string; headers?: Record<string, string> } = {},
): Promise<string> {
  const kind = schema.getQueryType()?.getFields()[name] ? 'query' : 'mutation'
  const root = kind === 'query' ? schema.getQueryType() : schema.getMutationType()
  const field = root?.getFields()[name]
  const variables = Object.fromEntries(
    Object.entries(input).flatMap(([key, value]) => {
      const arg = field?.args.find(each => each.name === camel(key))
      return arg ? [[arg.name, inGraphql(value, /ID|String|DateTime/.test(String(arg.type)))]] : []
    }),
  )
  const declaredVariables = Object.keys(variables).map(
    key => `$${key}: ${field?.args.find(each => each.name === key)?.type}`,
  )
  const given = Object.keys(variables).map(key => `${key}: $${key}`)
  const query = `${kind} ${declaredVariables.length ? `(${declaredVariables.join(', ')})` : ''} { ${name}${given.length ? `(${given.join(', ')})` : ''} ${selectionOf(getNamedType(field?.type as never))} }`
  return (await graphql(service, query, { ...as, variables })).text
}

/** All plain fields, two levels deep, and of memories what they say. */
function selectionOf(type: unknown, depth = 3): string {
  if (!isObjectType(type as never)) return ''
  const fields = Object.values((type as GraphQLObjectType).getFields())
  if ((type as GraphQLObjectType).name === 'Memory') return '{ id content }'
  const shown = fields.flatMap(({ name, type: inner }) => {
    const named = getNamedType(inner)
    if (!isObjectType(named)) return [name]
    return depth > 1 ? [`${name} ${selectionOf(named, depth - 1)}`] : []
  })
  return `{ ${shown.join(' ') || '__typename'} }`
}

/** Values of closed sets in capitals, names of fields in camelCase. */
function inGraphql(value: unknown, isText: boolean): unknown {
  if (Array.isArray(value)) return value.map(item => inGraphql(item, isText))
  if (typeof value === 'object' && value !== null)
    return Object.fromEntries(Object.entries(value).map(([key, each]) => [camel(key), inGraphql(each, true)]))
  return typeof value === 'string' && !isText ? value.toUpperCase() : value
}

const camel = (text: string) => text.replaceAll(/_(\w)/g, (_, letter: string) => letter.toUpperCase())
