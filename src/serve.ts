import { once } from 'node:events'
import { type RunningApp, startApp } from './app.ts'
import { ConfigError, readConfig } from './platform/config.ts'
import { developmentKey } from './platform/development-key.ts'
import { NoModelError } from './platform/embeddings/index.ts'
import { NoDatabaseError } from './platform/neo4j/errors.ts'
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
  say(banner(running, development, config.dataDir))
  if (!stop.signal.aborted) await once(stop.signal, 'abort')
  say('Stopping.')
}

function banner(
  { app, url, database }: RunningApp,
  development: { key: string; made: boolean } | undefined,
  dataDir: string,
): string {
  const { space, embedder, discoveryThreshold } = app.embeddings.active()
  const { detail } = embedder.health()
  const building = app.embeddings
    .kept()
    .find(({ space: { id } }) => id === app.embeddings.wanted && id !== space.id)?.space
  const lexical = embedder.semantic ? '' : ' (lexical: near means shared words, not shared meaning)'
  return [
    '',
    `  Mnemograph ${app.version}`,
    ...(url
      ? [`  API         ${url}/api/v1`, `  GraphQL     ${url}/graphql`, `  Reference   ${url}/docs`]
      : ['  Working on the queue; no API in this process.']),
    `  Neo4j       ${database.summary}`,
    `  Embeddings  ${nameOfSpace(space)}${lexical}`,
    ...(detail && embedder.semantic ? [`              ${detail}`] : []),
    `              connects memories at a cosine of ${discoveryThreshold} or more`,
    ...(building
      ? [
          `              ${building.provider} / ${building.model} is being filled next to it: GET /api/v1/admin/embeddings reports the progress,`,
          `              POST /api/v1/admin/embeddings/${building.id}/switch searches in it`,
        ]
      : []),
    ...(development?.made
      ? [
          `  Key         ${development.key}`,
          `              made for development and kept in ${dataDir}; shown this once`,
        ]
      : []),
    ...(development && !development.made
      ? [`  Key         the one made for development before, kept in ${dataDir}/development.key`]
      : []),
    '',
  ].join('\n')
}
