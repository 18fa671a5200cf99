import { type ClosedSet, closedSets } from '../../contract/closed-sets.ts'
import { type Field, type Fields, fieldOf } from '../../contract/fields.ts'
import { edge } from '../../contract/graph.ts'
import { creationDefaults } from '../../contract/memory.ts'
import { momentWords } from '../../contract/times.ts'
import { inGraphql } from './mentions.ts'
import { camel, enumValue, isCount, isMemory, lowerFirst, spaced, upperFirst } from './names.ts'

export type Derivation = {
  readonly io: 'input' | 'output'
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

/** The GraphQL type of a field, without `!`. `place` names the type if its schema has no name. */
export function typeOf(field: Field, name: string, place: string, into: Derivation): string {
  const { id, type, format, values, items, fields } = field
  if (isMemory(id)) return 'Memory'
  // In GraphQL a connection is one flat object with both of its ends, as the contract's edge is.
  if (id === 'Connection' || id === 'Edge') return objectType(fieldOf(edge, 'output'), 'Connection', into)
  if (fields) return objectType(field, id ?? names[place] ?? place, into)
  if (values) return type === 'number' ? 'Relevance' : enumOf(values, into)
  switch (type) {
    case 'array':
      return `[${typeOf(items as Field, name, place, into)}!]`
    case 'map':
      if (!isCount(items)) return 'JSON'
      into.types.set('NamedCount', namedCount)
      return '[NamedCount!]'
    case 'boolean':
      return 'Boolean'
    case 'integer':
      // Seconds may exceed 32 bits.
      return name.endsWith('_seconds') ? 'Float' : 'Int'
    case 'number':
      return 'Float'
  }
  if (format === 'date-time') return 'DateTime'
  return format === 'uuid' || isId(name) ? 'ID' : 'String'
}

/** Callers name sessions as they like. */
const isId = (field: string) => field === 'id' || (field.endsWith('_id') && field !== 'session_id')

function objectType({ fields = {}, meaning }: Field, name: string, into: Derivation): string {
  if (into.types.has(name)) return name
  into.types.set(name, '')
  const lines = fieldTypesOf(fields, name, into)
  if (into.io === 'output')
    for (const [end, text] of Object.entries(references))
      if (`${end}_id` in fields) lines.push(`${quoted(text)} ${end}: Memory`)
  const text = inGraphql(meaning ?? fallbackOf(name))
  into.types.set(name, block(`${quoted(text)} ${into.io === 'input' ? 'input' : 'type'} ${name}`, lines))
  return name
}

const fallbackOf = (type: string) =>
  type.endsWith('Payload')
    ? `The response of \`${lowerFirst(type.slice(0, -'Payload'.length))}\`.`
    : `The ${spaced(type)}.`

/** Their words are texts next to times, so they are not written as the values of an enum. */
const momentFields: readonly string[] = ['valid_at']

/** The fields of an object, or the arguments of an operation. */
export const fieldTypesOf = (fields: Fields, owner: string, into: Derivation): string[] =>
  Object.entries(fields)
    .filter(([name]) => !withheld.includes(name))
    .map(([name, field]) => {
      const type = typeOf(field, name, `${owner}${upperFirst(camel(name))}`, into)
      const asTheyAre = [...Object.keys(fields), ...(momentFields.includes(name) ? momentWords : [])]
      const text = inGraphql(descriptionOf(name, field), asTheyAre)
      const isNull = type === 'Memory' || field.isNullable
      const ending = into.io === 'input' ? inputEnding(name, field, owner) : isNull ? '' : '!'
      return `${quoted(text)} ${camel(name)}: ${type}${ending}`
    })

function descriptionOf(name: string, { id, description, meaning }: Field): string {
  if (isMemory(id) && description === meaning) return MEMORY
  return description ?? `The ${name.replaceAll('_', ' ')}.`
}

function inputEnding(name: string, field: Field, owner: string): string {
  const value = withDefaults.includes(owner) && name in defaults ? defaults[name] : field.default
  if (value !== undefined && typeof value !== 'object')
    return ` = ${field.values && field.type === 'string' ? enumValue(String(value)) : JSON.stringify(value)}`
  return field.isRequired ? '!' : ''
}

function enumOf(values: readonly string[], { types }: Derivation): string {
  const [name] = sets.find(([, set]) => Object.keys(set.values).join() === values.join()) ?? []
  if (name === undefined) throw new Error(`No closed set has the values ${values.join(', ')}.`)
  types.set(name, enumType(name as keyof typeof closedSets))
  return name
}

const sets: readonly [string, ClosedSet][] = Object.entries(closedSets)

/** The definition of a closed set of the contract. */
export function enumType(name: keyof typeof closedSets): string {
  const { description, values } = closedSets[name]
  const lines = Object.entries(values).map(([value, text]) => `${quoted(text)} ${enumValue(value)}`)
  return block(`${quoted(description)} enum ${name}`, lines)
}

export const block = (head: string, lines: readonly string[]) => `${head} {\n${lines.join('\n')}\n}`

/** GraphQL reads the escapes of a JSON string. */
export function quoted(text: string): string {
  return JSON.stringify(text)
}
