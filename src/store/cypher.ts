import { Neo4jError, type Plan, type Record as Row } from 'neo4j-driver'
import type { Context } from '../context.ts'
import { ServiceError } from '../contract/problems.ts'
import { storedConnectionFields } from './connections/fields.ts'
import { isOfVector } from './embeddings/spaces.ts'
import { memoryFields } from './memories/fields.ts'
import type { Caller } from './neo4j/attempts.ts'
import { explore, type Parameters } from './neo4j/statements.ts'
import { readable, type ShownValue } from './neo4j/values.ts'

const LONGEST_MS = 10_000
const MOST_ROWS = 10_000
const MOST_BYTES = 5_000_000

export type CypherRows = { columns: string[]; rows: Record<string, unknown>[]; truncated: boolean }

/** Some values take the database longer to send than to make: the time of a query ends here too. */
async function within<T>(ctx: Context, run: (caller: Caller) => Promise<T>): Promise<T> {
  const late = new AbortController()
  const timer = setTimeout(() => late.abort(tooLong()), LONGEST_MS + 1_000)
  const signal = AbortSignal.any([ctx.signal, late.signal])
  try {
    return await tell(run({ ...ctx, signal, transactionMs: LONGEST_MS, raceTries: 1 }))
  } finally {
    clearTimeout(timer)
  }
}

const tooLong = () =>
  new ServiceError('cypher_failed', `The query took longer than ${LONGEST_MS / 1000} seconds.`)

/** An operator of a plan with those that feed it. */
export type QueryPlan = { operator: string; details: string; children: QueryPlan[] }

/** How the database would run a query; undefined for one that does more than read. @throws ServiceError `cypher_failed` */
export const explainCypher = (
  ctx: Context,
  text: string,
  parameters: Parameters,
): Promise<QueryPlan | undefined> =>
  within(ctx, caller =>
    explore(caller, `EXPLAIN CYPHER 25 ${text}`, parameters, async result => {
      const { queryType, plan } = await result.summary()
      return queryType === 'r' && plan ? planOf(plan) : undefined
    }),
  )

const planOf = ({ operatorType, arguments: given, children }: Plan): QueryPlan => ({
  operator: operatorType.split('@')[0] ?? '',
  details: String(given?.Details ?? ''),
  children: children.map(planOf),
})

/** Runs a query that only reads, and takes as much of what it returns as an answer holds. @throws ServiceError `cypher_failed` */
export const runCypher = (ctx: Context, text: string, parameters: Parameters): Promise<CypherRows> =>
  within(ctx, caller =>
    explore(caller, `CYPHER 25 ${text}`, parameters, async result => {
      const columns = (await result.keys()).map(String)
      const rows: Record<string, unknown>[] = []
      let bytes = 0
      for await (const record of result) {
        const row = rowOf(columns, record)
        bytes += Buffer.byteLength(JSON.stringify(row))
        if (rows.length === MOST_ROWS || bytes > MOST_BYTES) return { columns, rows, truncated: true }
        rows.push(row)
      }
      return { columns, rows, truncated: false }
    }),
  )

/** A query that the database refuses, or that takes too much, is the caller's. */
function tell<T>(work: Promise<T>): Promise<T> {
  return work.catch(error => {
    const cause = error instanceof ServiceError ? error.cause : error
    const reason = cause instanceof Neo4jError ? reasonOf(cause) : undefined
    throw reason === undefined ? error : new ServiceError('cypher_failed', reason)
  })
}

const LONGEST_REASON = 300

function reasonOf({ code, message }: Neo4jError): string | undefined {
  if (code.includes('TransactionTimedOut')) return tooLong().message
  if (code.includes('MemoryPool')) return 'The query needs more memory than a query may have.'
  if (message.includes('shortest path algorithm does not work'))
    return 'A shortest path begins and ends at two different memories: match both before it, WHERE a <> b.'
  // The memory of the database, or a fault of it, for what this query does.
  if (code.startsWith('Neo.DatabaseError.')) return 'The database cannot run this query.'
  if (!code.startsWith('Neo.ClientError.Statement.')) return undefined
  return message.split('\n')[0]?.replace(PLACE, '').slice(0, LONGEST_REASON)
}

/** It is that in the text with what binds it to the tenant, not in the query. */
const PLACE = / ?\(line \d+, column \d+ \(offset: \d+\)\)/

const rowOf = (columns: readonly string[], record: Row) =>
  Object.fromEntries(columns.map(name => [name, readable(record.get(name), shown)]))

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
