import neo4j, { type Driver, type Plan, type Result } from 'neo4j-driver'
import type { Parameters } from '../neo4j/statements.ts'
import type { JsonRows, QueryPlan } from './answer.ts'
import { rowsAsJson } from './rows.ts'

export const LONGEST_MS = 10_000
const FETCHED_ROWS = 100

/** Where Neo4j answers, and what a query must see there. */
export type Reader = {
  readonly driver: Driver
  readonly database: string
  readonly bookmarks: readonly string[]
  /** Of a cluster: sends reads where the writes go. */
  readonly readsLeader: boolean
  /** Names its transactions, so that they can be found from another connection. */
  readonly id: string
}

/** How the database would run a query; undefined for one that does more than read. @throws Neo4jError */
export const explainQuery = (reader: Reader, text: string, parameters: Parameters) =>
  inSession(reader, `EXPLAIN CYPHER 25 ${text}`, parameters, async result => {
    const { queryType, plan } = await result.summary()
    return queryType === 'r' && plan ? planOf(plan) : undefined
  })

/** Runs a query that only reads, and takes as much of what it returns as an answer holds, under these names. @throws Neo4jError */
export const runQuery = (
  reader: Reader,
  text: string,
  parameters: Parameters,
  columns: readonly string[],
): Promise<JsonRows> =>
  inSession(reader, `CYPHER 25 ${text}`, parameters, result => rowsAsJson(result, columns))

const planOf = ({ operatorType, arguments: given, children }: Plan): QueryPlan => ({
  operator: operatorType.split('@')[0] ?? '',
  details: String(given?.Details ?? ''),
  children: children.map(planOf),
})

async function inSession<T>(
  { driver, database, bookmarks, readsLeader, id }: Reader,
  text: string,
  parameters: Parameters,
  take: (result: Result) => Promise<T>,
): Promise<T> {
  const session = driver.session({
    database,
    defaultAccessMode: readsLeader ? neo4j.session.WRITE : neo4j.session.READ,
    bookmarks: [...bookmarks],
    fetchSize: FETCHED_ROWS,
  })
  try {
    return await take(session.run(text, parameters, { timeout: LONGEST_MS, metadata: { [MARK]: id } }))
  } finally {
    await session.close()
  }
}

/** The entry of a transaction's metadata that has the id of its query. */
export const MARK = 'mnemograph_query'
