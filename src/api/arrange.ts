import type { z } from 'zod'

type Definition = {
  type: string
  shape?: Record<string, z.ZodType>
  element?: z.ZodType
  innerType?: z.ZodType
}

type Arranger = (value: unknown) => unknown

/** Each schema is looked into once; an answer of a hundred memories is arranged by what was found. */
const arrangers = new WeakMap<z.ZodType, Arranger>()

/** An answer with its fields in the order of the contract, for people who read it. Nothing is added or left out. */
export const arrange = (schema: z.ZodType, value: unknown): unknown => arrangerOf(schema)(value)

function arrangerOf(schema: z.ZodType): Arranger {
  const known = arrangers.get(schema)
  if (known) return known
  const made = makeArranger(schema._zod.def as unknown as Definition)
  arrangers.set(schema, made)
  return made
}

function makeArranger({ type, shape, element, innerType }: Definition): Arranger {
  if (innerType) return arrangerOf(innerType)
  if (type === 'array' && element) {
    const each = arrangerOf(element)
    return value => (Array.isArray(value) ? value.map(each) : value)
  }
  if (!shape) return value => value
  const fields = new Map(Object.entries(shape).map(([name, field]) => [name, arrangerOf(field)]))
  return value => {
    if (value === null || typeof value !== 'object') return value
    const given = value as Record<string, unknown>
    const ordered: Record<string, unknown> = {}
    for (const [name, each] of fields) if (name in given) ordered[name] = each(given[name])
    for (const name in given) if (!fields.has(name)) ordered[name] = given[name]
    return ordered
  }
}
