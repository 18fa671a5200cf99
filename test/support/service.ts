import { randomUUID } from 'node:crypto'
import neo4j, { type Driver, type Plan } from 'neo4j-driver'
import { inject } from 'vitest'
import { startApp } from '../../src/app.ts'
import { type Client, createClient, ProblemError } from '../../src/client.ts'
import type { Input } from '../../src/contract/index.ts'
import type { ProblemCode } from '../../src/contract/problem-codes.ts'
import { readConfig } from '../../src/platform/config.ts'
import { queueFill } from '../../src/store/embeddings/vectors.ts'
import { startEmbeddingEndpoint } from '../../tools/embedding-endpoint.ts'
import { fixture, fixturePerTest } from './fixture.ts'
import type { TestDatabase } from './lender.ts'
import { keepOutput, logOfTests } from './output.ts'
import { keepStatements } from './statement-count.ts'

export const OPERATOR_KEY = 'operator-key-of-the-tests'

/** All test files share one database, and so one embedding space. */
export const DIMENSIONS = 64

type Options = {
  /** Settings in addition to those that the tests need. */
  settings?: Record<string, string>
  operatorKey?: string
  vector?: (text: string, dimensions: number) => number[]
  /** Lengths of the vectors of other models. */
  lengths?: Record<string, number>
  /** Another database than the one of the run, for what concerns all tenants. */
  database?: TestDatabase
}

/** What makes a service use an embedding endpoint of the tests, in the space of the run's database. */
export const endpointSettings = (url: string) => ({
  SERVICE_EMBEDDING_PROVIDER: 'openai',
  SERVICE_WARM_UP: 'off',
  SERVICE_EMBEDDING_MODEL: 'embedding-of-the-tests',
  SERVICE_EMBEDDING_DIMENSIONS: String(DIMENSIONS),
  OPENAI_BASE_URL: url,
  OPENAI_API_KEY: 'key-of-the-embedding-endpoint',
})

/**
 * A true service on a free port, on the database of the run, with its own embedding endpoint and a tenant of its own.
 * It runs no worker: `drain()` does the queued work.
 */
