import {
  type ArgumentNode,
  type ASTNode,
  type DocumentNode,
  GraphQLID,
  type GraphQLInputType,
  type GraphQLSchema,
  getNamedType,
  isInputObjectType,
  Kind,
  type ObjectFieldNode,
  type ObjectValueNode,
  type OperationDefinitionNode,
  TypeInfo,
  typeFromAST,
  type ValueNode,
  visit,
  visitWithTypeInfo,
} from 'graphql'
import { invalid } from '../../contract/problems.ts'
import { lowerCase } from './memory-id.ts'

type Query = { document: DocumentNode; variables: Readonly<Record<string, unknown>> }

/** How to build a value: in the text of a query, or in its variables. */
type Build<Value> = {
  object(fields: Readonly<Record<string, Value>>): Value
  list(items: readonly Value[]): Value
  /** What a caller may see. */
  visible: Value
}

const VISIBLE = 'visible__'

/**
 * Adds the rule about visible memories to every filter on related memories: in the text, in fragments, in variables and in
 * their defaults. The library applies the rule to the memories that it returns, but not to those that a filter refers to
 * (seen in 7.6.3). Without this, `some`, `none`, `all` and `single` would reveal a foreign, archived or expired memory at
 * the other end of a connection. Ids come in lower case, as they are stored.
 */
export function guard(
  schema: GraphQLSchema,
  { document, variables }: Query,
  visible: Readonly<Record<string, unknown>>,
): Query {
  const { variableDefinitions = [] } = document.definitions[0] as OperationDefinitionNode
  const guarded = variableDefinitions.flatMap(({ variable, type }) => {
    const name = variable.name.value
    const known = typeFromAST(schema, type) as GraphQLInputType | undefined
    return name in variables && known ? [[name, guardValue(known, variables[name], visible)] as const] : []
  })
  return {
    document: guardText(schema, document, variables),
    variables: { ...Object.fromEntries(guarded), [VISIBLE]: visible },
  }
}

const isIdType = (type: GraphQLInputType | null | undefined) =>
  type != null && getNamedType(type) === GraphQLID

/** Filters on related memories are recognised by the name of their type. A test checks that none is missed. */
export const isRelatedFilter = (type: string) => /(Relationship|Connection)Filters$/.test(type)

function guardText(
  schema: GraphQLSchema,
  document: DocumentNode,
  variables: Readonly<Record<string, unknown>>,
): DocumentNode {
  const info = new TypeInfo(schema)
  const related = () => {
    const type = getNamedType(info.getInputType())
    return type && isRelatedFilter(type.name) ? type.name : undefined
  }
  const refuseNull = ({ name, value }: ObjectFieldNode | ArgumentNode) => {
    const isNull =
      value.kind === Kind.NULL || (value.kind === Kind.VARIABLE && variables[value.name.value] === null)
    if (isNull && isFilter(name.value, info.getInputType())) throw noFilter(name.value)
  }
  return visit(
    document,
    visitWithTypeInfo(info, {
      OperationDefinition: {
        leave: node => ({
          ...node,
          variableDefinitions: [...(node.variableDefinitions ?? []), declaration],
        }),
      },
      ObjectValue: {
        leave(node) {
          const type = related()
          if (!type) return undefined
          const given = Object.fromEntries(node.fields.map(({ name, value }) => [name.value, value]))
          return inText.object(narrow(type, given, inText))
        },
      },
      StringValue: node =>
        isIdType(info.getInputType()) ? { ...node, value: lowerCase(node.value) } : undefined,
      ObjectField: refuseNull,
      Argument: refuseNull,
    }),
  )
}

const named = (value: string) => ({ kind: Kind.NAME, value }) as const
const declaration = {
  kind: Kind.VARIABLE_DEFINITION,
  variable: { kind: Kind.VARIABLE, name: named(VISIBLE) },
  type: { kind: Kind.NAMED_TYPE, name: named('MemoryWhere') },
} as const satisfies ASTNode

const inText: Build<ValueNode> = {
  object: (fields): ObjectValueNode => ({
    kind: Kind.OBJECT,
    fields: Object.entries(fields).map(([name, value]) => ({
      kind: Kind.OBJECT_FIELD,
      name: named(name),
      value,
    })),
  }),
  list: values => ({ kind: Kind.LIST, values }),
  visible: { kind: Kind.VARIABLE, name: named(VISIBLE) },
}

function guardValue(
  type: GraphQLInputType,
  value: unknown,
  visible: Readonly<Record<string, unknown>>,
): unknown {
  const known = getNamedType(type)
  if (Array.isArray(value)) return value.map(item => guardValue(known, item, visible))
  if (typeof value === 'string' && isIdType(known)) return lowerCase(value)
  if (!isInputObjectType(known) || value === null || typeof value !== 'object') return value
  const fields = known.getFields()
  const inner = Object.fromEntries(
    Object.entries(value).map(([name, each]) => {
      const field = fields[name]
      if (each === null && field && isFilter(name, field.type)) throw noFilter(name)
      return [name, field ? guardValue(field.type, each, visible) : each]
    }),
  )
  const build: Build<unknown> = { object: each => each, list: each => each, visible }
  return isRelatedFilter(known.name) ? narrow(known.name, inner, build) : inner
}

/** `all` means: at least one visible memory, and no visible memory that does not match. */
function narrow<Value>(
  type: string,
  { all, some, none, single }: Readonly<Record<string, Value>>,
  { object, list, visible }: Build<Value>,
): Record<string, Value> {
  const seen = type.endsWith('ConnectionFilters') ? object({ node: visible }) : visible
  const both = (given: Value) => object({ AND: list([given, seen]) })
  const excluded = [
    ...(none === undefined ? [] : [none]),
    // The library treats the opposite of an empty filter as no filter.
    ...(all === undefined ? [] : [object({ NOT: both(all) })]),
  ]
  const present = some === undefined ? (all === undefined ? undefined : seen) : both(some)
  return {
    ...(present === undefined ? {} : { some: present }),
    ...(excluded.length === 0 ? {} : { none: both(object({ OR: list(excluded) })) }),
    ...(single === undefined ? {} : { single: both(single) }),
  }
}

/** The library ignores null in these; only `eq` means memories without a value. */
const operators = new Set(['in', 'includes', 'contains', 'startsWith', 'endsWith', 'gt', 'gte', 'lt', 'lte'])

const isFilter = (name: string, type: GraphQLInputType | null | undefined) =>
  operators.has(name) || (type && isInputObjectType(getNamedType(type)))

/** If null were ignored, a caller without a value to filter by would see everything. */
export const noFilter = (name: string) =>
  invalid('/where', 'invalid_type', `has null as \`${name}\`. Omit \`${name}\` to query without this filter`)
