import type { z } from 'zod'

type Definition = {
  type: string
  shape?: Record<string, z.ZodType>
  element?: z.ZodType
  valueType?: z.ZodType
  innerType?: z.ZodType
  in?: z.ZodType
}

/** The one place where the contract's names become GraphQL's: fields in camelCase, values of closed sets in capitals. */

/**
 * The arguments of an operation, as the contract has them. An argument that is null counts as absent, unless it is one
 * of `narrows` or stands in it: the schema refuses it there.
 */
export function toContract(schema: z.ZodType, value: unknown, narrows: readonly string[] = []): unknown {
  const { type, shape, element } = definition(schema)
  if (type === 'enum' && typeof value === 'string') return value.toLowerCase()
  if (Array.isArray(value)) return element ? value.map(item => toContract(element, item)) : value
  if (!shape || typeof value !== 'object' || value === null) return value
  const fields = Object.entries(value).filter(
    ([name, each]) => each !== undefined && (each !== null || isKept(name, narrows)),
  )
  return Object.fromEntries(
    fields.map(([name, each]) => {
      const field = shape[snake(name)]
      return [snake(name), field ? toContract(field, each, isKept(name, narrows) ? EVERY : []) : each]
    }),
  )
}

const EVERY = ['*']
const isKept = (name: string, narrows: readonly string[]) =>
  narrows === EVERY || narrows.includes(snake(name))

/** A response as GraphQL shows it. Memories become their ids, by which the graph is read. */
export function toGraphql(schema: z.ZodType, value: unknown): unknown {
  const { type, shape, element, valueType } = definition(schema)
  if (value === null || value === undefined) return null
  if (isMemory(idOf(schema))) return (value as { id: string }).id
  if (type === 'enum') return enumValue(String(value))
  if (type === 'record' && valueType && definition(valueType).type !== 'number') return value
  if (type === 'record')
    return Object.entries(value as Record<string, number>).map(([name, count]) => ({ name, count }))
  if (Array.isArray(value)) return element ? value.map(item => toGraphql(element, item)) : value
  if (!shape) return value
  const fields = value as Record<string, unknown>
  const shown = Object.fromEntries(
    Object.entries(shape).map(([name, field]) => [camel(name), toGraphql(field, fields[name])]),
  )
  if (idOf(schema) === 'Connection') Object.assign(shown, shown.connection)
  for (const end of ['source', 'target', 'memory']) if (`${end}_id` in shape) shown[end] = shown[`${end}Id`]
  return shown
}

/** A name of the contract, or a JSON pointer into a request, in camelCase. */
export const camel = (name: string) => name.replaceAll(/_(\w)/g, (_, letter: string) => letter.toUpperCase())
const snake = (name: string) => name.replaceAll(/[A-Z]/g, letter => `_${letter.toLowerCase()}`)

export const enumValue = (value: string) => value.toUpperCase()
export const upperFirst = (name: string) => `${name[0]?.toUpperCase()}${name.slice(1)}`
export const lowerFirst = (name: string) => `${name[0]?.toLowerCase()}${name.slice(1)}`

/** A name in camelCase as words. */
export const spaced = (name: string) => snake(name).replaceAll('_', ' ').trim()

/** GraphQL reads the memory of each of these schemas from the graph. */
export const isMemory = (id: string | undefined) =>
  ['Memory', 'CreatedMemory', 'FetchedMemory'].includes(String(id))

/** The name of a schema, also where it has a description of its own. */
function idOf(schema: z.ZodType): string | undefined {
  const inner = inside(schema)
  const id = inner.meta()?.id ?? (inner._zod.parent as z.ZodType | undefined)?.meta()?.id
  return id as string | undefined
}

function inside(schema: z.ZodType): z.ZodType {
  const { innerType, in: input } = schema._zod.def as unknown as Definition
  const next = innerType ?? input
  return next ? inside(next) : schema
}

const definition = (schema: z.ZodType) => inside(schema)._zod.def as unknown as Definition
