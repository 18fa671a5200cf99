import { z } from 'zod'

type Json = { [name: string]: unknown }

/** The schema of a tool: self-contained, and without keywords that only repeat others. */
export const jsonSchema = (schema: z.ZodType, io: 'input' | 'output'): Json & { type: 'object' } => {
  const { $defs = {}, ...root } = z.toJSONSchema(schema, { io, unrepresentable: 'any' }) as Json
  const inlined = inline(root, $defs as Record<string, Json>) as Json
  return compact(inlined, io) as Json & { type: 'object' }
}

/** Hosts hand schemas to models, and not every model can follow a reference. */
function inline(value: unknown, definitions: Readonly<Record<string, Json>>): unknown {
  if (Array.isArray(value)) return value.map(each => inline(each, definitions))
  if (typeof value !== 'object' || value === null) return value
  const { $ref, ...rest } = value as Json
  const referred = typeof $ref === 'string' ? definitions[$ref.split('/').at(-1) as string] : undefined
  return Object.fromEntries(
    Object.entries({ ...referred, ...rest }).map(([name, each]) => [name, inline(each, definitions)]),
  )
}

/**
 * Outputs may grow, so no object in them is closed, and agents read them without a description of each field. Patterns
 * repeat a format or a description, and the bounds of all integers carry no information; both are omitted.
 */
function compact(value: unknown, io: 'input' | 'output', named = false): unknown {
  if (Array.isArray(value)) return value.map(each => compact(each, io))
  if (typeof value !== 'object' || value === null) return value
  const entries = Object.entries(value)
  const kept = named ? entries : entries.filter(([name, each]) => !isNoise(name, each, io))
  return Object.fromEntries(
    kept.map(([name, each]) => [name, compact(each, io, !named && name === 'properties')]),
  )
}

const isNoise = (name: string, value: unknown, io: 'input' | 'output') =>
  name === '$schema' ||
  name === 'id' ||
  name === 'pattern' ||
  name === 'examples' ||
  Math.abs(value as number) === Number.MAX_SAFE_INTEGER ||
  (io === 'output' && (name === 'additionalProperties' || name === 'description'))
