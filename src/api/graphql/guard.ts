import {
  type ArgumentNode,
  type DefinitionNode,
  type DocumentNode,
  GraphQLID,
  type GraphQLInputType,
  type GraphQLSchema,
  getNamedType,
  isInputObjectType,
  Kind,
  parseType,
  print,
  TypeInfo,
  type VariableDefinitionNode,
  valueFromASTUntyped,
  visit,
  visitWithTypeInfo,
} from 'graphql'
import { invalid } from '../../contract/problems.ts'
import { lowerCase } from './memory-id.ts'

type Values = Readonly<Record<string, unknown>>
type Query = { document: DocumentNode; variables: Values }
type Read = (value: unknown, type: GraphQLInputType) => unknown

/**
 * Makes every argument of a query a variable, with the value that `read` returns: so a value is read in one way, whether
 * it stands in the text, in a fragment, in a variable or in the default of one.
 */
export function withArguments(schema: GraphQLSchema, { document, variables }: Query, read: Read): Query {
  const info = new TypeInfo(schema)
  const own = variablesOf(document)
  const known = { ...defaultsOf(own), ...variables }
  const prefix = freePrefix(own)
  const values: Record<string, unknown> = {}
  const declared: VariableDefinitionNode[] = []
  const toVariable = (node: ArgumentNode) => {
    const type = info.getInputType()
    const value = valueFromASTUntyped(node.value, known)
    if (!type || value === undefined) return null
    if (value === null && isFilter(node.name.value, type)) throw noFilter(node.name.value)
    const name = `${prefix}${declared.length}`
    const variable = { kind: Kind.VARIABLE, name: { kind: Kind.NAME, value: name } } as const
    values[name] = read(value, type)
    declared.push({ kind: Kind.VARIABLE_DEFINITION, variable, type: parseType(String(type)) })
    return { ...node, value: variable }
  }
  const { definitions } = visit(
    document,
    visitWithTypeInfo(info, { Directive: () => false, Argument: toVariable }),
  )
  const declaring = (each: DefinitionNode) =>
    each.kind === Kind.OPERATION_DEFINITION
      ? { ...each, variableDefinitions: [...ofDirectives(each.variableDefinitions), ...declared] }
      : each
  return {
    document: { kind: Kind.DOCUMENT, definitions: definitions.map(declaring) },
    variables: { ...variables, ...values },
  }
}

const variablesOf = ({ definitions }: DocumentNode) =>
  definitions.flatMap(each =>
    each.kind === Kind.OPERATION_DEFINITION ? (each.variableDefinitions ?? []) : [],
  )

/** With which no variable of the query begins. */
function freePrefix(own: readonly VariableDefinitionNode[]): string {
  let prefix = 'argument_'
  while (own.some(({ variable }) => variable.name.value.startsWith(prefix))) prefix += '_'
  return prefix
}

const defaultsOf = (own: readonly VariableDefinitionNode[]): Values =>
  Object.fromEntries(
    own.flatMap(({ variable, defaultValue }) =>
      defaultValue ? [[variable.name.value, valueFromASTUntyped(defaultValue)]] : [],
    ),
  )

const ofDirectives = (declared: readonly VariableDefinitionNode[] = []) =>
  declared.filter(({ type }) => print(type).startsWith('Boolean'))

/** Filters on related memories are recognised by the name of their type. A test checks that none is missed. */
export const isRelatedFilter = (type: string) => /(Relationship|Connection)Filters$/.test(type)

/**
 * Adds the rule about visible memories to every filter on related memories. The library applies the rule to the memories
 * that it returns, but not to those that a filter refers to (seen in 7.6.3). Without this, `some`, `none`, `all` and
 * `single` would reveal a foreign, archived or expired memory at the other end of a connection. Ids come in lower case, as
 * they are stored.
 */
export function guard(value: unknown, type: GraphQLInputType, visible: Values): unknown {
  const known = getNamedType(type)
  if (Array.isArray(value)) return value.map(item => guard(item, known, visible))
  if (typeof value === 'string' && known === GraphQLID) return lowerCase(value)
  if (!isInputObjectType(known) || value === null || typeof value !== 'object') return value
  const fields = known.getFields()
  const inner = Object.fromEntries(
    Object.entries(value).map(([name, each]) => {
      const field = fields[name]
      if (each === null && field && isFilter(name, field.type)) throw noFilter(name)
      return [name, field ? guard(each, field.type, visible) : each]
    }),
  )
  return isRelatedFilter(known.name) ? narrow(known.name, inner, visible) : inner
}

/** `all` means: at least one visible memory, and no visible memory that does not match. */
function narrow(type: string, { all, some, none, single }: Values, visible: Values): Values {
  const seen = type.endsWith('ConnectionFilters') ? { node: visible } : visible
  const both = (given: unknown) => ({ AND: [given, seen] })
  // The library treats the opposite of an empty filter as no filter.
  const excluded = [none, all && { NOT: both(all) }].filter(each => each !== undefined)
  const present = some === undefined ? all && seen : both(some)
  return {
    ...(present === undefined ? {} : { some: present }),
    ...(excluded.length === 0 ? {} : { none: both({ OR: excluded }) }),
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
