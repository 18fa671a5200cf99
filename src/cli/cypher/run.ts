import neo4j, { type Driver, type Neo4jError, type Record as Row } from 'neo4j-driver'
import { untilAborted } from '../../platform/until-aborted.ts'
import { inGraph, readable } from '../../store/neo4j/values.ts'
import { refuseAllButReads } from './guard.ts'

export type Query = {
  text: string
  parameters: Record<string, unknown>
  /** At most this many rows are read. */
  most: number
  timeoutMs: number
  /** Ends it at once. */
  signal: AbortSignal
}

export type QueryRows = { columns: string[]; rows: unknown[][]; more: boolean }

type Address = { uri: string; username: string; password: string; database: string }

/**
 * Runs a query that only reads, after EXPLAIN has confirmed that, in read access mode and within its time limit.
 * @throws RefusedQueryError, Neo4jError, and the reason of the signal
 */
export async function runReadOnly(address: Address, query: Query): Promise<QueryRows> {
  const driver = neo4j.driver(address.uri, neo4j.auth.basic(address.username, address.password), {
    telemetryDisabled: true,
    connectionTimeout: 3_000,
    maxTransactionRetryTime: 0,
  })
  try {
    return await untilAborted(query.signal, execute(driver, address, query))
  } finally {
    // Ends what still runs. Not awaited: a database that does not answer would hold up the caller here too.
    driver.close().catch(() => {})
  }
}

async function execute(
  driver: Driver,
  address: Address,
  { text, parameters, most, timeoutMs: timeout }: Query,
): Promise<QueryRows> {
  await using explaining = reading(driver, address)
  const { summary } = await explaining
    .run(`EXPLAIN\n${text}`, parameters, { timeout })
    .catch((error: Neo4jError) => Promise.reject(withOwnPlace(error)))
  refuseAllButReads(summary)
  await using session = reading(driver, address)
  return await readRows(session.run(text, parameters, { timeout }), most)
}

/** Names the place of a fault in the query: the text that is sent has one line before it. */
function withOwnPlace(error: Neo4jError): Neo4jError {
  error.message = error.message.replace(
    /\(line (\d+), column (\d+) \(offset: (\d+)\)\)/g,
    (_, line, column, offset) =>
      `(line ${Number(line) - 1}, column ${column} (offset: ${Number(offset) - 'EXPLAIN\n'.length}))`,
  )
  return error
}

const reading = (driver: Driver, { database }: Address) =>
  driver.session({ database, defaultAccessMode: neo4j.session.READ, fetchSize: 200 })

/** Takes no more rows from the database than are shown, and one to know that there are more. */
async function readRows(
  result: AsyncIterable<Row> & { keys(): Promise<PropertyKey[]> },
  most: number,
): Promise<QueryRows> {
  const columns = (await result.keys()).map(String)
  const rows: unknown[][] = []
  for await (const record of result) {
    if (rows.length === most) return { columns, rows, more: true }
    rows.push(columns.map(name => readable(record.get(name))))
  }
  return { columns, rows, more: false }
}

/** A parameter as typed: JSON where it is JSON, else text. Whole numbers are integers for the graph. */
export function parameterOf(text: string): unknown {
  try {
    return inGraph(JSON.parse(text, keepLong))
  } catch {
    return text
  }
}

/** The graph has whole numbers of 64 bits. */
const keepLong = (_name: string, value: unknown, context?: { source?: string }) =>
  /^-?\d{16,}$/.test(context?.source ?? '') ? neo4j.int(context?.source ?? '') : value
