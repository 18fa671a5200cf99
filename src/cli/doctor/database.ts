import { Neo4jError } from 'neo4j-driver'
import type { Config } from '../../platform/config.ts'
import { NoDatabaseError } from '../../platform/neo4j/errors.ts'
import { addressOfRunning, hasEnded } from '../../platform/neo4j/running.ts'
import type { Caller, Neo4j } from '../../store/neo4j/attempts.ts'
import { connectDriver } from '../../store/neo4j/driver.ts'
import { checkVersion, SchemaError } from '../../store/neo4j/schema.ts'
import { read } from '../../store/neo4j/statements.ts'
import { type Finding, findingsOf } from './finding.ts'

const { ok, failure } = findingsOf('neo4j')

const LONGEST_MS = 10_000

/** How the database is spoken to: each statement has its own time. */
export type ExaminedDatabase = { neo4j: Neo4j; uri: string; caller: () => Caller }

/** Whether Neo4j answers, lets us in and is new enough; and the way to it, which is the caller's to dispose, if so. */
export async function examineDatabase(
  config: Config,
  signal: AbortSignal,
): Promise<{ database: ExaminedDatabase | undefined; findings: Finding[] }> {
  try {
    return await open(config, signal)
  } catch (error) {
    const known = error instanceof NoDatabaseError
    return closed((error as Error).message, known ? startRemedy : 'Fix what it names, or set NEO4J_URI.')
  }
}

const startRemedy = 'Run mnemograph start: it finds or starts a Neo4j, or reports why it cannot.'

async function open(config: Config, signal: AbortSignal) {
  const address = addressOfRunning(config)
  const { uri, provider } = address
  if (hasEnded(address, config.dataDir))
    return closed(
      `The Neo4j of this data folder (${uri}) does not run`,
      `It runs with the service: mnemograph start`,
    )
  const neo4j = connectDriver(address)
  const database: ExaminedDatabase = {
    neo4j,
    uri,
    caller: () => ({ app: { neo4j }, signal: AbortSignal.any([signal, AbortSignal.timeout(LONGEST_MS)]) }),
  }
  try {
    await read(database.caller(), 'RETURN 1')
    const version = await checkVersion(database.caller())
    return { database, findings: [ok(`${version} answers at ${uri} (${provider})`)] }
  } catch (error) {
    await neo4j[Symbol.asyncDispose]()
    return closed(...refusal(error, uri, provider))
  }
}

const closed = (message: string, remedy: string) => ({
  database: undefined,
  findings: [failure(message, remedy)],
})

/** What is wrong with the way to the database, and how to fix it. */
function refusal(error: unknown, uri: string, provider: keyof typeof unreachable): [string, string] {
  if (error instanceof SchemaError)
    return [error.message, 'Upgrade Neo4j, or set NEO4J_URI to one that is new enough.']
  const cause = error instanceof Neo4jError ? error : (error as Error).cause
  const { code = '', message = '' } = cause instanceof Neo4jError ? cause : {}
  if (code.startsWith('Neo.ClientError.Security.'))
    return [
      `${uri} refuses the user or the password: ${message}`,
      provider === 'external'
        ? 'Fix NEO4J_USERNAME and NEO4J_PASSWORD. After some wrong tries Neo4j refuses the right ones for a moment too.'
        : 'Another Neo4j may listen there, or the state file in the data folder is of other data.',
    ]
  if (code.startsWith('Neo.ClientError.Database.'))
    return [`${uri} does not have the database: ${message}`, 'Fix NEO4J_DATABASE.']
  if (code.startsWith('Neo.'))
    return [
      `${uri} cannot answer now: ${message}`,
      'Look into its log and at its disk; it may need a restart.',
    ]
  const reason = /Caused by: (.*)/.exec(message)?.[1] ?? 'the connection is taken and not answered'
  return [`Nothing that speaks Bolt answers at ${uri}: ${reason}`, unreachable[provider]]
}

const unreachable = {
  external:
    'Is that Neo4j running? Are scheme, host and port of NEO4J_URI right (bolt:// or neo4j://, with +s for TLS; the default is 7687), and open from this machine?',
  docker: 'Look at the container: docker ps --all, docker logs. mnemograph start starts it again.',
  managed: 'Look at neo4j/neo4j.log in the data folder; mnemograph start starts it again.',
}
