import { SourceError } from '../../../integrations/reading/found.ts'
import { readTextFile } from '../../../integrations/reading/text.ts'
import type { Field, Fields } from '../../contract/fields.ts'
import { jsonIn, listOf, numberOf, type Option, oneOf, pairsOf, UsageError } from '../shell/command.ts'

/** How a command differs from the input of its operation. */
export type Differences = {
  /** Options that are not named as their field, by its path. */
  readonly names?: Readonly<Record<string, string>>
  /** Defaults in place of those of the contract. */
  readonly defaults?: Readonly<Record<string, unknown>>
  /** Fields without an option. */
  readonly without?: readonly string[]
}

/** The option for a field of the input, with its default. */
type FieldOption = {
  readonly name: string
  readonly path: readonly string[]
  readonly field: Field
  readonly fallback: unknown
}

const SHORTER: Readonly<Record<string, string>> = {
  session_id: 'session',
  metadata: 'meta',
  created_after: 'after',
  created_before: 'before',
  ttl_seconds: 'ttl',
  overlap_seconds: 'overlap',
  relationship_type: 'type',
  relationship_types: 'types',
  search_type: 'type',
  max_depth: 'depth',
  record_recall: 'recall',
  memory_id: 'memory',
  key_id: 'key',
  delivery_id: 'delivery',
  expires_at: 'expires',
}

const LETTERS: Readonly<Record<string, string>> = {
  limit: 'n',
  tags: 't',
  policy: 'p',
  kind: 'k',
  importance: 'i',
  search_type: 'T',
  depth: 'd',
  max_depth: 'd',
}

/** The options for an input, and how it is read from what was typed, with the defaults of the command. */
export function inputOptions(fields: Fields, differences: Differences = {}) {
  const all = optionsFor(fields, differences)
  return {
    options: describeOptions(all),
    /** The service checks its ranges. @throws UsageError, SourceError */
    async read(typed: object): Promise<Record<string, unknown>> {
      const input: Record<string, unknown> = { ...differences.defaults }
      for (const { name, path, field } of all) {
        const value = (typed as Typed)[name]
        if (value !== undefined) place(input, path, await read(field, value, `--${name}`))
      }
      return input
    },
  }
}

/** The name of the option for a field. */
export const optionNameOf = (field: string) => SHORTER[field] ?? field.replaceAll('_', '-')

/** An object in the input gives its own fields. */
const optionsFor = (fields: Fields, differences: Differences, within: readonly string[] = []) =>
  Object.entries(fields).flatMap(([key, field]): FieldOption[] => {
    const path = [...within, key]
    if (differences.without?.includes(path.join('.'))) return []
    if (field.fields) return optionsFor(field.fields, differences, path)
    const fallback = differences.defaults?.[path.join('.')] ?? field.default
    const name = differences.names?.[path.join('.')] ?? optionNameOf(key)
    return [{ name: fallback === true ? `no-${name}` : name, path, field, fallback }]
  })

/** What the program shows of the options: each with its letter, the form of its value, its description and its default. */
function describeOptions(options: readonly FieldOption[]): Record<string, Option> {
  const letters = new Set<string>()
  const names = new Map(options.map(({ name, path }) => [path.at(-1), name]))
  return Object.fromEntries(
    options.map(({ name, path, field, fallback }) => {
      const letter = LETTERS[path.at(-1) as string]
      const isFree = letter !== undefined && !letters.has(letter)
      if (isFree) letters.add(letter)
      const described = describe(field, names)
      const said =
        fallback === true ? `Turn off: ${described.charAt(0).toLowerCase()}${described.slice(1)}` : described
      const isShown = ['string', 'number'].includes(typeof fallback) || isFilledList(fallback)
      return [
        name,
        {
          describe: isShown
            ? `${described.replace('. There is no default', '')} (default: ${fallback})`
            : said,
          ...(isFree && { short: letter }),
          ...formOf(field, path),
        },
      ]
    }),
  )
}

const isFilledList = (fallback: unknown) => Array.isArray(fallback) && fallback.length > 0

/** Fields whose names are values of `valid_at` too. */
const VALUES = ['any', 'none']

/** The description in the contract, with the values of an enum, and with options in place of fields. */
function describe({ description = '', values, items }: Field, names: ReadonlyMap<unknown, string>): string {
  const text = description
    .replaceAll(/`(\w+)`/g, (_, word: string) =>
      names.has(word) && !VALUES.includes(word) ? `--${names.get(word)}` : word,
    )
    .replaceAll('`', '')
    .replace(/\.$/, '')
  const all = values ?? items?.values
  return all && !all.every(value => text.includes(value)) ? `${text}. One of: ${all.join(', ')}` : text
}

function formOf(field: Field, path: readonly string[]): Pick<Option, 'value' | 'many'> {
  switch (field.type) {
    case 'boolean':
      return {}
    case 'array':
      if (path.at(-1) === 'policies') return { value: 'FILE' }
      return { value: field.items?.type === 'object' ? 'JSON' : 'A,B', many: true }
    case 'map':
      return { value: 'NAME=VALUE', many: true }
    case 'integer':
      return { value: path.at(-1)?.endsWith('_seconds') ? 'SECONDS' : 'N' }
    case 'number':
      return { value: 'X' }
    default:
      if (field.values) return { value: 'VALUE' }
      return { value: field.format === 'date-time' ? 'TIME' : field.format === 'uuid' ? 'ID' : 'NAME' }
  }
}

type Typed = Readonly<Record<string, string | boolean | readonly string[] | undefined>>

function place(input: Record<string, unknown>, [key = '', ...rest]: readonly string[], value: unknown) {
  if (rest.length === 0) input[key] = value
  else {
    input[key] ??= {}
    place(input[key] as Record<string, unknown>, rest, value)
  }
}

async function read(field: Field, value: NonNullable<Typed[string]>, option: string): Promise<unknown> {
  if (typeof value === 'boolean') return !option.startsWith('--no-')
  if (typeof value === 'string') {
    if (field.type === 'array') return jsonOfFile(value)
    return readText(field, value, option)
  }
  if (field.type === 'map') return pairsOf(value, option)
  if (field.items?.type === 'object') return value.map(text => jsonOf(text, option))
  const list = value.flatMap(listOf)
  if (list.length === 0) throw new UsageError(`${option} names no ${option.slice(2).replace(/s$/, '')}`)
  return list.map(text => readText(field.items as Field, text, option))
}

/** One value as typed, as its field takes it. @throws UsageError */
export function readText({ type, values }: Field, text: string, option: string): unknown {
  const isNumber = type === 'integer' || type === 'number'
  if (isNumber && !values?.includes(text)) return numberOf(text, option)
  return values ? oneOf(values, text, option) : text
}

function jsonOf(text: string, option: string): unknown {
  const value = jsonIn(text)
  if (value === undefined) throw new UsageError(`${option} must be JSON, for example '{"tags":["a"]}'`)
  return value
}

async function jsonOfFile(path: string): Promise<unknown> {
  const text = await readTextFile(path)
  try {
    return JSON.parse(text)
  } catch (error) {
    throw new SourceError(`${path} is not JSON: ${(error as Error).message}`, { cause: error })
  }
}
