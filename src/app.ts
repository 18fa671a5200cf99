// Node.js 22 has no AsyncDisposableStack yet.
import 'disposablestack/auto'
import type { KeyObject } from 'node:crypto'
import { createServer, type RequestListener, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { boundConnections } from './api/connection-quota.ts'
import { createHttp } from './api/http.ts'
import { answerUnparsed, refuseTunnel } from './api/unparsed.ts'
import type { HttpHandlers } from './api/upgrades.ts'
import { createWaiting } from './api/waiting.ts'
import type { App, Embeddings } from './context.ts'
import { type Config, ConfigError } from './platform/config.ts'
import { createLog, type Log } from './platform/log.ts'
import type { Database } from './platform/neo4j/database.ts'
import { findDatabase } from './platform/neo4j/index.ts'
import { createSemaphore } from './platform/semaphore.ts'
import { readVersion } from './platform/version.ts'
import { openEmbeddings } from './service/embeddings/embeddings.ts'
import { queueFills } from './service/embeddings/spaces.ts'
import { ChangeFeed } from './service/feed/feed.ts'
import { StreamQuota } from './service/feed/stream-quota.ts'
import { judgeSetback, runJob } from './service/jobs/handlers.ts'
import { QueryVectors } from './service/search/query-vectors.ts'
import { TenantProfiles } from './service/search/tenant-profile.ts'
import { shareChecks } from './service/system.ts'
import { awaitAnswer, connect } from './store/neo4j/driver.ts'
import { createGroupCommits } from './store/neo4j/group-commit.ts'
import {
  awaitIndexes,
  checkVersion,
  definitionsOf,
  type Migration,
  migrate,
  readMigrations,
  sharedSecret,
} from './store/neo4j/schema.ts'
import type { Caller, Neo4j } from './store/neo4j/statements.ts'
import { Schedule } from './worker/schedule.ts'
import { Worker } from './worker/worker.ts'

/** A service that is running. Disposing stops it in good order: requests end, work is given back, Neo4j is left. */
export type RunningApp = AsyncDisposable & {
  readonly app: App
  /** Where it answers, without the base path; undefined for a process that only works. */
  readonly url: string | undefined
  readonly database: Pick<Database, 'rung' | 'summary'>
  readonly worker: Worker
}

export type AppOptions = {
  /** The operator's key, from the settings or made for development. */
  operatorKey: string
  /** Takes lines for people while the service starts. */
  report?: (line: string) => void
  /** Ends the start. */
  signal?: AbortSignal
}

const PREPARE_MS = 300_000
const STEP_MS = 10_000
/** Longer than the pauses of callers and proxies: a connection that ends while a request is sent on it is an error to them. */
const KEEP_ALIVE_MS = 75_000
const IDLE_SWEEP_MS = 50
/** Node looks this often for requests that do not arrive in time. */
const TIMEOUT_CHECK_MS = 1_000
const KEY_LOOKUPS = { all: 8, each: 8 }

/**
 * Puts the parts together and starts them. While a database elsewhere does not answer yet the service waits for it,
 * and says so at `/ready`. @throws when the settings, the database or its content do not allow it
 */
export async function startApp(
  config: Config,
  { operatorKey, report = () => {}, signal = new AbortController().signal }: AppOptions,
): Promise<RunningApp> {
  await using starting = new AsyncDisposableStack()
  const log = createLog(config.logLevel)
  const process = { config, version: await readVersion(), startedAt: Date.now(), log }
  // First: a port that is taken is told before a database is started for nothing.
  const door = config.role === 'worker' ? undefined : await listen(config, createWaiting(process), starting)
  const database = starting.use(await findDatabase(config, report, signal))
  const neo4j = starting.use(connect(database))
  await awaitAnswer(neo4j, signal, () => report(`Waiting for Neo4j at ${database.uri} to answer`))
  const preparing = () => ({
    app: { neo4j },
    signal: AbortSignal.any([signal, AbortSignal.timeout(PREPARE_MS)]),
  })
  const step = () => ({ app: { neo4j }, signal: AbortSignal.timeout(STEP_MS) })
  const migrations = await readMigrations()
  const cursorKey = await prepareDatabase(preparing(), migrations)
  const works = config.role !== 'api'
  const fillSpaces = async () => void (works && (await queueFills(step, embeddings)))
  const embeddings: Embeddings & AsyncDisposable = starting.use(
    await openEmbeddings({
      caller: step,
      config: config.embedding,
      log,
      report,
      changed: () => void fillSpaces().catch(() => log.warn('the filling of spaces was not queued')),
    }),
  )
  // A model that was fetched meanwhile may have taken longer than all of that.
  await awaitIndexes(preparing(), [...definitionsOf(migrations).keys(), embeddings.active().space.index])
  const feed = createFeed(config, neo4j, log)
  const semaphore = createSemaphore(semaphoreLimits(config))
  const app: App = {
    ...process,
    neo4j,
    semaphore,
    keyLookups: createSemaphore(KEY_LOOKUPS),
    groupCommits: createGroupCommits(neo4j),
    memoryLocks: new Map(),
    embeddings,
    feed,
    cursorKey,
    wake: () => worker.wake(),
    tenantProfiles: new TenantProfiles(),
    queryVectors: new QueryVectors(),
    checkDatabase: shareChecks(),
  }
  const worker = createWorker(app, log)
  starting.defer(() => worker.stop())
  const schedule = createSchedule(app, log)
  starting.defer(() => schedule?.stop())
  if (works) {
    if (embeddings.active().space.id !== embeddings.wanted) await fillSpaces()
    worker.start()
    schedule?.start()
  }
  const doors = door && createHttp(app, operatorKey)
  if (doors) door.serve(doors)
  const running = starting.move()
  const stop = async () => {
    // Work is given back at once; the requests that are under way may take longer.
    await Promise.all([worker.stop(), feed.stop(), doors?.close(), door?.close()])
    await running.disposeAsync()
  }
  return { app, url: door?.url, database, worker, [Symbol.asyncDispose]: stop }
}

async function prepareDatabase(caller: Caller, migrations: readonly Migration[]): Promise<KeyObject> {
  await checkVersion(caller)
  await migrate(caller, migrations)
  return sharedSecret(caller, 'cursorKey')
}

/** All together leave the pool of the driver some connections, for what the service does by itself. */
const semaphoreLimits = ({ tenantConcurrency: each }: Config) => ({
  each,
  all: Math.min(4 * each, 80),
  leaveMs: 5_000,
})

const createFeed = ({ requestTimeoutMs: timeoutMs, feed }: Config, neo4j: Neo4j, log: Log) =>
  new ChangeFeed({ neo4j, log, timeoutMs }, new StreamQuota(feed.streams))

function createWorker(app: App, log: Log): Worker {
  return new Worker({
    neo4j: app.neo4j,
    log,
    handle: (job, signal) => runJob(app, job, signal),
    judge: error => judgeSetback(error, log),
  })
}

function createSchedule(app: App, log: Log): Schedule | undefined {
  const { intervalSeconds } = app.config.maintenance
  if (intervalSeconds === 0) return undefined
  return new Schedule({ neo4j: app.neo4j, log, intervalSeconds, wake: app.wake })
}

/** Why there is no listening there, as the operator can mend it. */
function noPlace(error: NodeJS.ErrnoException, host: string, port: number): Error {
  const place = `${host}:${port}`
  if (error.code === 'EADDRINUSE')
    return new ConfigError([`SERVICE_PORT: ${place} is taken; stop what listens there, or set another port`])
  return new ConfigError([`SERVICE_HOST, SERVICE_PORT: there is no listening at ${place} (${error.message})`])
}

type Door = {
  readonly url: string
  /** Answers from now on with this. */
  serve(doors: Pick<HttpHandlers, 'listener' | 'upgrade'>): void
  /** Takes no new connection, and waits until what is under way is finished. */
  close(): Promise<void>
}

/** Listens until it is closed or disposed. */
async function listen(
  { host, port }: Config,
  first: RequestListener,
  owner: AsyncDisposableStack,
): Promise<Door> {
  let listener = first
  const server: Server = createServer(
    {
      requestTimeout: 30_000,
      headersTimeout: 10_000,
      connectionsCheckingInterval: TIMEOUT_CHECK_MS,
      keepAliveTimeout: KEEP_ALIVE_MS,
      // Node would refuse it without a problem document.
      requireHostHeader: false,
      // Whoever offers another protocol, as HTTP/2 clients do, is answered in this one.
      shouldUpgradeCallback: ({ headers }) =>
        server.listenerCount('upgrade') > 0 && headers.upgrade?.toLowerCase() === 'websocket',
    },
    (req, res) => answer(req, res),
  )
  boundConnections(server)
  const answer: RequestListener = (req, res) => {
    // A connection that is kept would bring the next request to a door that is closing.
    if (!server.listening) res.setHeader('Connection', 'close')
    listener(req, res)
  }
  // An expectation that is not known need not be met (RFC 9110, 10.1.1).
  server.on('checkExpectation', answer).on('connect', refuseTunnel).on('clientError', answerUnparsed)
  const { promise, resolve, reject } = Promise.withResolvers<void>()
  server.once('error', error => reject(noPlace(error, host, port))).listen(port, host, resolve)
  await promise
  const address = server.address() as AddressInfo
  const close = () =>
    new Promise<void>(closed => {
      // A connection whose request is under way is idle only when that is answered.
      const sweep = setInterval(() => server.closeIdleConnections(), IDLE_SWEEP_MS)
      server.close(() => {
        clearInterval(sweep)
        closed()
      })
      setTimeout(() => server.closeAllConnections(), 10_000).unref()
    })
  owner.defer(close)
  return {
    url: `http://${address.family === 'IPv6' ? `[${address.address}]` : address.address}:${address.port}`,
    serve(doors) {
      listener = doors.listener
      server.on('upgrade', doors.upgrade)
    },
    close,
  }
}
