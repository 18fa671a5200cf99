import { parseDocument } from 'yaml'
import { isFields, type JsonFields } from '../../reading/json.ts'
import { divideFrontMatter } from '../../reading/text.ts'
import { readTextOf } from '../../reading/values.ts'

/** Tags of a note may stand under both names. */
const TAGS = ['tags', 'tag']
/** Fields that have a place other than the metadata. */
const ELSEWHERE = ['title', ...TAGS, 'created', 'modified']

/** The properties of a note between its first two lines `---`, and the text below. With a `fault` they stay in the text. */
export function readFrontMatter(whole: string) {
  const { yaml, text } = divideFrontMatter(whole)
  const { fields = {}, fault } = read(yaml ?? '')
  return {
    title: readTextOf(fields.title)?.trim(),
    permalink: readTextOf(fields.permalink)?.trim(),
    tags: TAGS.flatMap(name => tagsIn(fields[name])),
    created: fields.created,
    modified: fields.modified,
    metadata: Object.fromEntries(Object.entries(fields).filter(([name]) => !ELSEWHERE.includes(name))),
    body: (yaml === undefined || fault !== undefined ? whole : text).trim(),
    fault,
  }
}

function read(yaml: string): { fields?: JsonFields; fault?: string } {
  try {
    const document = parseDocument(yaml, { intAsBigInt: true, logLevel: 'silent' })
    const [error] = document.errors
    const value: unknown = document.toJS()
    if (error) return { fault: error.message.split('\n')[0] ?? 'it is not YAML' }
    if (value === null) return {}
    return isFields(value) ? { fields: exact(value) as JsonFields } : { fault: 'it has no names' }
  } catch (error) {
    return { fault: error instanceof Error ? error.message : String(error) }
  }
}

/** Whole numbers that JavaScript would change become texts. */
function exact(value: unknown): unknown {
  if (typeof value === 'bigint') return Number.isSafeInteger(Number(value)) ? Number(value) : value.toString()
  if (Array.isArray(value)) return value.map(exact)
  if (!isFields(value)) return value
  return Object.fromEntries(Object.entries(value).map(([name, each]) => [name, exact(each)]))
}

/** A list, or a text that is divided by commas or, as Obsidian has it, by blanks. */
function tagsIn(value: unknown): string[] {
  const items = Array.isArray(value) ? value.map(readTextOf) : (readTextOf(value)?.split(/[,\s]+/) ?? [])
  return items.flatMap(item => item?.trim().replace(/^#/, '') || [])
}
