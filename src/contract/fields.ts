import type { z } from 'zod'
import { schemaAsJson } from './json-schema.ts'

/** What a schema takes at one place: its public JSON Schema with every definition resolved. */
export type Field = {
  /** `map` is an object with names that the schema does not declare. */
  readonly type: 'string' | 'number' | 'integer' | 'boolean' | 'array' | 'object' | 'map' | 'any'
  /** The id of the schema, also where it has a description of its own. */
  readonly id?: string | undefined
  readonly description?: string | undefined
  /** What the schema says of itself, also where it is null or has another description. */
  readonly meaning?: string | undefined
  readonly format?: string | undefined
  readonly default?: unknown
  readonly examples?: readonly unknown[] | undefined
  readonly isRequired: boolean
  readonly isNullable: boolean
  /** The values of an enum. */
  readonly values?: readonly string[] | undefined
  /** Of a list or a map. */
  readonly items?: Field | undefined
  /** Of an object. */
  readonly fields?: Fields | undefined
}

export type Fields = Readonly<Record<string, Field>>

/** As much of JSON Schema as zod writes. */
type Json = {
  id?: string
  type?: string | string[] | undefined
  $ref?: string
  $defs?: Definitions
  allOf?: Json[]
  anyOf?: Json[]
  enum?: string[]
  items?: Json
  properties?: Definitions
  additionalProperties?: Json | boolean
  required?: string[]
  format?: string
  description?: string
  default?: unknown
  examples?: unknown[]
  const?: unknown
}
type Definitions = Readonly<Record<string, Json>>

const known = { input: new WeakMap<z.ZodType, Field>(), output: new WeakMap<z.ZodType, Field>() }

/** The one reader of schemas: what the schema declares for what is sent, or for what is returned. */
export function fieldOf(schema: z.ZodType, io: 'input' | 'output' = 'input'): Field {
  const read = known[io].get(schema)
  if (read) return read
  const json = schemaAsJson(schema, io) as Json
  const field = toField(json, json.$defs ?? {}, true)
  known[io].set(schema, field)
  return field
}

export const fieldsOf = (schema: z.ZodType, io: 'input' | 'output' = 'input'): Fields =>
  fieldOf(schema, io).fields ?? {}

function toField(given: Json, definitions: Definitions, isRequired: boolean): Field {
  const { isNullable, ...json } = withoutNull(given)
  const [inner = given] = given.anyOf ?? []
  const id = json.$ref?.split('/').at(-1) ?? json.allOf?.[0]?.$ref?.split('/').at(-1)
  const target: Json = id === undefined ? json : (definitions[id] ?? {})
  const all = { ...target, ...json }
  const items = all.items ?? all.additionalProperties
  const type = typeOf(all)
  return {
    type,
    id: id ?? all.id,
    description: all.description,
    meaning: id === undefined ? inner.description : target.description,
    format: all.format,
    default: all.default,
    examples: all.examples ?? (all.const === undefined ? undefined : [all.const]),
    isRequired,
    isNullable,
    values: all.enum,
    items: typeof items === 'object' ? toField(items, definitions, true) : undefined,
    fields: type === 'object' ? fieldsIn(all, definitions) : undefined,
  }
}

const fieldsIn = ({ properties = {}, required = [] }: Json, definitions: Definitions): Fields =>
  Object.fromEntries(
    Object.entries(properties).map(([name, json]) => [
      name,
      toField(json, definitions, required.includes(name)),
    ]),
  )

/** A schema that may be null is that schema; a number or a word is a number with values. Of several others only what stands next to them is known. */
function withoutNull({ anyOf, ...json }: Json): Json & { isNullable: boolean } {
  if (Array.isArray(json.type)) {
    const [type, ...more] = json.type.filter(each => each !== 'null')
    return { ...json, type: more.length === 0 ? type : undefined, isNullable: json.type.includes('null') }
  }
  const others = (anyOf ?? []).filter(each => each.type !== 'null')
  const isNullable = others.length < (anyOf ?? []).length
  const [first, ...more] = others
  if (first?.type === 'number') return { ...more[0], ...first, ...json, isNullable }
  return more.length === 0 ? { ...first, ...json, isNullable } : { ...json, isNullable }
}

function typeOf({ type, properties, additionalProperties }: Json): Field['type'] {
  if (type === 'object') return properties || typeof additionalProperties !== 'object' ? 'object' : 'map'
  return type === undefined ? 'any' : (type as Field['type'])
}
