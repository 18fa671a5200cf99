import { closedSets } from '../../contract/closed-sets.ts'
import { creationDefaults } from '../../contract/memory.ts'
import { momentWords } from '../../contract/times.ts'
import { inGraphql } from './mentions.ts'
import { camel, enumValue, isMemory, lowerFirst, spaced, upperFirst } from './names.ts'

/** As much of JSON Schema as zod writes for the contract. */
export type Json = {
  type?: string | string[]
  $ref?: string
  $defs?: Record<string, Json>
  anyOf?: Json[]
  enum?: string[]
  items?: Json
  properties?: Record<string, Json>
  required?: string[]
  additionalProperties?: Json | boolean
  format?: string
  description?: string
  default?: unknown
}

export type Derivation = {
  readonly io: 'input' | 'output'
  readonly properties: Readonly<Record<string, Json>>
  readonly definitions: Readonly<Record<string, Json>>
  /** The definitions derived so far, by name. */
  readonly types: Map<string, string>
}

/** Fields that a directive replaces, or that GraphQL never returns. */
const withheld = ['include_archived', 'include_embedding', 'include_fades_at', 'vector']

/** GraphQL has defaults where REST requires a value. */
const defaults: Readonly<Record<string, unknown>> = creationDefaults
const withDefaults = ['CreateMemory', 'NewMemory']

/** Names of types that the contract does not name, by the place where they stand. */
const names: Readonly<Record<string, string>> = {
  LifecycleChangeBefore: 'Lifecycle',
  LifecycleChangeAfter: 'Lifecycle',
  PlanMaintenancePolicies: 'NewPolicy',
  RelatedMemoriesPayloadRelated: 'RelatedMemory',
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
  SearchExplanationSession: 'SessionPart',
  SearchExplanationPreferences: 'Preferences',
  PreferencesMatch: 'PreferencePart',
  PreferencesImportance: 'PreferencePart',
  PreferencesRecency: 'PreferencePart',
  GetStatsPayload: 'Stats',
  StatsMemories: 'MemoryStats',
  MemoryStatsByState: 'StateCounts',
  StatsConnections: 'ConnectionStats',
  ConnectionStatsByOrigin: 'OriginCounts',
  StatsQueue: 'QueueStats',
}

/** In GraphQL a connection is one flat object with both of its ends, as the contract's edge is. */
const sameAs: Readonly<Record<string, string>> = { Connection: 'Edge' }
const shownAs: Readonly<Record<string, string>> = { Edge: 'Connection' }

export const MEMORY = 'The memory. Null if it was removed, has expired, or is archived and not requested.'
/** An object with the id of a memory also has the memory. */
const references: Readonly<Record<string, string>> = {
  source: 'The source of the connection. Null if it is not visible.',
  target: 'The target of the connection. Null if it is not visible.',
  memory: MEMORY,
}

const namedCount = `${quoted('How many there are of something, by its name.')} type NamedCount {
  ${quoted('The name.')} name: String!
  ${quoted('How many there are.')} count: Int!
}`

/** The GraphQL type of a schema, without `!`. `place` names the type if the schema has no name. */
export function typeOf(json: Json, field: string, place: string, into: Derivation): string {
  const { $ref, anyOf, items, additionalProperties } = json
  if ($ref !== undefined) return namedType($ref.split('/').at(-1) as string, into)
  if (anyOf) {
    const [first, ...others] = anyOf.filter(({ type }) => type !== 'null')
    if (others.length > 0) return first?.type === 'number' ? 'Relevance' : 'String'
    return typeOf(first as Json, field, place, into)
  }
  if (json.enum) return enumOf(json.enum, into)
  switch ([json.type].flat().find(type => type !== 'null')) {
    case 'array':
      return `[${typeOf(items as Json, field, place, into)}!]`
    case 'object':
      if (typeof additionalProperties === 'object' && !isCount(additionalProperties)) return 'JSON'
      if (typeof additionalProperties !== 'object') return objectType(json, names[place] ?? place, into)
      into.types.set('NamedCount', namedCount)
      return '[NamedCount!]'
    case 'boolean':
      return 'Boolean'
    case 'integer':
      // Seconds may exceed 32 bits.
      return field.endsWith('_seconds') ? 'Float' : 'Int'
    case 'number':
      return 'Float'
  }
  if (json.format === 'date-time') return 'DateTime'
  return json.format === 'uuid' || isId(field) ? 'ID' : 'String'
}

