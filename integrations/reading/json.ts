import { stat } from 'node:fs/promises'
import { type ImportSource, leaveOut, lose, nothingFound } from './found.ts'
import { readTextFile } from './text.ts'

/** An entry of a JSON file, with its place for people. */
export type JsonEntry = { value: unknown; place: string }

export type JsonFields = Readonly<Record<string, unknown>>

export const isFields = (value: unknown): value is JsonFields =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

export const objectOf = (value: unknown): JsonFields => (isFields(value) ? value : {})

export const itemsIn = (value: unknown): readonly unknown[] => (Array.isArray(value) ? value : [])

/** Where the entries of a format stand, and what is one. */
export type Shape = { readonly lists: readonly string[]; readonly isEntry: (value: JsonFields) => boolean }

/** What a file has of a format, and the time of the file, for entries that have none. Bytes that are no text are a loss. */
export async function readJsonFile(path: string, expected: string, shape: Shape) {
  const found = nothingFound(expected)
  const text = await readTextFile(path)
  lose(found, `a character of ${path} that cannot be read, and became �`, text.split('\uFFFD').length - 1)
  const { mtime } = await stat(path)
  return { found, entries: jsonEntriesOf(text, shape, found), fileTime: mtime.toISOString() }
}

/**
 * The entries of a JSON document, of one with an object on each line, or of any that is damaged: what can be read of it
 * is read, and each stretch that cannot is left out with its line.
 */
export function jsonEntriesOf(text: string, shape: Shape, found: ImportSource): JsonEntry[] {
  const whole = parse(text)
  const parts = whole ? [{ ...whole, place: '' }] : objectsIn(text, shape, found)
  return parts.flatMap(part =>
    entriesIn(part.value, '', shape).map(({ value, place }) => ({
      value,
      place: [part.place, place].filter(Boolean).join(', ') || 'the file',
    })),
  )
}

const DEEPEST = 6

export function entriesIn(value: unknown, place: string, shape: Shape, depth = 0): JsonEntry[] {
  if (depth > DEEPEST) return [{ value, place }]
  if (Array.isArray(value))
    return value.flatMap((each, at) => entriesIn(each, `${place}[${at}]`, shape, depth + 1))
  if (!isFields(value) || shape.isEntry(value)) return [{ value, place }]
  const lists = shape.lists.filter(name => typeof value[name] === 'object' && value[name] !== null)
  if (lists.length > 0)
    return lists.flatMap(name =>
      entriesIn(value[name], place === '' ? name : `${place}.${name}`, shape, depth + 1),
    )
  const named = Object.entries(value)
  if (named.length === 0 || !named.every(([, each]) => isFields(each))) return [{ value, place }]
  return named.map(([name, each]) => ({
    value: { name, id: name, ...(each as JsonFields) },
    place: `${place}.${name}`,
  }))
}

/** How often a text is read in vain, level by level, before the rest of it is given up. */
const MOST_READINGS = 20

/** The outermost objects of a text that can be read. */
function objectsIn(text: string, { lists }: Shape, found: ImportSource): JsonEntry[] {
  const entries: JsonEntry[] = []
  const frame = new RegExp(`^(?:[\\s{}[\\],]|"(?:${lists.join('|')})"\\s*:)*$`)
  const lineAt = lineCounter(text)
  const ends = new Map<number, number | undefined>()
  let unread: number | undefined
  let inVain = 0
  const close = (end: number) => {
    const stretch = text.slice(unread ?? end, end)
    const [before = ''] = /^[\s,]*/.exec(stretch) ?? []
    if (!frame.test(stretch)) {
      const from = (unread ?? end) + before.length
      const excerpt = text.slice(from, end).replaceAll(/\s+/g, ' ').trim().slice(0, 60)
      const [first, last] = [lineAt(from), lineAt(from + stretch.slice(before.length).trimEnd().length)]
      const place = first === last ? `line ${first}` : `lines ${first} to ${last}`
      leaveOut(found, place, `is no valid JSON, or names a field twice: ${excerpt}`)
    }
    unread = undefined
  }
  let at = 0
  while (inVain <= MOST_READINGS * text.length) {
    const start = text.indexOf('{', at)
    if (start < 0) break
    const end = endOfObject(text, start, ends)
    const parsed = end === undefined ? undefined : parse(text.slice(start, end))
    if (start > at) unread ??= at
    if (parsed && end !== undefined) {
      close(start)
      entries.push({ value: parsed.value, place: `line ${lineAt(start)}` })
      at = end
    } else {
      unread ??= start
      inVain += (end ?? start) - start
      at = start + 1
    }
  }
  unread ??= at
  close(text.length)
  return entries
}

/** Counts forward only: places are asked for in their order. */
function lineCounter(text: string): (offset: number) => number {
  let line = 1
  let seen = 0
  return offset => {
    for (let next = text.indexOf('\n', seen); next >= 0 && next < offset; next = text.indexOf('\n', seen)) {
      line++
      seen = next + 1
    }
    return line
  }
}

const TOKEN = /\s+|"[^"\\]*(?:\\.[^"\\]*)*"|[{}[\],:]|-?\d[\d.eE+-]*|true|false|null/sy

/** Where the object that begins here ends, unless something else than JSON comes before. Keeps the ends of those inside. */
function endOfObject(text: string, start: number, ends: Map<number, number | undefined>): number | undefined {
  const open: number[] = []
  TOKEN.lastIndex = start
  do {
    const at = TOKEN.lastIndex
    if (ends.has(at)) break
    const token = TOKEN.exec(text)?.[0]
    if (token === undefined) break
    if (token === '{' || token === '[') {
      open.push(at)
      ends.set(at, undefined)
    } else if (token === '}' || token === ']') ends.set(open.pop() as number, TOKEN.lastIndex)
  } while (open.length > 0)
  return ends.get(start)
}

/**
 * A value in an object of its own, as `null` is a value too; nothing for what is no JSON or has a key twice. Numbers that
 * JavaScript would change become texts.
 */
export function parse(text: string): { value: unknown } | undefined {
  try {
    const value: unknown = JSON.parse(text, exact)
    const colons = text.match(/"[^"\\]*(?:\\.[^"\\]*)*"|:/gs)?.filter(token => token === ':').length ?? 0
    return colons === keysIn(value) ? { value } : undefined
  } catch {
    return undefined
  }
}

function keysIn(value: unknown): number {
  if (typeof value !== 'object' || value === null) return 0
  const own = Array.isArray(value) ? 0 : Object.keys(value).length
  return Object.values(value).reduce<number>((sum, each) => sum + keysIn(each), own)
}

function exact(_key: string, value: unknown, context?: { source?: string }): unknown {
  if (typeof value !== 'number' || context?.source === undefined) return value
  const changed =
    !Number.isFinite(value) ||
    (Number.isInteger(value) && !Number.isSafeInteger(value)) ||
    (value === 0 && /[1-9]/.test(context.source.split(/e/i)[0] ?? ''))
  return changed ? context.source : value
}

/** Fields of an entry that have no place in a memory. */
export function loseOthers(found: ImportSource, entry: JsonFields, known: readonly string[]) {
  for (const [name, value] of Object.entries(entry))
    if (!known.includes(name) && value !== null && value !== '')
      lose(found, `the field “${name.slice(0, 100)}”`)
}
