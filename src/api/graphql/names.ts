import type { z } from 'zod'
import { type Field, fieldOf } from '../../contract/fields.ts'
import type { Memory } from '../../contract/memory.ts'
import { memoryIdOf } from './memory-id.ts'

/** The one place where the contract's names become GraphQL's: fields in camelCase, values of closed sets in capitals. */

/**
 * The arguments of an operation, as the contract has them. An argument that is null counts as absent, unless it is one
 * of `narrows` or stands in it: the schema refuses it there.
 */
export const toContract = (schema: z.ZodType, value: unknown, narrows: readonly string[] = []): unknown =>
  argumentsOf(fieldOf(schema), value, narrows)

function argumentsOf(
  { values, items, fields: known }: Field,
  value: unknown,
  narrows: readonly string[] = [],
): unknown {
  if (values && typeof value === 'string') return value.toLowerCase()
  if (Array.isArray(value)) return items ? value.map(item => argumentsOf(items, item)) : value
  if (!known || typeof value !== 'object' || value === null) return value
  const fields = Object.entries(value).filter(
    ([name, each]) => each !== undefined && (each !== null || isKept(name, narrows)),
  )
  return Object.fromEntries(
    fields.map(([name, each]) => {
      const field = known[snake(name)]
      return [snake(name), field ? argumentsOf(field, each, isKept(name, narrows) ? EVERY : []) : each]
    }),
  )
}

const EVERY = ['*']
const isKept = (name: string, narrows: readonly string[]) =>
  narrows === EVERY || narrows.includes(snake(name))

/** A response as GraphQL shows it. Memories become their ids, by which the graph is read. */
export const toGraphql = (schema: z.ZodType, value: unknown): unknown =>
  shownAs(fieldOf(schema, 'output'), value)

function shownAs({ id, type, values, items, fields: known }: Field, value: unknown): unknown {
  if (value === null || value === undefined) return null
  if (isMemory(id)) return memoryIdOf((value as Memory).id, (value as Memory).owner)
  if (values) return enumValue(String(value))
  if (type === 'map' && !isCount(items)) return value
  if (type === 'map')
    return Object.entries(value as Record<string, number>).map(([name, count]) => ({ name, count }))
  if (Array.isArray(value)) return items ? value.map(item => shownAs(items, item)) : value
  if (!known) return value
  const fields = value as Record<string, unknown>
  const shown = Object.fromEntries(
    Object.entries(known).map(([name, field]) => [camel(name), shownAs(field, fields[name])]),
  )
  if (id === 'Connection') Object.assign(shown, shown.connection)
  for (const end of ['source', 'target', 'memory']) if (`${end}_id` in known) shown[end] = shown[`${end}Id`]
  return shown
}

/** Of a map: whether it counts things by their names. */
export const isCount = (items: Field | undefined) => items?.type === 'integer' || items?.type === 'number'

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
