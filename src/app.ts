import type { KeyObject } from 'node:crypto'
import { setTimeout as pause } from 'node:timers/promises'
import { isatty } from 'node:tty'
import type { DestinationStream } from 'pino'
import { prepareGraph } from './api/graphql/index.ts'
import { createHttp } from './api/http.ts'
import { listen } from './api/listen.ts'
import type { HttpHandlers } from './api/upgrades.ts'
import { createWaiting } from './api/waiting.ts'
import type { App, Embeddings } from './context.ts'
import { createModel } from './platform/chat-model/index.ts'
import type { Config } from './platform/config.ts'
import { createEmbedder, type Embedder } from './platform/embeddings/index.ts'
import { measured } from './platform/embeddings/measured.ts'
import { createLog, type Log } from './platform/log.ts'
import { watchLoopDelay } from './platform/loop-delay.ts'
import { createMetrics } from './platform/metrics.ts'
import type { Database } from './platform/neo4j/database.ts'
import { findDatabase } from './platform/neo4j/index.ts'
import { createNotices } from './platform/notices.ts'
import { createAddressGuard } from './platform/public-address.ts'
import { createReranker } from './platform/reranker.ts'
import { createSemaphore } from './platform/semaphore.ts'
import { readVersion } from './platform/version.ts'
import { createWebhookSender } from './platform/webhook-sender.ts'
import { createSchedules } from './schedules.ts'
import { Quotas } from './service/access/quotas.ts'
import { DiscoveryRules } from './service/connections/rules.ts'
import { CypherThreads } from './service/cypher/threads.ts'
import { openEmbeddings } from './service/embeddings/embeddings.ts'
import { queueFills } from './service/embeddings/spaces.ts'
import { ChangeFeed } from './service/feed/feed.ts'
import { Glimpses } from './service/feed/glimpses.ts'
import { StreamQuota } from './service/feed/stream-quota.ts'
import { runJob, toJobFailure } from './service/jobs/handlers.ts'
import { Recalls } from './service/memories/recalls.ts'
import { KnownWords } from './service/search/known-words.ts'
import { QueryVectors } from './service/search/query-vectors.ts'
import { TenantProfiles } from './service/search/tenant-profile.ts'
import { shareChecks } from './service/system.ts'
import { warmUp } from './service/warm-up.ts'
import { serveWebhook } from './service/webhooks/turn.ts'
import { type JobLane, jobLanes } from './store/jobs/lanes.ts'
import type { Caller } from './store/neo4j/attempts.ts'
import { awaitAnswer, connectDriver } from './store/neo4j/driver.ts'
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
import { Webhooks } from './worker/webhooks.ts'
import { Worker } from './worker/worker.ts'

/** A running service. Disposing it stops it gracefully: requests end, jobs return to the queue, Neo4j is disconnected. */
export type RunningApp = AsyncDisposable & {
  readonly app: App
  /** Its address without the base path; undefined for a process that is only a worker. */
  readonly url: string | undefined
  readonly database: Pick<Database, 'provider' | 'summary'>
  readonly worker: Worker
  /** Undefined where no chat model is set. */
  readonly modelWorker: Worker | undefined
  readonly webhooks: Webhooks
}

export type AppOptions = {
  /** The operator's key, from the settings or made for development. */
  operatorKey: string
  /** Receives messages for people while the service starts. */
  report?: (line: string) => void
  /** Where the log goes; standard error by default. */
  logTo?: DestinationStream
  /** Aborts the start. */
  signal?: AbortSignal
}

const PREPARE_MS = 300_000
const STEP_MS = 10_000
const FIRST_PLANS_MS = 1_000
const KEY_LOOKUPS = { all: 8, each: 8 }

/**
 * Puts the parts together and starts them. While an external database does not answer yet, the service waits for it and
 * `/ready` says so. @throws if the settings, the database or its content do not allow the start
 */
