import type { z } from 'zod'

type Definition = {
  type: string
  shape?: Record<string, z.ZodType>
  element?: z.ZodType
  innerType?: z.ZodType
}

/** An answer with its fields in the order of the contract, for people who read it. Nothing is added or left out. */
export function arrange(schema: z.ZodType, value: unknown): unknown {
  const { type, shape, element, innerType } = schema._zod.def as unknown as Definition
  if (value === null || typeof value !== 'object') return value
  if (innerType) return arrange(innerType, value)
  if (type === 'array' && element && Array.isArray(value)) return value.map(item => arrange(element, item))
  if (!shape) return value
  const fields = value as Record<string, unknown>
  const ordered = Object.entries(shape).flatMap(([name, field]) =>
    name in fields ? [[name, arrange(field, fields[name])]] : [],
  )
  return {
    ...Object.fromEntries(ordered),
    ...Object.fromEntries(Object.entries(fields).filter(([name]) => !(name in shape))),
  }
}
