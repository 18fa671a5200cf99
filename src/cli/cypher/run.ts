import neo4j, { type Driver, type Record as Row } from 'neo4j-driver'
import { refuseAllButReads } from './guard.ts'
import { readable } from './values.ts'

export type Query = {
  text: string
  parameters: Record<string, unknown>
  /** At most this many rows are read. */
  most: number
  timeoutMs: number
}

export type Found = { columns: string[]; rows: unknown[][]; more: boolean }

type Address = { uri: string; username: string; password: string; database: string }

/**
 * Runs a query that only reads, after EXPLAIN has told that it does, in read access mode and within its time.
 * @throws RefusedQueryError, Neo4jError
 */
export async function runReadOnly(address: Address, query: Query): Promise<Found> {
  await using driver = neo4j.driver(address.uri, neo4j.auth.basic(address.username, address.password), {
    telemetryDisabled: true,
    connectionTimeout: 3_000,
    maxTransactionRetryTime: 0,
  })
  await using explaining = reading(driver, address)
  const { summary } = await explaining.run(`EXPLAIN ${query.text}`, query.parameters, {
    timeout: query.timeoutMs,
  })
  refuseAllButReads(summary)
  await using session = reading(driver, address)
  return await readRows(session.run(query.text, query.parameters, { timeout: query.timeoutMs }), query.most)
}

const reading = (driver: Driver, { database }: Address) =>
  driver.session({ database, defaultAccessMode: neo4j.session.READ, fetchSize: 200 })

/** Takes no more rows from the database than are shown, and one to know that there are more. */
async function readRows(
  result: AsyncIterable<Row> & { keys(): Promise<PropertyKey[]> },
  most: number,
): Promise<Found> {
  const columns = (await result.keys()).map(String)
  const rows: unknown[][] = []
  for await (const record of result) {
    if (rows.length === most) return { columns, rows, more: true }
    rows.push(columns.map(name => readable(record.get(name))))
  }
  return { columns, rows, more: false }
}
