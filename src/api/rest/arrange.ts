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

/**
 * An answer with its fields in the order of the contract, for people who read it. Nothing is added or left out; what is
 * in that order already, as most of it is, is answered itself.
 */
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
  if (type === 'array' && element) return arrayOf(arrangerOf(element))
  return shape ? objectOf(Object.entries(shape).map(([name, field]) => [name, arrangerOf(field)])) : same
}

/** Values without fields of their own. */
const same: Arranger = value => value

function arrayOf(each: Arranger): Arranger {
  if (each === same) return same
  return value => {
    if (!Array.isArray(value)) return value
    const arranged = value.map(element => each(element))
    return arranged.some((element, at) => element !== value[at]) ? arranged : value
  }
}

function objectOf(fields: readonly (readonly [string, Arranger])[]): Arranger {
  const names = fields.map(([name]) => name)
  const nested = fields.filter(([, each]) => each !== same)
  return value => {
    if (value === null || typeof value !== 'object') return value
    let arranged = value as Record<string, unknown>
    for (const [name, each] of nested) {
      const inner = each(arranged[name])
      if (inner !== arranged[name]) arranged = { ...arranged, [name]: inner }
    }
    return isInOrder(arranged, names) ? arranged : inOrder(arranged, names)
  }
}

function isInOrder(given: object, names: readonly string[]): boolean {
  let at = 0
  for (const name in given) {
    while (at < names.length && names[at] !== name) at++
    if (at === names.length) return false
    at++
  }
  return true
}

function inOrder(given: Record<string, unknown>, names: readonly string[]): Record<string, unknown> {
  const ordered: Record<string, unknown> = {}
  for (const name of names) if (name in given) ordered[name] = given[name]
  return Object.assign(ordered, given)
}
