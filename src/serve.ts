import { once } from 'node:events'
import { type RunningApp, startApp } from './app.ts'
import type { App } from './context.ts'
import { ConfigError, readConfig } from './platform/config.ts'
import { developmentKey } from './platform/development-key.ts'
import { NoModelError } from './platform/embeddings/index.ts'
import { NoDatabaseError } from './platform/neo4j/errors.ts'
import { keepAddress } from './platform/service-address.ts'
import { whatConnects } from './service/system.ts'
import { nameOfSpace } from './store/embeddings/spaces.ts'
import { NoEntryError } from './store/neo4j/driver.ts'
import { SchemaError } from './store/neo4j/schema.ts'

/** The exit code for a problem that the operator can fix. */
const EXIT_CONFIG = 78

const say = (line: string) => process.stdout.write(`${line}\n`)

/** Serves until a signal stops the process, and returns the exit code. Reports failures on standard error. */
export async function serve(): Promise<number> {
  try {
    await untilSignal()
    return 0
  } catch (error) {
    const expected = [ConfigError, NoDatabaseError, NoModelError, NoEntryError, SchemaError].some(
      kind => error instanceof kind,
    )
    process.stderr.write(
      `${error instanceof Error ? (expected ? error.message : error.stack) : String(error)}\n`,
    )
    return expected ? EXIT_CONFIG : 1
  }
}

async function untilSignal() {
  const stop = new AbortController()
  for (const name of ['SIGINT', 'SIGTERM'] as const)
    process.on(name, () => {
      if (stop.signal.aborted) process.exit(1)
      stop.abort()
    })
  const config = readConfig()
  const development = config.serverApiKey ? undefined : await developmentKey(config.dataDir)
  const operatorKey = config.serverApiKey ?? (development?.key as string)
  await using running = await startApp(config, {
    operatorKey,
    report: say,
    signal: stop.signal,
  }).catch((error: unknown) => {
    if (!stop.signal.aborted) throw error
    return undefined
  })
  if (!running) return say('Stopped before it was started.')
  await using _address =
    running.url && development ? await keepAddress(config.dataDir, running.url) : undefined
  say(banner(running, development, config.dataDir))
  if (!stop.signal.aborted) await once(stop.signal, 'abort')
  say('Stopping.')
}

type DevelopmentKey = { key: string; made: boolean } | undefined

function banner({ app, url, database }: RunningApp, development: DevelopmentKey, dataDir: string): string {
  return [
    '',
    `  Mnemograph ${app.version}`,
    ...(url ? addresses(url) : ['  Working on the queue; no API in this process.']),
    ...titled('Neo4j', [database.summary]),
    ...titled('Embeddings', embeddings(app)),
    ...titled('Key', keyLines(development, dataDir)),
    ...(url && development?.made ? titled('Next', nextSteps(url, development.key)) : []),
    '',
  ].join('\n')
}

/** The first line next to its title, the others below it. */
const titled = (title: string, lines: readonly string[]) =>
  lines.map((line, at) => `  ${(at === 0 ? title : '').padEnd(12)}${line}`)

const addresses = (url: string) => [
  ...titled('Console', [`${url}/console`]),
  ...titled('API', [`${url}/api/v1`]),
  ...titled('GraphQL', [`${url}/graphql, for the browser ${url}/graphiql`]),
  ...titled('MCP', [`${url}/mcp`]),
  ...titled('Reference', [`${url}/docs`]),
]

function embeddings(app: App): string[] {
  const { embeddings } = app
  const { space, embedder } = embeddings.active()
  const { detail } = embedder.health()
  const building = embeddings
    .kept()
    .find(({ space: { id } }) => id === embeddings.wanted && id !== space.id)?.space
  const name = nameOfSpace(space)
  const inWords = embedder.semantic
    ? [detail, name].filter(line => line !== null)
    : [`${name} (lexical: near means shared words, not shared meaning)`]
  const progress = building && [
    `${building.provider} / ${building.model} is being filled next to it: GET /api/v1/admin/embeddings reports the progress,`,
    `POST /api/v1/admin/embeddings/${building.id}/switch searches in it`,
  ]
  return [...inWords, whatConnects(app), ...(progress ?? [])]
}

function keyLines(development: DevelopmentKey, dataDir: string): string[] {
  if (!development) return []
  return development.made
    ? [development.key, `made for development and kept in ${dataDir}; shown this once`]
    : [`the one made for development before, kept in ${dataDir}/development.key`]
}

const nextSteps = (url: string, key: string) => [
  'open the console with this key, or give an agent its memory:',
  `claude mcp add --transport http mnemograph ${url}/mcp --header "Authorization: Bearer ${key}"`,
]
