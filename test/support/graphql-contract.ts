import { z } from 'zod'
import { isRead } from '../../src/api/graphql/operations.ts'
import { isStream, type RouteName, routeNames, routes } from '../../src/contract/index.ts'
import { memory } from '../../src/contract/memories.ts'
import type { Route } from '../../src/contract/route.ts'

type Definition = {
  type: string
  shape?: Record<string, z.ZodType>
  element?: z.ZodType
  innerType?: z.ZodType
  in?: z.ZodType
  entries?: Record<string, string>
  format?: string
}
type Types = Map<string, string>

/** What the operation on the query says once for all fields, or what is never given out, is no argument. */
const NO_ARGUMENTS = ['include_archived', 'include_embedding']
/** Where GraphQL fills in what REST asks for. */
const DEFAULTS: Record<string, string> = { policy: '"short_term"', ttl_seconds: '0' }
/** Objects and enums of the contract without a name of their own, and those that GraphQL tells otherwise. */
const NAMES: Record<string, string> = {
  Edge: 'Connection',
  LifecycleChangeBefore: 'Lifecycle',
  LifecycleChangeAfter: 'Lifecycle',
  PlanMaintenancePolicies: 'NewPolicy',
  RelatedMemoriesPayloadRelated: 'RelatedMemory',
  RelatedMemoryConnection: 'Connection',
  FindPathPayloadPaths: 'Path',
  SearchMemoriesPayloadQuery: 'QueryReading',
  QueryReadingSemantic: 'MeaningReading',
  QueryReadingKeyword: 'WordReading',
  SearchResultSources: 'SearchSources',
  SearchSourcesSemantic: 'Ranked',
  SearchSourcesKeyword: 'Ranked',
  SearchResultExplain: 'SearchExplanation',
  SearchExplanationSemantic: 'SemanticPart',
  SearchExplanationKeyword: 'KeywordPart',
  GetStatsPayload: 'Stats',
  StatsMemories: 'MemoryStats',
  MemoryStatsByState: 'StateCounts',
  StatsConnections: 'ConnectionStats',
  ConnectionStatsByOrigin: 'OriginCounts',
  StatsQueue: 'QueueStats',
}
const ENUMS: Record<string, string> = {
  related_to: 'RelationshipType',
  semantic: 'SearchType',
  all: 'TagsMatch',
  out: 'Direction',
  asserted: 'ConnectionOrigin',
  active: 'MemoryState',
  archived: 'RemovalState',
  'active archived removed': 'LifecycleState',
  'active building standby': 'SpaceState',
  decay: 'LifecycleChangeKind',
  planned: 'MaintenanceState',
  asked: 'MaintenanceOrigin',
  queued: 'JobState',
  read: 'Scope',
  created_at: 'MemoryOrder',
  asc: 'OrderDirection',
  merge: 'ImportMode',
  id_taken: 'LeftOutReason',
  ready: 'EmbeddingStatus',
  created: 'ChangeKind',
  oldest: 'FeedStart',
  hit: 'ContextRole',
}

/** Streams are no answer for GraphQL: it answers whole things. */
export const declared = routeNames.filter(name => routes[name].scope !== 'open' && !isStream(name))

/** The operations as the contract has them: the definitions of all their types, by name. */
export function deriveOperations(): Types {
  const types: Types = new Map()
  const fields = { Query: [] as string[], Mutation: [] as string[] }
  for (const name of declared) {
    const route: Route = routes[name]
    fields[isRead(route) ? 'Query' : 'Mutation'].push(
      `  ${name}${argumentsOf(route, types)}: ${answerOf(name, route, types)}`,
    )
  }
  for (const [kind, lines] of Object.entries(fields))
    types.set(kind, `type ${kind} {\n${lines.join('\n')}\n}`)
  return types
}

function argumentsOf(route: Route, types: Types): string {
  const args = Object.entries(route.input.shape as Record<string, z.ZodType>)
    .filter(([field]) => !NO_ARGUMENTS.includes(field))
    .map(([field, schema]) => `${camel(field)}: ${inputOf(route, field, schema, types)}`)
  if (route.precondition === 'If-Match') args.push('ifVersion: Int')
  return args.length === 0 ? '' : `(${args.join(', ')})`
}

/** The maxima of an operation's arguments, as the contract has them: of numbers, or of how many a list may hold. */
export function maximaOf(name: (typeof declared)[number]): ReadonlyMap<string, number | undefined> {
  const json = z.toJSONSchema(routes[name].input, { io: 'input', unrepresentable: 'any' })
  const properties = (json.properties ?? {}) as Record<string, { maximum?: number; maxItems?: number }>
  return new Map(
    Object.entries(properties).map(([field, { maximum, maxItems }]) => [camel(field), maximum ?? maxItems]),
  )
}

function inputOf(route: Route, field: string, schema: z.ZodType, types: Types): string {
  const creates = route.path.startsWith('/memories') && route.creates
  return argument(field, schema, pascal(nameOf(route)), types, creates ? DEFAULTS : {})
}

