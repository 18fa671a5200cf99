import { setTimeout as sleep } from 'node:timers/promises'
import neo4j, { type Driver, Neo4jError } from 'neo4j-driver'
import { ServiceError } from '../../contract/problems.ts'
import type { Metrics } from '../../platform/metrics.ts'
import type { Tracing } from '../../platform/tracing/tracing.ts'
import type { Mode, Neo4j } from './attempts.ts'
import { createFirstUses } from './first-use.ts'
import { readAsIs } from './statements.ts'

/** The database does not let the service in: user or password are wrong, or there is none of that name. */
export class NoEntryError extends Error {
  override readonly name = 'NoEntryError'
}

type Address = { uri: string; username: string; password: string; database: string }

type Options = {
  tracing?: Tracing | undefined
  metrics?: Metrics | undefined
  /** Of a cluster: `followers` spreads reads over its members, `leader` sends them where the writes go. */
  reads?: 'followers' | 'leader'
}

const RENEW_MS = 5_000
/** Longer than any transaction: what goes on over the old connections ends there. */
const LINGER_MS = 60_000

export function connectDriver(
  address: Address,
  { tracing, metrics, reads = 'followers' }: Options = {},
): Neo4j {
  let driver = driverOf(address)
  let since = performance.now()
  const old = new Set<Driver>()
  // A member of a cluster can be behind the one that was written to.
  const manager = address.uri.startsWith('neo4j') ? neo4j.bookmarkManager() : undefined
  const open = (mode: Mode, bookmarks: readonly string[]) =>
    driver.session({
      database: address.database,
      defaultAccessMode: reads === 'leader' ? neo4j.session.WRITE : mode,
      ...(manager && { bookmarkManager: manager, bookmarks: [...bookmarks] }),
    })
  const database: Neo4j = {
    get driver() {
      return driver
    },
    database: address.database,
    tracing,
    metrics,
    firstUses: createFirstUses(),
    session: mode => open(mode, []),
    bookmarks: manager && (async () => [...(await manager.getBookmarks())]),
    behind: bookmarks => ({ ...database, session: mode => open(mode, bookmarks) }),
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
  return database
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
 * @throws NoEntryError when the user is not let in, or there is no such database.
 */
export async function awaitAnswer(database: Neo4j, signal: AbortSignal, onWait: () => void): Promise<void> {
  for (let waited = false; ; waited = true) {
    signal.throwIfAborted()
    try {
      const limited = AbortSignal.any([signal, AbortSignal.timeout(5_000)])
      return void (await readAsIs({ app: { neo4j: database }, signal: limited }, 'RETURN 1'))
    } catch (error) {
      refuseNoEntry(error, database.database)
      if (!waited) onWait()
    }
    await sleep(WAIT_MS, undefined, { signal })
  }
}

function refuseNoEntry(error: unknown, database: string) {
  const cause = error instanceof ServiceError ? error.cause : error
  if (cause instanceof Neo4jError && cause.code.startsWith('Neo.ClientError.Database.'))
    throw new NoEntryError(`Neo4j has no database ${database}: correct NEO4J_DATABASE (${cause.message})`)
  if (cause instanceof Neo4jError && cause.code.startsWith('Neo.ClientError.Security.'))
    throw new NoEntryError(`Neo4j refuses NEO4J_USERNAME and NEO4J_PASSWORD: ${cause.message}`)
  if (!(error instanceof ServiceError)) throw error
}
