import { setTimeout as sleep } from 'node:timers/promises'
import { LRUCache } from 'lru-cache'
import neo4j, { type Driver, Neo4jError, type Session } from 'neo4j-driver'
import { ServiceError } from '../../contract/problems.ts'
import type { Metrics } from '../../platform/metrics.ts'
import type { Permit, Semaphore } from '../../platform/semaphore.ts'
import type { Tracing } from '../../platform/tracing/tracing.ts'
import { untilAborted } from '../../platform/until-aborted.ts'
import { isClosed, tenantClosed } from './closed.ts'
import { classify, type FailureClass, isRace, isTimeout, toDatabaseUnavailable } from './failures.ts'
import type { FirstUse, FirstUses } from './first-use.ts'

export type Neo4j = AsyncDisposable & {
  readonly driver: Driver
  readonly database: string
  /** A session that sees at least what this process has written and read before. */
  session(mode: Mode): Session
  /** Those of what this process has seen; undefined where the database is one server, which needs none. */
  readonly bookmarks?: (() => Promise<readonly string[]>) | undefined
  /** The same database, whose sessions see at least what these bookmarks stand for. */
  behind(bookmarks: readonly string[]): Neo4j
  readonly firstUses: FirstUses
  /** Connects again after an answer that did not come: connections may have died silently. */
  renew(): void
  readonly tracing?: Tracing | undefined
  /** Where every transaction is measured, also those of background work. */
  readonly metrics?: Metrics | undefined
}

/** What a call into the graph needs of its context. */
export type Caller = {
  readonly app: { readonly neo4j: Neo4j; readonly semaphore?: Semaphore }
  readonly signal: AbortSignal
  /** Whose share of the database this takes; absent for what the service does on its own, which has bounds of its own. */
  readonly share?: string | undefined
  /** Longest time that the database works on one transaction before it ends it. Default: 30 s. */
  readonly transactionMs?: number
  /** How often at most it tries what fails for what another transaction has made or removed in the meantime. */
  readonly raceTries?: number
}

/** A deadlock passes in milliseconds; a database that was lost so often is down. */
const MAXIMUM_TRIES = { contended: 12, lost: 6 } as const
export const TRANSACTION_MS = 30_000
/** A statement that was not answered for so long may have gone over a dead connection. */
const SILENT_MS = 1_000

export type Mode = typeof neo4j.session.READ | typeof neo4j.session.WRITE
export type Try = {
  readonly session: Session
  readonly timeout: number
  readonly tracing: Tracing | undefined
}

type Work<T> = (tried: Try) => Promise<T>

/** Measures what `tryAgain` does, and makes it a part of the trace in progress. A statement holds no value of a caller. */
export function attemptTransaction<T>(
  caller: Caller,
  mode: Mode,
  work: Work<T>,
  statement?: string,
): Promise<T> {
  const { tracing } = caller.app.neo4j
  if (!tracing) return measure(caller, mode, work, statement)
  const name = mode === neo4j.session.READ ? 'neo4j read' : 'neo4j write'
  const attributes = {
    'db.system.name': 'neo4j',
    ...(statement && { 'db.query.text': shortTexts.memo(statement) }),
  }
  return tracing.part({ name, kind: 'client', attributes }, () => measure(caller, mode, work, statement))
}

const LONGEST_TEXT = 300
/** The start of each statement, of which there are few: a collector gets it with every span. */
const shortTexts = new LRUCache<string, string>({
  max: 1_000,
  memoMethod: statement => statement.replaceAll(/\s+/g, ' ').slice(0, LONGEST_TEXT),
})

async function measure<T>(
  caller: Caller,
  mode: Mode,
  work: Work<T>,
  statement: string | undefined,
): Promise<T> {
  const end = caller.app.neo4j.metrics?.statements.startTimer({
    mode: mode === neo4j.session.READ ? 'read' : 'write',
  })
  try {
    const result = await tryAgain(caller, mode, work, statement)
    end?.({ outcome: 'ok' })
    return result
  } catch (error) {
    end?.({ outcome: error instanceof ServiceError ? error.code : 'fault' })
    throw error
  }
}

/** Repeats what fails for a passing reason, within the time of the caller's signal and in a new session each time. */
async function tryAgain<T>(
  caller: Caller,
  mode: Mode,
  work: Work<T>,
  statement: string | undefined,
): Promise<T> {
  const { app, signal, transactionMs = TRANSACTION_MS } = caller
  for (let tries = 1; ; tries++) {
    // Before the permit: who waits for a plan leaves its permit to others.
    using first = await takeFirstUse(caller, statement)
    using _permit = await acquirePermit(caller)
    using _running = noted(app.neo4j, 'running')
    const began = performance.now()
    const session = app.neo4j.session(mode)
    try {
      // The driver has no read timeout of its own: a stalled database would hold a caller for minutes.
      const result = await untilAborted(
        signal,
        work({ session, timeout: transactionMs, tracing: app.neo4j.tracing }),
      )
      first?.planned()
      return result
    } catch (error) {
      if (error instanceof ServiceError) throw error
      const failure = classify(error)
      if (failure === 'fault') throw traced(error)
      if (isTimeout(error) && performance.now() - began > SILENT_MS) app.neo4j.renew()
      if (failure === 'unavailable' || tries >= mostTries(caller, failure, error))
        throw toDatabaseUnavailable(error)
      await pause(failure, tries, signal)
    } finally {
      // Ends what still runs. Not awaited: a database that does not answer would hold up the caller here too.
      session.close().catch(() => {})
    }
  }
}

const mostTries = ({ raceTries }: Caller, failure: keyof typeof MAXIMUM_TRIES, error: unknown) =>
  (isRace(error) ? raceTries : undefined) ?? MAXIMUM_TRIES[failure]

/** @throws ServiceError `database_unavailable` when the time is over before another caller's use of it has ended */
const takeFirstUse = async ({ app, signal }: Caller, statement?: string): Promise<FirstUse | undefined> =>
  statement === undefined
    ? undefined
    : app.neo4j.firstUses.take(statement, signal).catch(reason => {
        throw toDatabaseUnavailable(reason)
      })

/** @throws ServiceError `database_unavailable` when the time is over before the caller gets a permit */
async function acquirePermit({
  app: { neo4j, semaphore },
  share,
  signal,
}: Caller): Promise<Permit | undefined> {
  if (signal.aborted) throw toDatabaseUnavailable(signal.reason)
  if (share === undefined) return undefined
  using _waiting = noted(neo4j, 'waiting')
  return await semaphore?.take(share, signal).catch(reason => {
    throw toDatabaseUnavailable(reason, 'The requests before it took all the time.')
  })
}

/** Counts a transaction that runs, or waits until it may, until it is disposed. */
function noted({ metrics }: Neo4j, state: 'running' | 'waiting'): Disposable {
  metrics?.transactions.inc({ state })
  return { [Symbol.dispose]: () => metrics?.transactions.dec({ state }) }
}

function traced(error: unknown): unknown {
  if (isClosed(error)) return tenantClosed(error)
  if (error instanceof Neo4jError) Error.captureStackTrace(error)
  return error
}

/** Full jitter, from a few milliseconds for a deadlock and from some tens for a lost connection. */
function pause(failure: FailureClass, tries: number, signal: AbortSignal) {
  const base = failure === 'lost' ? 50 : 5
  const longest = Math.min(base * 2 ** tries, failure === 'lost' ? 800 : 100)
  return sleep(base + Math.random() * longest, undefined, { signal }).catch(() => {
    throw toDatabaseUnavailable(signal.reason)
  })
}
