import type { Result, Record as Row } from 'neo4j-driver'
import { storedConnectionFields } from '../connections/fields.ts'
import { isOfVector } from '../embeddings/spaces.ts'
import { memoryFields } from '../memories/fields.ts'
import { readable, type ShownValue } from '../neo4j/values.ts'
import type { JsonRows } from './answer.ts'
import { rowReceived } from './received.ts'

const MOST_ROWS = 10_000
const MOST_BYTES = 5_000_000

/** Reads as many rows as an answer holds. Their values come in the order of the columns. */
export async function rowsAsJson(result: Result, names: readonly string[]): Promise<JsonRows> {
  const columns = [...names]
  const rows: string[] = []
  let bytes = 0
  for await (const record of result) {
    rowReceived()
    const row = JSON.stringify(rowOf(columns, record))
    bytes += Buffer.byteLength(row)
    if (rows.length === MOST_ROWS || bytes > MOST_BYTES)
      return { columns, rows: listOf(rows), truncated: true }
    rows.push(row)
  }
  return { columns, rows: listOf(rows), truncated: false }
}

const listOf = (rows: readonly string[]) => `[${rows.join(',')}]`

const rowOf = (columns: readonly string[], record: Row) =>
  Object.fromEntries(columns.map((name, at) => [name, readable(record.get(at), shown)]))

/** The properties that are documented as stable: of a memory and a recall, and of a connection. */
const stable: Readonly<Record<'node' | 'relationship', ReadonlySet<string>>> = {
  node: new Set([
    ...Object.values(memoryFields).map(({ property }) => property),
    ...['rank', 'degree'],
    ...['memoryId', 'at'],
  ]),
  relationship: new Set(Object.values(storedConnectionFields).map(({ property }) => property)),
}

const shown: ShownValue = {
  property: (name, of) => stable[of].has(name) || name.startsWith('x_'),
  entry: name => !isOfVector(name),
  // JSON has no NaN and no infinity.
  number: value => (Number.isFinite(value) ? value : String(value)),
}
