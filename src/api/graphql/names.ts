import type { z } from 'zod'
import { memory } from '../../contract/memories.ts'

type Definition = {
  type: string
  shape?: Record<string, z.ZodType>
  element?: z.ZodType
  innerType?: z.ZodType
  in?: z.ZodType
}

/** The one place where the contract's names become GraphQL's: fields in camelCase, closed sets in capitals. */

/** What was asked, as the contract has it. What is null was not asked. */
export function toContract(schema: z.ZodType, value: unknown): unknown {
  const { type, shape, element } = definition(schema)
  if (type === 'enum' && typeof value === 'string') return value.toLowerCase()
  if (Array.isArray(value)) return element ? value.map(item => toContract(element, item)) : value
  if (!shape || typeof value !== 'object' || value === null) return value
  const fields = Object.entries(value).filter(([, each]) => each !== null && each !== undefined)
  return Object.fromEntries(
    fields.map(([name, each]) => {
      const field = shape[snake(name)]
      return [snake(name), field ? toContract(field, each) : each]
    }),
  )
}

/** An answer as GraphQL shows it. Memories become their ids, from which the reads of the graph go on. */
export function toGraphql(schema: z.ZodType, value: unknown): unknown {
  const { type, shape, element } = definition(schema)
  if (value === null || value === undefined) return null
  if (inside(schema) === memory) return (value as { id: string }).id
  if (type === 'enum') return String(value).toUpperCase()
  if (type === 'record')
    return Object.entries(value as Record<string, number>).map(([name, count]) => ({ name, count }))
  if (Array.isArray(value)) return element ? value.map(item => toGraphql(element, item)) : value
  if (!shape) return value
  const fields = value as Record<string, unknown>
  const shown = Object.fromEntries(
    Object.entries(shape).map(([name, field]) => [camel(name), toGraphql(field, fields[name])]),
  )
  if (inside(schema).meta()?.id === 'Connection') Object.assign(shown, shown.connection)
  for (const end of ['source', 'target', 'memory']) if (`${end}_id` in shape) shown[end] = shown[`${end}Id`]
  return shown
}

/** A JSON pointer into a request, in GraphQL's names. */
export const camel = (name: string) => name.replaceAll(/_(\w)/g, (_, letter: string) => letter.toUpperCase())
const snake = (name: string) => name.replaceAll(/[A-Z]/g, letter => `_${letter.toLowerCase()}`)

function inside(schema: z.ZodType): z.ZodType {
  const { innerType, in: input } = schema._zod.def as unknown as Definition
  const next = innerType ?? input
  return next ? inside(next) : schema
}

const definition = (schema: z.ZodType) => inside(schema)._zod.def as unknown as Definition
