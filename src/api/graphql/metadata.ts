import { z } from 'zod'
import { metadata } from '../../contract/values.ts'
import { check } from '../../service/index.ts'
import { metadataWords } from '../../service/memories/filters.ts'
import { noFilter } from './guard.ts'

/** The filter that is served, and the property that the library filters by: a word for each entry. */
const SERVED = 'metadata'
const KEPT = 'metadataKeys'

/** The filter of `MemoryWhere` that the library does not have. */
export const metadataFilter = `"""
Only memories whose metadata have the same value for each of these keys.
"""
${SERVED}: JSON`

/** Replaces the filters of metadata in a value by those that the library knows. */
export function filterMetadata(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(filterMetadata)
  if (typeof value !== 'object' || value === null) return value
  const { [SERVED]: asked, ...others } = value as Record<string, unknown>
  const rest = Object.fromEntries(Object.entries(others).map(([name, each]) => [name, filterMetadata(each)]))
  if (!(SERVED in value)) return rest
  const words = wordsOf(asked).map(word => ({ [KEPT]: { includes: word } }))
  return { ...rest, AND: [...[rest.AND ?? []].flat(), ...words] }
}

const filter = z.strictObject({ metadata })

/** @throws ServiceError if it is no filter: one that is ignored would show everything */
function wordsOf(asked: unknown): string[] {
  if (asked === null || asked === undefined) throw noFilter(SERVED)
  return metadataWords(check(filter, { [SERVED]: asked })[SERVED])
}
