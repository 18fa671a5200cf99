import type { z } from 'zod'
import { fieldName } from '../../contract/faults.ts'
import { type Field, fieldOf } from '../../contract/fields.ts'
import { numberFault, readJson } from '../../contract/json.ts'
import { toPointer } from '../../contract/pointers.ts'
import { invalid } from '../../contract/problems.ts'
import { nearestName } from '../../service/suggestions.ts'

type Path = readonly PropertyKey[]
type Arguments = Record<string, unknown>

/** The arguments of a call as its tool declares them, and the names of those that the tool does not have. */
export type ReadArguments = { input: unknown; ignored: string[] }

/**
 * Reads arguments by the types that a tool declares. Hosts and models send numbers, lists and objects as text, null for
 * what they omit, and arguments of their own, and a caller cannot change that. A value that can mean more than one thing
 * stays as it is, and the schema refuses it. @throws ServiceError `validation_failed` for text that JSON would change
 */
export function readArguments(
  schema: z.ZodObject,
  given: unknown,
  narrows: readonly string[] = [],
): ReadArguments {
  const reading = { ignored: [], narrows }
  return { input: readObject(fieldOf(schema), given ?? {}, [], reading), ignored: reading.ignored }
}

/** `narrows` limit what a tool changes: in them nothing is left out that was sent. */
type Reading = { readonly ignored: string[]; readonly narrows: readonly string[] }

/** An id as agents write it: with blanks or quotes around it, or as the address of a resource. */
export const readId = (text: string): string =>
  /^[\s"'`<([{]*(?:memory:\/\/|urn:uuid:)?([0-9a-f-]{36})[\s"'`>)\]}/.,;]*$/i.exec(text)?.[1] ?? text

function readObject({ fields: declared = {} }: Field, given: unknown, path: Path, reading: Reading): unknown {
  const value = parsed(given, '{', path)
  if (!isFields(value)) return value
  const known = Object.keys(declared)
  const folded = new Map(known.map(name => [fold(name), name]))
  const fields: Arguments = {}
  const isNarrowing = (name: string) => reading.narrows.includes(String(path[0] ?? name))
  for (const [sent, each] of Object.entries(value)) {
    const name = Object.hasOwn(declared, sent) ? sent : folded.get(fold(sent))
    if (name === undefined || (name !== sent && Object.hasOwn(value, name))) {
      // A misspelt name is refused: without it the call would do something else.
      if (nearestName(sent, known) === undefined && !isNarrowing(sent))
        reading.ignored.push(fieldName([...path, sent]))
      else fields[sent] = each
      continue
    }
    const field = declared[name] as Field
    if ((each === null || isLeftEmpty(field, each)) && !isNarrowing(name)) continue
    fields[name] = read(field, each, [...path, name], reading)
  }
  return fields
}

/** Hosts that must fill every argument send empty text for those that have no value. */
const isLeftEmpty = ({ isRequired }: Field, value: unknown) =>
  typeof value === 'string' && value.trim() === '' && !isRequired

function read(field: Field, value: unknown, path: Path, reading: Reading): unknown {
  const { type, format, values, items } = field
  switch (type) {
    case 'object':
      return readObject(field, value, path, reading)
    case 'map':
      return reading.narrows.includes(String(path[0]))
        ? parsed(value, '{', path)
        : withoutNulls(parsed(value, '{', path))
    case 'array':
      return items ? readList(items, value, path, reading) : value
    case 'number':
    case 'integer':
      return numberIn(value)
    case 'boolean':
      return typeof value === 'string' ? (BOOLEANS[value.trim().toLowerCase()] ?? value) : value
    case 'string':
    case 'any':
      if (values) return typeof value === 'string' ? nameIn(values, value) : value
      if (typeof value === 'number' || typeof value === 'boolean') return String(value)
      return format === 'uuid' && typeof value === 'string' ? readId(value) : value
  }
  return value
}

/** A list, a text of JSON with one, or the only element of one. Text with a comma may mean one element or several. */
function readList(element: Field, given: unknown, path: Path, reading: Reading): unknown {
  const value = parsed(given, '[', path)
  const { type, format, values } = element
  const isPlain = values !== undefined || format === 'uuid'
  const list = Array.isArray(value)
    ? value
    : typeof value === 'string' && isPlain
      ? value.split(',').filter(part => part.trim() !== '')
      : (typeof value === 'string' && !/[,;\n]|^\s*\[/.test(value)) || (isFields(value) && type === 'object')
        ? [value]
        : undefined
  return list?.map((each, at) => read(element, textAsObject(element, each), [...path, at], reading)) ?? value
}

/** In a list of memories a plain text is a memory with this content. */
const textAsObject = ({ fields = {} }: Field, value: unknown): unknown =>
  typeof value === 'string' && 'content' in fields
    ? /^\s*\{/.test(value)
      ? (readJson(value).value ?? { content: value })
      : { content: value }
    : value

/** The value of a text of JSON that begins as it is wanted; every other value as it is. */
function parsed(value: unknown, opening: '{' | '[', path: Path): unknown {
  if (typeof value !== 'string' || !value.trimStart().startsWith(opening)) return value
  const { value: inner, fault } = readJson(value)
  if (fault) throw invalid(toPointer(path) + fault.pointer, fault.code, fault.rule)
  return inner ?? value
}

function numberIn(value: unknown): unknown {
  if (typeof value !== 'string') return value
  const text = value.trim()
  return /^[+-]?\d+(\.\d+)?(e[+-]?\d+)?$/i.test(text) && numberFault(text) === undefined
    ? Number(text)
    : value
}

const BOOLEANS: Readonly<Record<string, boolean>> = { true: true, false: false }

const nameIn = (names: readonly unknown[], text: string) =>
  names.find(name => fold(String(name)) === fold(text)) ?? text

/** Names are the same whether they are written with underscores, hyphens or capitals. */
const fold = (name: string) => name.replaceAll(/[\s_-]/g, '').toLowerCase()

const withoutNulls = (value: unknown) =>
  isFields(value) ? Object.fromEntries(Object.entries(value).filter(([, each]) => each !== null)) : value

const isFields = (value: unknown): value is Arguments =>
  typeof value === 'object' && value !== null && !Array.isArray(value)