function argument(
  field: string,
  schema: z.ZodType,
  owner: string,
  types: Types,
  defaults: Record<string, string>,
) {
  const type = typeOf(field, schema, `${owner}${pascal(camel(field))}`, types, 'input')
  if (field in defaults) return `${type} = ${defaults[field]}`
  const json = z.toJSONSchema(z.object({ [field]: schema }), { io: 'input', unrepresentable: 'any' })
  const { [field]: described } = json.properties as Record<string, { default?: unknown }>
  const fallback = described?.default
  if (fallback !== undefined) return `${type} = ${literal(fallback, schema)}`
  return json.required?.includes(field) ? `${type}!` : type
}

const literal = (value: unknown, schema: z.ZodType): string => {
  if (Array.isArray(value))
    return `[${value.map(item => literal(item, (definition(schema).element ?? schema) as z.ZodType)).join(', ')}]`
  return definition(schema).type === 'enum' ? String(value).toUpperCase() : JSON.stringify(value)
}

function answerOf(name: RouteName, route: Route, types: Types): string {
  const { id } = (route.output.meta() ?? {}) as { id?: string }
  const payload = `${pascal(name)}Payload`
  if (isRead(route)) {
    if (route.output === memory) return 'Memory'
    return id ? `${NAMES[id] ?? id}!` : `${typeOf('', route.output, payload, types, 'output')}!`
  }
  if (!id) return `${typeOf('', route.output, payload, types, 'output')}!`
  const type = typeOf('', route.output, id, types, 'output')
  const field = type === 'Memory' ? 'memory: Memory' : `${type[0]?.toLowerCase()}${type.slice(1)}: ${type}!`
  types.set(payload, `type ${payload} {\n  ${field}\n}`)
  return `${payload}!`
}

function typeOf(
  field: string,
  schema: z.ZodType,
  path: string,
  types: Types,
  io: 'input' | 'output',
): string {
  const { type, element, shape, entries, format } = definition(schema)
  if (unwrap(schema) === memory) return 'Memory'
  switch (type) {
    case 'array':
      return `[${typeOf(field, element as z.ZodType, path, types, io)}!]`
    case 'boolean':
    case 'literal':
      return field === 'search_type' ? 'SearchType' : 'Boolean'
    case 'number':
      return format === 'safeint' && !field.endsWith('_seconds') ? 'Int' : 'Float'
    case 'record':
      types.set('NamedCount', 'type NamedCount {\n  name: String!\n  count: Int!\n}')
      return '[NamedCount!]'
    case 'enum':
      return enumOf(Object.keys(entries ?? {}), types)
    case 'object':
      return objectOf(schema, shape as Record<string, z.ZodType>, path, types, io)
  }
  const json = z.toJSONSchema(unwrap(schema), { io: 'input', unrepresentable: 'any' }) as { format?: string }
  if (json.format === 'date-time') return 'DateTime'
  return json.format === 'uuid' || /(^|_)id$/.test(field) ? 'ID' : 'String'
}

function enumOf(values: string[], types: Types): string {
  const name = ENUMS[values.join(' ')] ?? ENUMS[values[0] as string] ?? `Enum${values.join('_')}`
  types.set(name, `enum ${name} {\n${values.map(value => `  ${value.toUpperCase()}`).join('\n')}\n}`)
  return name
}

function objectOf(
  schema: z.ZodType,
  shape: Record<string, z.ZodType>,
  path: string,
  types: Types,
  io: 'input' | 'output',
) {
  const { id } = (unwrap(schema).meta() ?? {}) as { id?: string }
  const name = NAMES[id ?? path] ?? id ?? path
  if (id === 'Connection') {
    const { connection, ...rest } = shape
    return objectOf(
      z.object(),
      { ...definition(connection as z.ZodType).shape, ...rest },
      'Connection',
      types,
      io,
    )
  }
  if (types.has(name)) return name
  types.set(name, '')
  const lines = Object.entries(shape).map(([field, inner]) =>
    io === 'input'
      ? `  ${camel(field)}: ${argument(field, inner, name, types, name === 'NewMemory' ? DEFAULTS : {})}`
      : `  ${camel(field)}: ${outputOf(field, inner, name, types)}`,
  )
  if (io === 'output') lines.push(...references(Object.keys(shape)))
  types.set(name, `${io === 'input' ? 'input' : 'type'} ${name} {\n${lines.join('\n')}\n}`)
  return name
}

function outputOf(field: string, schema: z.ZodType, owner: string, types: Types): string {
  const type = typeOf(field, schema, `${owner}${pascal(camel(field))}`, types, 'output')
  return type === 'Memory' || schema.safeParse(null).success ? type : `${type}!`
}

/** Whoever names a memory by its id can be asked for the memory too. */
const references = (fields: readonly string[]) =>
  ['source', 'target', 'memory']
    .filter(name => fields.includes(`${name}_id`))
    .map(name => `  ${name}: Memory`)

function unwrap(schema: z.ZodType): z.ZodType {
  const { innerType, in: inner } = schema._zod.def as unknown as Definition
  const next = innerType ?? inner
  return next ? unwrap(next) : schema
}

const definition = (schema: z.ZodType) => unwrap(schema)._zod.def as unknown as Definition
const nameOf = (route: Route) => routeNames.find(name => routes[name] === route) as RouteName
const camel = (text: string) => text.replaceAll(/_(\w)/g, (_, letter: string) => letter.toUpperCase())
const pascal = (text: string) => `${text[0]?.toUpperCase()}${text.slice(1)}`
