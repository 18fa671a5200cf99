import { type ImportSource, lose } from '../reading/found.ts'
import { digest } from '../reading/values.ts'
import { escapeKey } from './metadata-keys.ts'

type Plain = string | number | boolean

const MOST_ENTRIES = 32
const LONGEST_VALUE = 500

/**
 * Metadata that a memory can have: keys that do not fit are escaped, lists and objects become JSON. A longer text is lost
 * rather than cut.
 */
export function metadataOf(
  found: ImportSource,
  given: Readonly<Record<string, unknown>>,
): Record<string, Plain> {
  const groups = Object.entries(given).flatMap(([name, value]) => {
    const kept = plainOf(value)
    if (kept === undefined) return []
    const key = name.toWellFormed()
    const entries = entriesFor(key, kept)
    if (entries.every(([, each]) => fits(String(each)))) return [entries]
    lose(found, `metadata “${key.slice(0, 80)}”, which is longer than ${LONGEST_VALUE} characters`)
    return []
  })
  const kept: (readonly [string, Plain])[] = []
  for (const group of groups)
    if (kept.length + group.length <= MOST_ENTRIES) kept.push(...group)
    else lose(found, `metadata beyond the ${MOST_ENTRIES}th entry`)
  return Object.fromEntries(kept)
}

/** An entry, and where its key is too long to be escaped one more for the key. */
function entriesFor(key: string, value: Plain): (readonly [string, Plain])[] {
  const escaped = escapeKey(key)
  if (escaped !== undefined) return [[escaped, value]]
  const short = `h-${digest(key, 32)}`
  return [
    [short, value],
    [`${short}.name`, key],
  ]
}

const fits = (text: string) => Array.from(text).length <= LONGEST_VALUE

function plainOf(value: unknown): Plain | undefined {
  if (typeof value === 'boolean' || Number.isFinite(value)) return value as Plain
  if (value === null || value === undefined || value === '') return undefined
  return clean(typeof value === 'object' ? JSON.stringify(value) : String(value))
}

/** Text that the graph returns unchanged. */
export const clean = (text: string): string => text.toWellFormed().replaceAll('\0', '')