export async function startApp(
  config: Config,
  { operatorKey, report = () => {}, logTo, signal = new AbortController().signal }: AppOptions,
): Promise<RunningApp> {
  await using starting = new AsyncDisposableStack()
  const tracing = await startTracing(config, message => log.warn({ message }, 'traces cannot be sent'))
  if (tracing) starting.use(tracing)
  const log = createLog(config.logLevel, logTo ?? (await destinationOf(config)), tracing)
  const metrics = createMetrics()
  if (config.foreign?.length)
    log.warn({ names: config.foreign }, 'these variables are no settings of Mnemograph and are ignored')
  const process = { config, version: await readVersion(), startedAt: Date.now(), log, metrics }
  starting.use(watchLoopDelay(log))
  // First, so that no database is started for nothing if the port is taken.
  const server = config.role === 'worker' ? undefined : await listen(config, createWaiting(process))
  starting.defer(() => server?.close())
  // It loads while the database starts.
  const embedder = loadEmbedder(
    createEmbedder(config.embedding, log, report).then(each => measured(each, metrics, tracing)),
    starting,
  )
  // A database that has to be started takes longer than this. A failure is reported when the schema is made.
  if (server && config.warmUp && !config.neo4j.uri) void prepareGraph().catch(() => {})
  const database = starting.use(await findDatabase(config, report, signal))
  const neo4j = starting.use(connectDriver(database, { tracing, metrics, reads: config.neo4j.reads }))
  await awaitAnswer(neo4j, signal, () => report(`Waiting for Neo4j at ${database.uri} to answer`))
  const { cursorKey, embeddings } = await prepare({ config, log, neo4j, report, signal, embedder }, starting)
  const cypher = starting.use(
    new CypherThreads(neo4j, { ...addressOf(database), readsLeader: config.neo4j.reads === 'leader' }),
  )
  const app = createApp({ ...process, neo4j, cursorKey, embeddings, cypher }, () => {
    worker.wake()
    modelWorker?.wake()
  })
  const worker = createWorker(app, log)
  const modelWorker = app.model && createWorker(app, log, jobLanes.model)
  const webhooks = createWebhooks(app, log)
  const loops = [worker, ...(modelWorker ? [modelWorker] : []), webhooks, ...createSchedules(app, log)]
  const stopLoops = () => Promise.all(loops.map(loop => loop.stop()))
  starting.defer(async () => void (await stopLoops()))
  if (config.role !== 'api') for (const loop of loops) loop.start()
  const http = server && createHttp(app, operatorKey)
  const ending = new AbortController()
  const warming = config.warmUp ? prepareFirstCalls(app, http, ending.signal) : undefined
  // The first call is a create as a rule: to plan its statements takes as long before the call as during it.
  await Promise.race([warming, pause(FIRST_PLANS_MS, undefined, { ref: false })])
  if (http) server.serve(http)
  const running = starting.move()
  const stop = async () => {
    ending.abort()
    await warming
    // The worker returns its jobs at once; running requests may take longer.
    await Promise.all([stopLoops(), app.feed.stop(), http?.close(), server?.close()])
    await app.recalls.flush(app)
    await running.disposeAsync()
  }
  return { app, url: server?.url, database, worker, modelWorker, webhooks, [Symbol.asyncDispose]: stop }
}

/** What a thread can be given of it. */
const addressOf = ({ uri, username, password, database }: Database) => ({ uri, username, password, database })

/** What the first call of each kind would otherwise wait for. */
async function prepareFirstCalls(app: App, http: HttpHandlers | undefined, signal: AbortSignal) {
  await warmUp(app, signal)
  if (!signal.aborted)
    await http?.prepare().catch(error => app.log.warn({ error: String(error) }, 'GraphQL is not ready'))
}

/** Undefined where no collector is set: then nothing of the library is loaded. */
async function startTracing({ tracing }: Config, warn: (message: string) => void) {
  if (!tracing) return undefined
  const { createTracing } = await import('./platform/tracing/otlp.ts')
  return createTracing(tracing, await readVersion(), warn)
}

/** Lines for people on a terminal; elsewhere their formatter is not even loaded. */
async function destinationOf({ production }: Config) {
  if (production || !isatty(2)) return undefined
  const { createLinesForPeople } = await import('./platform/log-for-people.ts')
  return createLinesForPeople()
}

type Preparation = Pick<App, 'config' | 'log' | 'neo4j'> &
  Required<Pick<AppOptions, 'report' | 'signal'>> & { embedder: Promise<Embedder> }

