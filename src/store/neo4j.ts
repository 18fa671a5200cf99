import { setTimeout as sleep } from 'node:timers/promises'
import neo4j, {
  type Driver,
  type ManagedTransaction,
  Neo4jError,
  type Record as Row,
  type Session,
} from 'neo4j-driver'
import { ServiceError } from '../contract/problems.ts'

export type Neo4j = AsyncDisposable & {
  readonly driver: Driver
  readonly database: string
  /** Connects anew, because of an answer that did not come: connections may have died without a word. */
  renew(): void
}

export type Parameters = Readonly<Record<string, unknown>>

/** What a call into the graph needs of its context. */
export type Caller = {
  readonly app: { readonly neo4j: Neo4j }
  readonly signal: AbortSignal
  /** Longest time that the database works on one transaction before it ends it. Default: 30 s. */
  readonly transactionMs?: number
}

/** Runs statements inside one transaction. */
export type Transaction = {
  run<T>(text: string, parameters?: Parameters): Promise<T[]>
  /** The commit of an earlier try was sent and not answered: it may have happened. */
  readonly uncertain: boolean
}

/** The database does not let the service in: user or password are wrong. */
export class NoEntryError extends Error {
  override readonly name = 'NoEntryError'
}

type Address = { uri: string; username: string; password: string; database: string }

const RENEW_MS = 5_000
/** Longer than any transaction: what goes on over the old connections ends there. */
const LINGER_MS = 60_000

export function connect(address: Address): Neo4j {
  let driver = driverOf(address)
  let since = performance.now()
  const old = new Set<Driver>()
  return {
    get driver() {
      return driver
    },
    database: address.database,
    renew() {
      if (performance.now() - since < RENEW_MS) return
      const last = driver
      old.add(last)
      setTimeout(() => old.delete(last) && void last.close().catch(() => {}), LINGER_MS).unref()
      driver = driverOf(address)
      since = performance.now()
    },
    async [Symbol.asyncDispose]() {
      await Promise.all([driver, ...old].map(each => each.close()))
    },
  }
}

const driverOf = ({ uri, username, password }: Address) =>
  neo4j.driver(uri, neo4j.auth.basic(username, password), {
    disableLosslessIntegers: true,
    telemetryDisabled: true,
    // Nobody reads what the database remarks on a statement.
    notificationFilter: { minimumSeverityLevel: 'OFF' },
    maxConnectionPoolSize: 100,
    connectionTimeout: 3_000,
    connectionAcquisitionTimeout: 5_000,
    connectionLivenessCheckTimeout: 10_000,
  })

const WAIT_MS = 500

/**
 * Waits until the database answers, for as long as the signal allows. `onWait` hears once that it did not at first.
 * @throws NoEntryError when the user is not let in.
 */
export async function awaitAnswer(database: Neo4j, signal: AbortSignal, onWait: () => void): Promise<void> {
  for (let waited = false; ; waited = true) {
    signal.throwIfAborted()
    try {
      const limited = AbortSignal.any([signal, AbortSignal.timeout(5_000)])
      return void (await read({ app: { neo4j: database }, signal: limited }, 'RETURN 1'))
    } catch (error) {
      refuseNoEntry(error)
      if (!waited) onWait()
    }
    await sleep(WAIT_MS, undefined, { signal })
  }
}

function refuseNoEntry(error: unknown) {
  const cause = error instanceof Error ? error.cause : undefined
  if (cause instanceof Neo4jError && cause.code.startsWith('Neo.ClientError.Security.'))
    throw new NoEntryError(`Neo4j refuses NEO4J_USERNAME and NEO4J_PASSWORD: ${cause.message}`)
  if (!(error instanceof ServiceError)) throw error
}

/** Whole numbers leave JavaScript as floats unless they are marked. */
export const int = (value: number) => neo4j.int(value)

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

/** A query vector as 32-bit floats. */
export const vector = (values: Float32Array) => neo4j.vector(values)

/** One statement that only reads. @throws ServiceError `database_unavailable` */
export const read = <T>(caller: Caller, text: string, parameters: Parameters = {}): Promise<T[]> =>
  attempt(caller, neo4j.session.READ, ({ session, timeout }) =>
    statement<T>(session, text, parameters, timeout),
  )

/**
 * One statement that writes, in a transaction of its own. It may run again after a lost answer, so it must be
 * idempotent by key. @throws ServiceError `database_unavailable`
 */
export const write = <T>(caller: Caller, text: string, parameters: Parameters = {}): Promise<T[]> =>
  attempt(caller, neo4j.session.WRITE, ({ session, timeout }) =>
    statement<T>(session, text, parameters, timeout),
  )

/**
 * Several statements in one transaction, retried as a whole: like `write`, what it does must be idempotent by key.
 * @throws ServiceError `database_unavailable`
 */
