import { z } from 'zod'

export type Json = Record<string, unknown>

/** A schema with its named parts hoisted into the document's own. Answers may grow: unknown fields are not refused. */
export function schemaOf(schema: z.ZodType, io: 'input' | 'output', schemas: Json): Json {
  const json = z.toJSONSchema(schema, {
    io,
    unrepresentable: 'any',
    override: ({ zodSchema, jsonSchema }) => {
      // zod leaves out the examples of what it transforms, such as letters that it composes.
      const examples = z.globalRegistry.get(zodSchema)?.examples as unknown[] | undefined
      if (io === 'input' && examples && jsonSchema.$ref === undefined) jsonSchema.examples = examples
      if (io === 'output' && jsonSchema.additionalProperties === false) delete jsonSchema.additionalProperties
    },
  })
  const text = JSON.stringify(json).replaceAll('#/$defs/', '#/components/schemas/')
  const { $defs = {}, $schema: _dialect, ...rest } = JSON.parse(text) as Json
  for (const [name, definition] of Object.entries($defs as Record<string, Json>))
    schemas[name] = withoutId(definition)
  if (typeof rest.id !== 'string') return rest
  schemas[rest.id] = withoutId(rest)
  return { $ref: `#/components/schemas/${rest.id}` }
}

const withoutId = ({ id: _id, ...schema }: Json) => schema

/** The schema that a reference stands for. */
export const resolve = (schema: Json, schemas: Json): Json =>
  typeof schema.$ref === 'string' ? (schemas[schema.$ref.split('/').at(-1) as string] as Json) : schema
