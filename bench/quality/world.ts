import { rmSync } from 'node:fs'
import neo4j, { type Driver } from 'neo4j-driver'
import { startApp } from '../../src/app.ts'
import { type Client, createClient, ProblemError } from '../../src/client.ts'
import { readConfig, readMachine } from '../../src/platform/config.ts'
import { startManaged } from '../../src/platform/neo4j/managed.ts'
import { queryWords } from '../../src/platform/text/words.ts'
import { MAXIMUM_TERMS } from '../../src/service/search/words.ts'
import { scopeToken } from '../../src/store/neo4j/tokens.ts'
import { startEmbeddingEndpoint } from '../../tools/embedding-endpoint.ts'
import { temporaryFolder } from '../../tools/temporary-folder.ts'
import type { EvaluationSet } from './sets.ts'

const KEY = 'key-of-the-quality-bench'
const MEMORY = { heap: 768, pageCache: 256 }
const BATCH = 50

/** The index of the service, with its own words, and one of the bench with Neo4j's default. */
type TextIndex = 'memory_text' | 'quality_plain'

/** An evaluation set in a tenant of its own. */
export type Tenant = {
  readonly client: Client
  /** The ids of the memories, in the order of the set. */
  readonly ids: readonly string[]
  /** The best memories by all words of a query, as the index alone ranks them. */
  everyWord(index: TextIndex, query: string, count: number): Promise<string[]>
}

/** Vectors that are served over HTTP. */
export type Vectors = {
  readonly model: string
  readonly dimensions: number
  readonly vector: (text: string) => number[] | Promise<number[]>
}

/** A provider of the service that needs no endpoint. */
export type Provider = 'builtin' | 'hash'

export type World = { load(set: EvaluationSet): Promise<Tenant> } & AsyncDisposable

/** A service on a Neo4j of its own, with the given vectors or those of a provider of the service. */
export async function startWorld(vectors: Vectors | Provider, say: (line: string) => void): Promise<World> {
  await using starting = new AsyncDisposableStack()
  const folder = temporaryFolder()
  starting.defer(() => rmSync(folder, { recursive: true, force: true }))
  const { uri, username, password } = starting.use(await startManaged(folder, MEMORY, readMachine(), say))
  const driver = starting.adopt(
    neo4j.driver(uri, neo4j.auth.basic(username, password), { telemetryDisabled: true }),
    each => each.close(),
  )
  const settings =
    typeof vectors === 'string'
      ? { SERVICE_EMBEDDING_PROVIDER: vectors }
      : endpointSettings(vectors, starting.use(await startEmbeddingEndpoint(vectors)).url)
  const config = readConfig({
    NODE_ENV: 'test',
    SERVICE_PORT: '0',
    SERVICE_ROLE: 'api',
    SERVICE_LOG_LEVEL: 'fatal',
    SERVICE_SERVER_API_KEY: KEY,
    SERVICE_NEO4J: 'external',
    SERVICE_EMBEDDING_WRITE_WAIT_MS: '60000',
    SERVICE_REQUEST_TIMEOUT_MS: '60000',
    NEO4J_URI: uri,
    NEO4J_USERNAME: username,
    NEO4J_PASSWORD: password,
    ...settings,
  })
  const { url } = starting.use(await startApp(config, { operatorKey: KEY }))
  await driver.executeQuery(
    `CREATE FULLTEXT INDEX quality_plain IF NOT EXISTS FOR (m:Memory) ON EACH [m.content, m.scope]
    OPTIONS {indexConfig: {\`fulltext.analyzer\`: 'standard-no-stop-words'}}`,
  )
  const stack = starting.move()
  return {
    load: set => load(set, `${url}/api/v1`, driver),
    [Symbol.asyncDispose]: () => stack.disposeAsync(),
  }
}

const endpointSettings = ({ model, dimensions }: Vectors, url: string) => ({
  SERVICE_EMBEDDING_PROVIDER: 'openai',
  SERVICE_EMBEDDING_MODEL: model,
  SERVICE_EMBEDDING_DIMENSIONS: String(dimensions),
  SERVICE_EMBEDDING_TIMEOUT_MS: '60000',
  OPENAI_BASE_URL: url,
  OPENAI_API_KEY: 'key-of-the-endpoint',
})

async function load({ name, memories }: EvaluationSet, baseUrl: string, driver: Driver): Promise<Tenant> {
  const tenant = `quality-${name}`
  const client = createClient({ baseUrl, apiKey: KEY, tenant })
  const ids: string[] = []
  for (let at = 0; at < memories.length; at += BATCH)
    ids.push(...(await store(client, memories.slice(at, at + BATCH), `${name}-${at}`)))
  const ready = await client.searchMemories({
    query: 'ready',
    search_type: 'semantic',
    limit: 1,
    min_relevance: 0,
  })
  if (ready.results.length === 0) throw new Error(`The memories of ${name} have no vectors`)
  return { client, ids, everyWord: (...asked) => everyWord(driver, tenant, ...asked) }
}

async function store(client: Client, contents: readonly string[], idempotencyKey: string): Promise<string[]> {
  const memories = contents.map(content => ({ content, policy: 'long_term', ttl_seconds: 0 }))
  const headers = { 'idempotency-key': idempotencyKey }
  const created = await patiently(() => client.createMemories({ memories }, { headers }))
  return created.memories.map(({ id }) => id)
}

/** A machine under load may need several tries. */
export async function patiently<Answer>(call: () => Promise<Answer>): Promise<Answer> {
  for (let tries = 5; ; tries--) {
    try {
      return await call()
    } catch (error) {
      if (tries === 0 || !(error instanceof ProblemError) || error.status !== 503) throw error
    }
  }
}

async function everyWord(
  driver: Driver,
  tenant: string,
  index: TextIndex,
  query: string,
  count: number,
): Promise<string[]> {
  const words = queryWords(query).slice(0, MAXIMUM_TERMS)
  const [field, tokens] =
    index === 'memory_text'
      ? ['words', words.flatMap(({ exact, forms }) => [...new Set([...forms, exact])])]
      : ['content', words.map(({ exact }) => exact)]
  const terms = tokens.map(token => `"${token}"`)
  if (terms.length === 0) return []
  const { records } = await driver.executeQuery(
    `CYPHER 25
    CALL db.index.fulltext.queryNodes($index, $lucene, {limit: $count}) YIELD node, score
    WHERE node.tenant = $tenant
    RETURN node.id AS id ORDER BY score DESC, id`,
    {
      lucene: `+scope:${scopeToken(tenant, 'active')}^0 +${field}:(${terms.join(' ')})`,
      count: neo4j.int(count),
      index,
      tenant,
    },
  )
  return records.map(record => record.get('id') as string)
}