const isCount = ({ type }: Json) => type === 'integer' || type === 'number'

/** Callers name sessions as they like. */
const isId = (field: string) => field === 'id' || (field.endsWith('_id') && field !== 'session_id')

function namedType(id: string, into: Derivation): string {
  if (isMemory(id)) return 'Memory'
  const name = sameAs[id] ?? id
  return objectType(into.definitions[name] as Json, shownAs[name] ?? name, into)
}

function objectType(json: Json, name: string, into: Derivation): string {
  if (into.types.has(name)) return name
  into.types.set(name, '')
  const fields = fieldTypesOf(json, name, into)
  if (into.io === 'output')
    for (const [end, text] of Object.entries(references))
      if (`${end}_id` in (json.properties ?? {})) fields.push(`${quoted(text)} ${end}: Memory`)
  const text = inGraphql(json.description ?? fallbackOf(name))
  into.types.set(name, block(`${quoted(text)} ${into.io === 'input' ? 'input' : 'type'} ${name}`, fields))
  return name
}

const fallbackOf = (type: string) =>
  type.endsWith('Payload')
    ? `The response of \`${lowerFirst(type.slice(0, -'Payload'.length))}\`.`
    : `The ${spaced(type)}.`

/** Their words are texts next to times, so they are not written as the values of an enum. */
const momentFields: readonly string[] = ['valid_at']

/** The fields of an object, or the arguments of an operation. */
export function fieldTypesOf(
  { properties = {}, required = [] }: Json,
  owner: string,
  into: Derivation,
): string[] {
  return Object.entries(properties)
    .filter(([field]) => !withheld.includes(field))
    .map(([field, json]) => {
      const type = typeOf(json, field, `${owner}${upperFirst(camel(field))}`, into)
      const asTheyAre = [...Object.keys(properties), ...(momentFields.includes(field) ? momentWords : [])]
      const text = inGraphql(descriptionOf(field, json, into), asTheyAre)
      const ending =
        into.io === 'input'
          ? inputEnding(field, json, withDefaults.includes(owner), required)
          : type === 'Memory' || isNullable(json)
            ? ''
            : '!'
      return `${quoted(text)} ${camel(field)}: ${type}${ending}`
    })
}

function descriptionOf(field: string, json: Json, into: Derivation): string {
  if (json.description !== undefined) return json.description
  if (json.$ref?.endsWith('/Memory')) return MEMORY
  const [inner] = json.anyOf ?? []
  return (inner ?? resolved(json, into)).description ?? `The ${field.replaceAll('_', ' ')}.`
}

function inputEnding(field: string, json: Json, hasDefaults: boolean, required: readonly string[]): string {
  const value = hasDefaults && field in defaults ? defaults[field] : json.default
  if (value !== undefined && typeof value !== 'object')
    return ` = ${json.enum ? enumValue(String(value)) : JSON.stringify(value)}`
  return required.includes(field) ? '!' : ''
}

export const isNullable = ({ type, anyOf = [] }: Json) =>
  [type].flat().includes('null') || anyOf.some(each => each.type === 'null')

/** A schema itself where another one only names it. */
export const resolved = (json: Json, { definitions }: Derivation): Json =>
  json.$ref === undefined ? json : (definitions[json.$ref.split('/').at(-1) as string] as Json)

function enumOf(values: readonly string[], { types }: Derivation): string {
  const name = Object.keys(closedSets).find(
    each => Object.keys(closedSets[each]?.values ?? {}).join() === values.join(),
  )
  if (name === undefined) throw new Error(`No closed set has the values ${values.join(', ')}.`)
  types.set(name, enumType(name))
  return name
}

/** The definition of a closed set of the contract. */
export function enumType(name: string): string {
  const { description = '', values = {} } = closedSets[name] ?? {}
  const lines = Object.entries(values).map(([value, text]) => `${quoted(text)} ${enumValue(value)}`)
  return block(`${quoted(description)} enum ${name}`, lines)
}

export const block = (head: string, lines: readonly string[]) => `${head} {\n${lines.join('\n')}\n}`

/** GraphQL reads the escapes of a JSON string. */
export function quoted(text: string): string {
  return JSON.stringify(text)
}
