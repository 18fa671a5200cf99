import { jsonrepair } from 'jsonrepair'
import { z } from 'zod'

/** What a model is asked for: an object with one list. */
export type Listed = z.ZodObject<Record<string, z.ZodArray<z.ZodObject>>>

/** So many places in a text are tried as the beginning of its JSON. */
const PLACES = 20

/**
 * The items of the list in an answer that can be read, whatever stands around the JSON. An answer that was cut, or breaks the
 * rules of JSON, is repaired. @throws SyntaxError if there is nothing to read.
 */
export function readItems<Schema extends Listed>(schema: Schema, text: string): z.output<Schema> {
  const [[name, list]] = Object.entries(schema.shape) as [[string, z.ZodArray<z.ZodObject>]]
  for (const value of valuesIn(text)) {
    const items = listIn(value, name, list.element)
    const read = items?.flatMap(item => list.element.safeParse(lenient(list.element, item)).data ?? [])
    if (read && (read.length > 0 || items?.length === 0)) return { [name]: read } as z.output<Schema>
  }
  throw new SyntaxError('no part of the answer can be read')
}

/** The values of JSON that begin in a text, the first first. */
function* valuesIn(text: string): Generator<unknown> {
  const fenced = Array.from(text.matchAll(/```[a-z]*([^`]+)/gi), ([, inner = '']) => inner)
  for (const each of [...fenced.slice(0, PLACES), text])
    for (const start of [...each.matchAll(/[[{]/g)].slice(0, PLACES).map(({ index }) => index)) {
      const value = valueAt(each.slice(start))
      if (value !== undefined) yield value
    }
}

function valueAt(text: string): unknown {
  const whole = text.slice(0, endOf(text))
  try {
    return JSON.parse(whole)
  } catch {
    try {
      return JSON.parse(jsonrepair(whole))
    } catch {
      return undefined
    }
  }
}

/** Where the value ends with which a text begins. */
function endOf(text: string): number {
  let depth = 0
  for (const { 0: sign, index } of text.matchAll(/"(?:[^"\\]|\\.)*"|[[\]{}]/gs)) {
    if (sign === '{' || sign === '[') depth++
    else if (sign === '}' || sign === ']') depth--
    if (depth === 0 && !sign.startsWith('"')) return index + 1
  }
  return text.length
}

/** The list itself, the one in an object, or one item that stands alone. */
function listIn(value: unknown, name: string, item: z.ZodObject): unknown[] | undefined {
  if (Array.isArray(value)) return value.length === 0 || value.some(isObject) ? value : undefined
  if (!isObject(value)) return undefined
  const own = value[name] ?? Object.values(value).find(each => Array.isArray(each) && each.some(isObject))
  if (Array.isArray(own)) return own
  if (isObject(own)) return [own]
  return item.safeParse(lenient(item, value)).success ? [value] : undefined
}

const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

/** A value as its schema wants it, where only its form differs. */
function lenient(schema: unknown, value: unknown): unknown {
  if (schema instanceof z.ZodObject && isObject(value))
    return Object.fromEntries(
      Object.entries(schema.shape).map(([name, of]) => [name, lenient(of, value[name])]),
    )
  if (schema instanceof z.ZodNullable)
    return value === undefined || isNothing(value) ? null : lenient(schema.unwrap(), value)
  if (schema instanceof z.ZodArray) {
    if (value === undefined || value === null) return []
    return Array.isArray(value) ? value.map(each => lenient(schema.element, each)) : wordsIn(value)
  }
  if (schema instanceof z.ZodNumber && typeof value === 'string') return numberIn(value)
  if (schema instanceof z.ZodEnum && typeof value === 'string')
    return value
      .trim()
      .toLowerCase()
      .replaceAll(/[\s-]+/g, '_')
  return schema instanceof z.ZodString && typeof value === 'number' ? String(value) : value
}

const isNothing = (value: unknown) =>
  typeof value === 'string' && /^(null|none|unknown|n\/a)?$/i.test(value.trim())

const wordsIn = (value: unknown) =>
  typeof value === 'string' ? value.split(/[\s,;]+/).filter(word => word !== '' && !isNothing(word)) : [value]

function numberIn(text: string): number {
  const [, digits = '', percent] = /^([\d.]+)\s*(%)?$/.exec(text.trim()) ?? []
  return digits === '' ? Number.NaN : Number(digits) / (percent ? 100 : 1)
}
