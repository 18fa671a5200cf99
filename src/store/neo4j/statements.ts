import neo4j, { type ManagedTransaction, type Record as Row } from 'neo4j-driver'
import { attemptTransaction, type Caller, type Try } from './attempts.ts'
import { classify } from './failures.ts'

export type Parameters = Readonly<Record<string, unknown>>

/** Runs statements inside one transaction. */
export type Transaction = {
  run<T>(text: string, parameters?: Parameters): Promise<T[]>
  /** An earlier try failed, for a reason that may have passed. */
  readonly isRepeat: boolean
  /** The commit of an earlier try was sent and not answered: it may have happened. */
  readonly uncertain: boolean
}

/** What only runs statements in a transaction of another. */
export type Running = Pick<Transaction, 'run'>

/** Whole numbers leave JavaScript as floats unless they are marked. */
export const int = (value: number) => neo4j.int(value)

export const intOrNull = (value: number | null) => (value === null ? null : int(value))

export const timeOrNull = (milliseconds: number | null) => (milliseconds === null ? null : time(milliseconds))

/** A time of the contract. */
export const timeOf = (text: string | null) => timeOrNull(text === null ? null : Date.parse(text))

/** A time, given in milliseconds, as the graph stores times: in UTC, wherever this process runs. */
export function time(milliseconds: number) {
  const date = new Date(milliseconds)
  return new neo4j.types.DateTime(
    date.getUTCFullYear(),
    date.getUTCMonth() + 1,
    date.getUTCDate(),
    date.getUTCHours(),
    date.getUTCMinutes(),
    date.getUTCSeconds(),
    date.getUTCMilliseconds() * 1_000_000,
    0,
  )
}

/** The end of the year 9999 in milliseconds, later than every time that the graph keeps. */
export const END_OF_TIME = 253_402_300_799_999

/** A query vector as 32-bit floats. */
export const vector = (values: Float32Array) => neo4j.vector(values)

/** The version of the language in which the statements of the service are written. */
const VERSION = 'CYPHER 25 '

/** One statement that only reads. @throws ServiceError `database_unavailable` */
export const read = <T>(caller: Caller, text: string, parameters: Parameters = {}): Promise<T[]> =>
  readAsIs(caller, VERSION + text, parameters)

/** The same for a text that names its version, or that every version of Neo4j understands. */
export const readAsIs = <T>(caller: Caller, text: string, parameters: Parameters = {}): Promise<T[]> =>
  attemptTransaction(caller, neo4j.session.READ, tried => statement<T>(tried, text, parameters), text)

/** The values of the one column that a reading statement returns. */
export const readValues = async <T>(caller: Caller, text: string, parameters: Parameters = {}) =>
  (await read<Record<string, T>>(caller, text, parameters)).flatMap(row => Object.values(row))

/** The value in the one column of a reading statement that returns one row, whatever there is. */
export const readValue = async <T>(caller: Caller, text: string, parameters: Parameters = {}): Promise<T> =>
  (await readValues<T>(caller, text, parameters))[0] as T

/**
 * One statement that writes, in a transaction of its own. It may run again after a lost answer, so it must be
 * idempotent by key. @throws ServiceError `database_unavailable`
 */
export const write = <T>(caller: Caller, given: string, parameters: Parameters = {}): Promise<T[]> => {
  const text = VERSION + given
  return attemptTransaction(caller, neo4j.session.WRITE, tried => statement<T>(tried, text, parameters), text)
}

/**
 * Several statements in one transaction, retried as a whole: like `write`, what it does must be idempotent by key.
 * @throws ServiceError `database_unavailable`
 */
export const transact = <T>(caller: Caller, work: (transaction: Transaction) => Promise<T>): Promise<T> => {
  let uncertain = false
  let tries = 0
  return attemptTransaction(caller, neo4j.session.WRITE, async tried => {
    const isRepeat = tries++ > 0
    // Not awaited: the first statement is sent with it.
    const transaction = tried.session.beginTransaction({ timeout: tried.timeout })
    try {
      let holdsLocks = false
      const run = async <R>(given: string, parameters: Parameters = {}) => {
        const text = VERSION + given
        // Nobody waits here who keeps others waiting.
        using first = holdsLocks ? undefined : await caller.app.neo4j.firstUses.take(text, caller.signal)
        holdsLocks = true
        const result = await untraced(() => transaction.run(text, completed(tried, text, parameters)))
        first?.planned()
        return rows<R>(result)
      }
      const result = await work({ isRepeat, uncertain, run })
      await transaction.commit().catch(error => {
        uncertain ||= classify(error) === 'lost'
        throw error
      })
      return result
    } finally {
      await transaction.close().catch(() => {})
    }
  })
}

/**
 * One statement that removes something and answers a row about it, or no row when there was nothing. Removed by an
 * earlier try whose commit went unanswered, it is answered as that try found it. `also` runs in the same transaction, with
 * the row.
 * @throws ServiceError `database_unavailable`
 */
export const remove = <T>(
  caller: Caller,
  text: string,
  parameters: Parameters,
  also: (transaction: Transaction, row: T) => Promise<unknown> = async () => {},
): Promise<T | undefined> => {
  let found: T | undefined
  return transact(caller, async transaction => {
    const { run, uncertain } = transaction
    const [row] = await run<T>(text, parameters)
    if (row) await also(transaction, row)
    found ??= row
    return row ?? (uncertain ? found : undefined)
  })
}

async function statement<T>(tried: Try, text: string, given: Parameters): Promise<T[]> {
  const { session, timeout } = tried
  const parameters = completed(tried, text, given)
  return rows<T>(await untraced(() => session.run(text, parameters, { timeout })))
}

/** A job that a statement queues belongs to the trace that is in progress. */
const completed = ({ tracing }: Try, text: string, parameters: Parameters): Parameters =>
  text.includes('$traceparent') ? { ...parameters, traceparent: tracing?.traceparent() ?? null } : parameters

/** The driver notes where each statement is run, which takes a tenth of a short one. A fault notes it in `attempt`. */
function untraced<Result>(run: () => Result): Result {
  const limit = Error.stackTraceLimit
  Error.stackTraceLimit = 0
  try {
    return run()
  } finally {
    Error.stackTraceLimit = limit
  }
}

const rows = <T>(result: Awaited<ReturnType<ManagedTransaction['run']>>): T[] =>
  result.records.map((record: Row) => record.toObject() as T)
