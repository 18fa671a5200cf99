import { rmSync } from 'node:fs'
import { join } from 'node:path'
import neo4j, { type Driver } from 'neo4j-driver'
import { readMachine } from '../src/platform/config.ts'
import { startManaged } from '../src/platform/neo4j/managed.ts'
import { temporaryFolder } from '../tools/temporary-folder.ts'
import { type Corpus, createCorpus, DIMENSIONS } from './corpus.ts'
import { load, MODEL } from './graph.ts'
import { type Running, startEndpoint, startService } from './processes.ts'

export const KEY = 'key-of-the-bench-with-many-characters'

/** The settings of a service with a managed Neo4j that keeps its data in a folder. */
export const managedIn = (folder: string) => ({
  SERVICE_PORT: '0',
  SERVICE_NEO4J: 'managed',
  SERVICE_DATA_DIR: folder,
  SERVICE_SERVER_API_KEY: KEY,
})

/**
 * `heap` and `pageCache` of the Neo4j of a run in MiB: enough, so that no figure shows a lack of memory. `warmUp`:
 * seconds of calls of each contestant before those that are measured; Neo4j gets quicker for about a minute of them.
 */
type Extent = { memories: number; rounds: number; warmUp: number; heap: number; pageCache: number }

export const sizes = {
  thousand: { memories: 1_000, rounds: 3, warmUp: 2, heap: 1024, pageCache: 512 },
  small: { memories: 2_000, rounds: 3, warmUp: 2, heap: 1024, pageCache: 512 },
  'ten-thousand': { memories: 10_000, rounds: 9, warmUp: 2, heap: 2048, pageCache: 1024 },
  medium: { memories: 20_000, rounds: 15, warmUp: 20, heap: 2048, pageCache: 1024 },
  full: { memories: 100_000, rounds: 9, warmUp: 20, heap: 3072, pageCache: 2048 },
  million: { memories: 1_000_000, rounds: 3, warmUp: 20, heap: 4096, pageCache: 5120 },
} satisfies Record<string, Extent>

export type Size = keyof typeof sizes

/** A Neo4j, an embedding endpoint and a service, each a process of its own, with a corpus in them. */
export type World = {
  readonly size: Size
  readonly corpus: Corpus
  readonly driver: Driver
  readonly database: { readonly uri: string; readonly username: string; readonly password: string }
  /** Where the Neo4j of the run lives. */
  readonly folder: string
  readonly endpoint: string
  readonly service: Running
  /** Memories a second that the quickest way of loading stored. */
  readonly loaded: number
  readonly say: (line: string) => void
  /** Another service next to the first, with settings and flags of its own. */
  readonly another: (settings: Record<string, string>, flags?: readonly string[]) => Promise<Running>
}

/** Everything that a run needs, until it is disposed. */
export async function startWorld(size: Size, say: (line: string) => void) {
  await using starting = new AsyncDisposableStack()
  const folder = temporaryFolder()
  starting.defer(() => rmSync(folder, { recursive: true, force: true }))
  const { memories: count, ...memory } = sizes[size]
  const database = starting.use(await startManaged(folder, memory, readMachine(), say))
  const endpoint = starting.use(await startEndpoint())
  const settings = {
    NODE_ENV: 'production',
    SERVICE_PORT: '0',
    SERVICE_SERVER_API_KEY: KEY,
    SERVICE_NEO4J: 'external',
    NEO4J_URI: database.uri,
    NEO4J_USERNAME: database.username,
    NEO4J_PASSWORD: database.password,
    SERVICE_EMBEDDING_PROVIDER: 'openai',
    SERVICE_EMBEDDING_MODEL: MODEL,
    SERVICE_EMBEDDING_DIMENSIONS: String(DIMENSIONS),
    OPENAI_BASE_URL: endpoint.url,
    OPENAI_API_KEY: 'key-of-the-endpoint',
  }
  const another: World['another'] = (more, flags) =>
    startService({ ...settings, ...more }, join(folder, 'service.log'), flags)
  const service = starting.use(await another({ SERVICE_ROLE: 'api' }))
  const driver = starting.adopt(
    neo4j.driver(database.uri, neo4j.auth.basic(database.username, database.password), {
      disableLosslessIntegers: true,
      telemetryDisabled: true,
    }),
    each => each.close(),
  )
  const corpus = createCorpus('even', count, Math.max(20, Math.round(count / 100)))
  const loaded = await load(driver, corpus)
  say(`${count} memories loaded, ${Math.round(loaded)} a second`)
  const stack = starting.move()
  return {
    ...{ size, corpus, driver, database, folder, endpoint: endpoint.url, service, loaded, say, another },
    [Symbol.asyncDispose]: () => stack.disposeAsync(),
  }
}
