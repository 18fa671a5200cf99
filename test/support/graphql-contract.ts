import {
  type GraphQLArgument,
  type GraphQLInputField,
  type GraphQLNamedType,
  type GraphQLOutputType,
  getNamedType,
  isNonNullType,
  isObjectType,
  isRequiredInputField,
} from 'graphql'
import { z } from 'zod'
import { isStream, type RouteName, routeNames, routes } from '../../src/contract/index.ts'

/** A directive on the query replaces the first; GraphQL never returns the others. */
const WITHHELD = ['include_archived', 'include_embedding', 'include_fades_at', 'vector']
/** REST requires these where GraphQL has a default. */
const DEFAULTS: Readonly<Record<string, unknown>> = { policy: 'long_term', ttlSeconds: 0 }

/** The routes that are operations of GraphQL. GraphQL has no streams: it returns whole values. */
export const declared = routeNames.filter(name => routes[name].scope !== 'open' && !isStream(name))

/** The maxima of an operation's arguments, as the contract has them: of numbers, or of the length of a list. */
export function maximaOf(name: (typeof declared)[number]): ReadonlyMap<string, number | undefined> {
  const json = z.toJSONSchema(routes[name].input, { io: 'input', unrepresentable: 'any' })
  const properties = (json.properties ?? {}) as Record<string, { maximum?: number; maxItems?: number }>
  return new Map(
    Object.entries(properties).map(([field, { maximum, maxItems }]) => [camel(field), maximum ?? maxItems]),
  )
}

/** The arguments of an operation, each with whether it is required and with its default. */
export const argumentsOf = (args: readonly (GraphQLArgument | GraphQLInputField)[]) =>
  Object.fromEntries(
    args.map(arg => [arg.name, { required: isRequiredInputField(arg), fallback: arg.defaultValue }]),
  )

/** The arguments that an operation must have: what the contract accepts, and the version where REST has `If-Match`. */
export function expectedArguments(name: RouteName): ReturnType<typeof argumentsOf> {
  const route = routes[name]
  const creates = 'creates' in route && route.path.startsWith('/memories')
  const fields = Object.entries(route.input.shape as Record<string, z.ZodType>)
  const args = fields
    .filter(([field]) => !WITHHELD.includes(field))
    .map(([field, schema]) => [
      camel(field),
      expectedArgument(schema, creates ? DEFAULTS[camel(field)] : undefined),
    ])
  const versions = 'precondition' in route && route.precondition === 'If-Match'
  const optional = { required: false, fallback: undefined }
  return Object.fromEntries([
    ...args,
    ...(versions ? [['ifVersion', optional]] : []),
    ...('waits' in route ? [['wait', optional]] : []),
    ...('creates' in route ? [['idempotencyKey', optional]] : []),
  ])
}

function expectedArgument(schema: z.ZodType, instead: unknown) {
  const absent = schema.safeParse(undefined)
  const fallback = instead ?? (typeof absent.data === 'object' ? undefined : absent.data)
  return { required: !absent.success && instead === undefined, fallback: upper(schema, fallback) }
}

/** Enums have their values in capitals. */
const upper = (schema: z.ZodType, value: unknown) =>
  definition(schema).type === 'enum' && value !== undefined ? String(value).toUpperCase() : value

/** What an output of the contract has and its GraphQL type has not, or has with another nullability. */
export function missingIn(schema: z.ZodType, type: GraphQLOutputType, path: string): string[] {
  const named: GraphQLNamedType = getNamedType(type)
  const { shape, element } = definition(schema)
  if (element) return missingIn(element, named as GraphQLOutputType, path)
  if (!shape || named.name === 'Memory') return []
  if (!isObjectType(named)) return [`${path} is ${named.name}`]
  const { connection, ...rest } = shape
  const flat =
    named.name === 'Connection' && connection ? { ...definition(connection).shape, ...rest } : shape
  return Object.entries(flat).flatMap(([name, inner]) => {
    if (WITHHELD.includes(name)) return []
    const field = named.getFields()[camel(name)]
    const place = `${path}.${name}`
    if (!field) return [place]
    const nullable = inner.safeParse(null).success || getNamedType(field.type).name === 'Memory'
    const isList = definition(inner).type === 'array'
    return [
      ...(isList || isNonNullType(field.type) !== nullable ? [] : [`${place} is ${field.type}`]),
      ...missingIn(inner, field.type, place),
    ]
  })
}

type Definition = {
  type: string
  shape?: Record<string, z.ZodType>
  element?: z.ZodType
  innerType?: z.ZodType
  in?: z.ZodType
}

function definition(schema: z.ZodType): Definition {
  const known = schema._zod.def as unknown as Definition
  const inner = known.innerType ?? known.in
  return inner ? definition(inner) : known
}

const camel = (text: string) => text.replaceAll(/_(\w)/g, (_, letter: string) => letter.toUpperCase())

/** Root fields of GraphQL that no operation of the contract stands for. */
export const OWN_ROOTS: readonly string[] = [
  'memories',
  'memoriesConnection',
  'subgraph',
  'node',
  'nodes',
  'listMemoriesConnection',
  'searchMemoriesConnection',
  'listChangesConnection',
  'listConnectionsConnection',
]
