import type { z } from 'zod'
import { schemaAsJson } from '../../contract/json-schema.ts'

export type OpenApiObject = Record<string, unknown>

/** A schema with its named parts hoisted into the document's own. */
export function schemaOf(schema: z.ZodType, io: 'input' | 'output', schemas: OpenApiObject): OpenApiObject {
  const json = schemaAsJson(schema, io)
  const text = JSON.stringify(json).replaceAll('#/$defs/', '#/components/schemas/')
  const { $defs = {}, $schema: _dialect, ...rest } = JSON.parse(text) as OpenApiObject
  for (const [name, definition] of Object.entries($defs as Record<string, OpenApiObject>))
    schemas[name] = withoutId(definition)
  if (typeof rest.id !== 'string') return rest
  schemas[rest.id] = withoutId(rest)
  return { $ref: `#/components/schemas/${rest.id}` }
}

const withoutId = ({ id: _id, ...schema }: OpenApiObject) => schema

/** The schema that a reference stands for. */
export const resolve = (schema: OpenApiObject, schemas: OpenApiObject): OpenApiObject =>
  typeof schema.$ref === 'string'
    ? (schemas[schema.$ref.split('/').at(-1) as string] as OpenApiObject)
    : schema