export async function startService({
  settings = {},
  operatorKey = OPERATOR_KEY,
  vector,
  lengths = {},
  database = inject('neo4j'),
}: Options = {}) {
  await using starting = new AsyncDisposableStack()
  const embeddings = starting.use(
    await startEmbeddingEndpoint({ dimensions: DIMENSIONS, lengths, ...(vector ? { vector } : {}) }),
  )
  const config = readConfig({
    NODE_ENV: 'test',
    SERVICE_PORT: '0',
    SERVICE_ROLE: 'api',
    SERVICE_LOG_LEVEL: 'debug',
    SERVICE_SERVER_API_KEY: operatorKey,
    SERVICE_NEO4J: 'external',
    NEO4J_URI: database.uri,
    NEO4J_USERNAME: database.username,
    NEO4J_PASSWORD: database.password,
    // A busy machine is no reason to answer without a result, or to store without a vector.
    SERVICE_REQUEST_TIMEOUT_MS: '60000',
    SERVICE_EMBEDDING_WRITE_WAIT_MS: '10000',
    // Texts of tests have too little in common to stand out.
    SERVICE_AUTO_DISCOVERY_THRESHOLD: '0.7',
    ...endpointSettings(embeddings.url),
    ...settings,
  })
  const running = starting.use(await startApp(config, { operatorKey, logTo: logOfTests() }))
  keepStatements(running.app)
  // The first start measures the model.
  embeddings.requests.length = 0
  const driver = starting.adopt(connect(database), async each => each.close())
  const url = running.url as string
  const baseUrl = `${url}/api/v1`
  const tenant = freshTenant()
  const clientOf = (other: string, key = operatorKey): Client =>
    createClient({ baseUrl, apiKey: key, tenant: other || undefined })
  const stack = starting.move()

  return {
    ...running,
    url,
    baseUrl,
    tenant,
    embeddings,
    /** The operator, in this file's tenant, in another, or in a new one. */
    client: clientOf(tenant),
    clientOf,
    newTenant() {
      const fresh = freshTenant()
      return { tenant: fresh, client: clientOf(fresh) }
    },
    /** Does all queued work of a tenant that can be done now. */
    async drain(of = tenant) {
      while ((await running.worker.runBatchOf(of)) > 0);
    },
    /** Does all work that asks the chat model and can be done now. */
    async drainModel(of = tenant) {
      while (((await running.modelWorker?.runBatchOf(of)) ?? 0) > 0);
    },
    /** Queues the filling of every embedding space for one tenant; others that share the database are left alone. */
    async queueFills(of = tenant) {
      const caller = { app: running.app, signal: AbortSignal.timeout(60_000) }
      for (const { space } of running.app.embeddings.kept()) await queueFill(caller, of, space)
    },
    /** Plain Cypher, past the service. Without the tenant no index finds a memory by its id. */
    cypher: <T>(text: string, parameters: Record<string, unknown> = {}): Promise<T[]> =>
      query<T>(driver, text, { tenant, ...parameters }),
    /** The operators of the plan of a statement, which is not run. */
    async plan(text: string, parameters: Record<string, unknown>): Promise<string[]> {
      const { summary } = await driver.executeQuery(
        text.replace(/^\s*(CYPHER 25)?/, '$1 EXPLAIN '),
        parameters,
      )
      return summary.plan ? operatorsOf(summary.plan) : []
    },
    /** A request as any HTTP client makes it. */
    request: (path: string, init: RequestInit & { headers?: Record<string, string> } = {}) =>
      fetch(baseUrl + path, {
        ...init,
        headers: { authorization: `Bearer ${operatorKey}`, 'x-tenant-id': tenant, ...init.headers },
      }),
    [Symbol.asyncDispose]: () => stack.disposeAsync(),
  }
}

export type TestService = Awaited<ReturnType<typeof startService>>

/**
 * The service of a test file or of a `describe` block: started before its tests, disposed after them. Options that are
 * known only then come from a function.
 */
export const withService = (options: Options | (() => Options | Promise<Options>) = {}): TestService =>
  fixture(async () => startService(typeof options === 'function' ? await options() : options))

/** A service of its own for each test. */
export const withServicePerTest = (options: Options = {}): TestService =>
  fixturePerTest(() => startService(options))

export const freshTenant = () => `t-${randomUUID()}`

/** A memory to create, with what a test does not care about filled in. */
export const someMemory = (fields: Partial<Input<'createMemory'>> = {}): Input<'createMemory'> => ({
  content: 'The cat sleeps on the warm windowsill',
  policy: 'short_term',
  ttl_seconds: 0,
  ...fields,
})

/** The problem with which a call fails. @throws when it does not fail */
export async function problemOf(
  call: Promise<unknown>,
): Promise<{ status: number; code: ProblemCode; pointers: string[]; detail: string }> {
  const error = await call.then(
    () => new Error('The call succeeded'),
    (thrown: unknown) => thrown,
  )
  keepOutput(String(error))
  if (!(error instanceof ProblemError) || !error.problem) throw error
  const { code, errors = [], detail } = error.problem
  return { status: error.status, code, pointers: errors.map(({ pointer }) => pointer), detail }
}

const connect = ({ uri, username, password }: { uri: string; username: string; password: string }): Driver =>
  neo4j.driver(uri, neo4j.auth.basic(username, password), { disableLosslessIntegers: true })

const operatorsOf = ({ operatorType, arguments: args, children }: Plan): string[] => [
  `${operatorType} ${String(args.Details ?? '')}`,
  ...children.flatMap(operatorsOf),
]

async function query<T>(driver: Driver, text: string, parameters: Record<string, unknown>): Promise<T[]> {
  const { records } = await driver.executeQuery(text, parameters)
  return records.map(record => record.toObject() as T)
}