export const transact = <T>(caller: Caller, work: (transaction: Transaction) => Promise<T>): Promise<T> => {
  let uncertain = false
  return attempt(caller, neo4j.session.WRITE, async ({ session, timeout }) => {
    const transaction = await session.beginTransaction({ timeout })
    try {
      const run = async <R>(text: string, parameters: Parameters = {}) =>
        rows<R>(await untraced(() => transaction.run(text, parameters)))
      const result = await work({ uncertain, run })
      const committed = transaction.commit()
      await committed.catch(error => {
        uncertain ||= judge(error) === 'lost'
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
 * earlier try whose commit went unanswered, it is answered as that try found it.
 * @throws ServiceError `database_unavailable`
 */
export const remove = <T>(caller: Caller, text: string, parameters: Parameters): Promise<T | undefined> => {
  let found: T | undefined
  return transact(caller, async ({ run, uncertain }) => {
    const [row] = await run<T>(text, parameters)
    found ??= row
    return row ?? (uncertain ? found : undefined)
  })
}

const MOST_CLEARED = 5_000

/**
 * Runs a statement that removes at most `$most` nodes and answers how many it `cleared`, until there are no more.
 * @throws ServiceError `database_unavailable`
 */
export async function clear(caller: Caller, text: string, parameters: Parameters): Promise<void> {
  for (let cleared = MOST_CLEARED; cleared === MOST_CLEARED; ) {
    const [row] = await write<{ cleared: number }>(caller, text, { ...parameters, most: int(MOST_CLEARED) })
    cleared = row?.cleared ?? 0
  }
}

const statement = async <T>(session: Session, text: string, parameters: Parameters, timeout: number) =>
  rows<T>(await untraced(() => session.run(text, parameters, { timeout })))

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

/** A deadlock passes in milliseconds; a database that was lost so often is down. */
const MAXIMUM_TRIES = { contended: 12, lost: 6 } as const
const TRANSACTION_MS = 30_000

type Mode = typeof neo4j.session.READ | typeof neo4j.session.WRITE
type Try = { readonly session: Session; readonly timeout: number }

/** Repeats what fails for a passing reason, within the time of the caller's signal and in a new session each time. */
async function attempt<T>(
  { app, signal, transactionMs = TRANSACTION_MS }: Caller,
  mode: Mode,
  work: (tried: Try) => Promise<T>,
): Promise<T> {
  for (let tries = 1; ; tries++) {
    if (signal.aborted) throw unavailable(signal.reason)
    const session = app.neo4j.driver.session({ database: app.neo4j.database, defaultAccessMode: mode })
    try {
      return await beforeAbort(signal, work({ session, timeout: transactionMs }))
    } catch (error) {
      if (error instanceof ServiceError) throw error
      const verdict = judge(error)
      if (verdict === 'fault') throw traced(error)
      if (isTimeout(error)) app.neo4j.renew()
      if (verdict === 'unavailable' || tries >= MAXIMUM_TRIES[verdict]) throw unavailable(error)
      await pause(verdict, tries, signal)
    } finally {
      // Ends what still runs. Not awaited: a database that does not answer would hold up the caller here too.
      session.close().catch(() => {})
    }
  }
}

function traced(error: unknown): unknown {
  if (error instanceof Neo4jError) Error.captureStackTrace(error)
  return error
}

type Verdict = 'contended' | 'lost' | 'unavailable' | 'fault'

/** Which failures pass by themselves, following the classes that Neo4j and its driver name. */
export function judge(error: unknown): Verdict {
  if (error instanceof DOMException) return 'unavailable'
  if (!(error instanceof Neo4jError)) return 'fault'
  const { code, message } = error
  if (message.includes('acquisition timed out')) return 'unavailable'
  if (contended.has(code)) return 'contended'
  if (code === neo4j.error.SERVICE_UNAVAILABLE || code === neo4j.error.SESSION_EXPIRED) return 'lost'
  if (
    /MemoryPool|LockAcquisitionTimeout|TransactionTimedOut|TransactionStartFailed|TransactionCommitFailed|DatabaseUnavailable|Terminated|Security\./.test(
      code,
    )
  )
    return 'unavailable'
  return code.startsWith('Neo.TransientError.') ? 'contended' : 'fault'
}

const contended = new Set([
  'Neo.TransientError.Transaction.DeadlockDetected',
  'Neo.ClientError.Schema.ConstraintValidationFailed',
  'Neo.ClientError.Statement.EntityNotFound',
  // Two services that start at once: IF NOT EXISTS looks before the other has committed.
  'Neo.ClientError.Schema.EquivalentSchemaRuleAlreadyExists',
])

/** Whether what failed would fail the same with fewer rows: the database is not there, or the time was over. */
export function failedForAll(error: unknown): boolean {
  if (!(error instanceof ServiceError)) return false
  return error.cause instanceof DOMException || judge(error.cause) === 'lost'
}

export const unavailable = (cause: unknown) =>
  new ServiceError(
    'database_unavailable',
    'The database did not answer in time. The request may be repeated.',
    {
      cause,
      retryAfterSeconds: 2,
    },
  )

/** Full jitter, from a few milliseconds for a deadlock and from some tens for a lost connection. */
function pause(verdict: Verdict, tries: number, signal: AbortSignal) {
  const base = verdict === 'lost' ? 50 : 5
  const longest = Math.min(base * 2 ** tries, verdict === 'lost' ? 800 : 100)
  return sleep(base + Math.random() * longest, undefined, { signal }).catch(error => {
    throw unavailable(error)
  })
}

const isTimeout = (error: unknown) => error instanceof DOMException && error.name === 'TimeoutError'

/** The driver has no read timeout of its own: a stalled database would hold a caller for minutes. */
async function beforeAbort<T>(signal: AbortSignal, work: Promise<T>): Promise<T> {
  work.catch(() => {})
  const { promise, reject } = Promise.withResolvers<never>()
  const abort = () => reject(signal.reason)
  signal.addEventListener('abort', abort, { once: true })
  try {
    return await Promise.race([work, promise])
  } finally {
    signal.removeEventListener('abort', abort)
  }
}

const rows = <T>(result: Awaited<ReturnType<ManagedTransaction['run']>>): T[] =>
  result.records.map((record: Row) => record.toObject() as T)
