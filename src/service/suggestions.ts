import { closest, distance } from 'fastest-levenshtein'
import type { z } from 'zod'
import { fieldName, sentence } from '../contract/faults.ts'
import { type Field, fieldOf, fieldsOf } from '../contract/fields.ts'
import { shortenText } from '../contract/problems.ts'

/** Longer names resemble no field. */
const LONGEST_NAME = 40

/** The message for a field that the object at `path` does not have. It suggests the nearest name that is known. */
export function unknownField(schema: z.ZodType, path: readonly PropertyKey[], key: string): string {
  const remedy = otherPlace(fieldOf(schema), path, key) ?? spelling(fieldOf(schema), path, key)
  return sentence([...path, shortenText(key)], `is not a field of this request. ${remedy}`)
}

function spelling(field: Field, path: readonly PropertyKey[], key: string): string {
  const nearest = nearestName(key, namesAt(field, path))
  return nearest === undefined ? 'Check the spelling' : `Did you mean \`${fieldName([...path, nearest])}\`?`
}

/** Filters are fields of lists and searches themselves, and in \`filters\` where something is done to memories. */
function otherPlace(field: Field, path: readonly PropertyKey[], key: string): string | undefined {
  if (path.length > 0) return undefined
  if (key === FILTERS && namesAt(field, []).includes('tags_match'))
    return 'Send the filters as fields of the request itself'
  return namesAt(field, [FILTERS]).includes(key) ? `Send it in \`${FILTERS}\`` : undefined
}

const FILTERS = 'filters'

/** The message for a field that is null, where the request can clear it. */
export function unset(schema: z.ZodType, { code, path, input }: z.core.$ZodIssue): string | undefined {
  const [name] = path
  if (code !== 'invalid_type' || input !== null || path.length !== 1) return undefined
  return fieldsOf(schema).clear?.items?.values?.includes(String(name))
    ? sentence(path, 'must not be null. To clear it, name it in `clear`')
    : undefined
}

/** The known name that a misspelt one most likely means, if there is one. */
export function nearestName(name: string, known: readonly string[]): string | undefined {
  if (known.length === 0 || name.length > LONGEST_NAME) return undefined
  const nearest = closest(name, known)
  return distance(name, nearest) <= Math.max(name.length < 4 ? 1 : 2, name.length * 0.4) ? nearest : undefined
}

/** The names of the fields at a path. */
function namesAt({ items, fields }: Field, path: readonly PropertyKey[]): string[] {
  const [part, ...rest] = path
  if (part === undefined) return Object.keys(fields ?? {})
  const next = items ?? fields?.[String(part)]
  return next ? namesAt(next, rest) : []
}