/** Disposes of the embedder at the end, also if nobody waits for it any more. */
function loadEmbedder(embedder: Promise<Embedder>, owner: AsyncDisposableStack): Promise<Embedder> {
  const loaded = embedder.catch(() => undefined)
  owner.defer(async () => (await loaded)?.[Symbol.asyncDispose]())
  return embedder
}

/** Brings the schema up to date, opens the embedding spaces, and waits until the indexes can be used. */
async function prepare(
  { config, log, neo4j, report, signal, embedder }: Preparation,
  owner: AsyncDisposableStack,
): Promise<Pick<App, 'cursorKey'> & { embeddings: Embeddings }> {
  const preparing = () => ({
    app: { neo4j },
    signal: AbortSignal.any([signal, AbortSignal.timeout(PREPARE_MS)]),
  })
  const step = () => ({ app: { neo4j }, signal: AbortSignal.timeout(STEP_MS) })
  const migrations = await readMigrations()
  const cursorKey = await prepareDatabase(preparing(), migrations)
  const fillSpaces = async () => {
    if (config.role !== 'api') await queueFills(step, embeddings)
  }
  const embeddings: Embeddings & AsyncDisposable = owner.use(
    await openEmbeddings({
      embedder: await embedder,
      caller: step,
      config: config.embedding,
      threshold: config.discovery.threshold,
      log,
      report,
      changed: () => void fillSpaces().catch(() => log.warn('the filling of spaces was not queued')),
    }),
  )
  // Opening the embeddings can take long, as it may download a model: the wait has a time limit of its own.
  await awaitIndexes(preparing(), [...definitionsOf(migrations).keys(), embeddings.active().space.index])
  if (embeddings.active().space.id !== embeddings.wanted) await fillSpaces()
  return { cursorKey, embeddings }
}

async function prepareDatabase(caller: Caller, migrations: readonly Migration[]): Promise<KeyObject> {
  await checkVersion(caller)
  await migrate(caller, migrations)
  return sharedSecret(caller, 'cursorKey')
}

type Started = Pick<
  App,
  'config' | 'version' | 'startedAt' | 'log' | 'metrics' | 'neo4j' | 'cursorKey' | 'embeddings' | 'cypher'
>

function createApp(started: Started, wake: () => void): App & { feed: ChangeFeed } {
  const { config, log, neo4j } = started
  const { tenantConcurrency: each, requestTimeoutMs: timeoutMs } = config
  const addresses = createAddressGuard(config.webhookNetworks)
  // Fewer permits than the driver has connections: the service needs some for its own work.
  const semaphore = createSemaphore({ each, all: Math.min(4 * each, 80), leaveMs: 5_000 })
  return {
    ...started,
    semaphore,
    keyLookups: createSemaphore(KEY_LOOKUPS),
    groupCommits: createGroupCommits({ neo4j, semaphore }, timeoutMs),
    memoryLocks: new Map(),
    feed: new ChangeFeed({ neo4j, log, timeoutMs }, new StreamQuota(config.feed.streams)),
    glimpses: new Glimpses(),
    tenantProfiles: new TenantProfiles(),
    discoveryRules: new DiscoveryRules(),
    reranker: createReranker(config.rerank),
    model: createModel(config.model, log),
    knownWords: new KnownWords(),
    queryVectors: new QueryVectors(),
    recalls: new Recalls(),
    quotas: new Quotas(started),
    addresses,
    webhookSender: createWebhookSender(addresses),
    notices: createNotices(),
    checkDatabase: shareChecks(),
    wake,
  }
}

function createWorker(app: App, log: Log, lane?: JobLane): Worker {
  return new Worker({
    ...(lane && { lane }),
    neo4j: app.neo4j,
    log,
    handle: (job, signal) => runJob(app, job, signal),
    classify: error => toJobFailure(error, log),
    onOutcome: (kind, outcome) => app.metrics.jobs.inc({ kind, outcome }),
  })
}

const createWebhooks = (app: App, log: Log) =>
  new Webhooks({
    neo4j: app.neo4j,
    log,
    serveWebhook: (webhook, signal) => serveWebhook(app, webhook, signal),
  })
