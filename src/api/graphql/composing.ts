import { normalize } from '../../contract/normalize.ts'

/** Fields whose texts the contract keeps in one form, whatever form they were typed in. A content keeps its own. */
const COMPOSED: ReadonlySet<string> = new Set(['tags', 'source', 'sessionId'])

/** Brings the texts of filters into the form of the fields that they are compared with. */
export function composed(value: unknown, isFilter = false): unknown {
  if (typeof value === 'string') return isFilter ? normalize(value, 'NFC') : value
  if (Array.isArray(value)) return value.map(each => composed(each, isFilter))
  if (typeof value !== 'object' || value === null) return value
  return Object.fromEntries(
    Object.entries(value).map(([name, each]) => [name, composed(each, isFilter || COMPOSED.has(name))]),
  )
}
