import { z } from 'zod'

/** A schema as JSON Schema, with all of its examples. */
export const schemaAsJson = (schema: z.ZodType, io: 'input' | 'output') =>
  z.toJSONSchema(schema, {
    io,
    unrepresentable: 'any',
    override: ({ zodSchema, jsonSchema }) => {
      // zod leaves out the examples of what it transforms, such as letters that it composes.
      const examples = z.globalRegistry.get(zodSchema)?.examples as unknown[] | undefined
      if (io === 'input' && examples && jsonSchema.$ref === undefined) jsonSchema.examples = examples
      // Answers may grow: unknown fields are not refused.
      if (io === 'output' && jsonSchema.additionalProperties === false) delete jsonSchema.additionalProperties
    },
  })
