import { Neo4jError } from 'neo4j-driver'
import type { Config } from '../../platform/config.ts'
import { NoDatabaseError } from '../../platform/neo4j/errors.ts'
import { addressOfRunning, hasEnded } from '../../platform/neo4j/running.ts'
import type { Caller, Neo4j } from '../../store/neo4j/attempts.ts'
import { connectDriver } from '../../store/neo4j/driver.ts'
import { readClock } from '../../store/neo4j/inspection.ts'
import { checkVersion, SchemaError } from '../../store/neo4j/schema.ts'
import { readAsIs } from '../../store/neo4j/statements.ts'
import type { Report } from './finding.ts'

const LONGEST_MS = 10_000

/** How the database is spoken to: each statement has its own time. */
export type ExaminedDatabase = { neo4j: Neo4j; uri: string; caller: () => Caller }

/** Whether Neo4j answers, lets us in and is new enough; and the way to it, which is the caller's to dispose, if so. */
export async function examineDatabase(
  config: Config,
  signal: AbortSignal,
  report: Report,
): Promise<ExaminedDatabase | undefined> {
  try {
    return await open(config, signal, report)
  } catch (error) {
    const remedy =
      error instanceof NoDatabaseError
        ? 'Run mnemograph start: it finds or starts a Neo4j, or reports why it cannot.'
        : 'Fix what it names, or set NEO4J_URI.'
    report.failure((error as Error).message, remedy)
    return undefined
  }
}

async function open(config: Config, signal: AbortSignal, { ok, failure }: Report) {
  const address = addressOfRunning(config)
  const { uri, provider } = address
  if (hasEnded(address, config.dataDir)) {
    failure(
      `The Neo4j of this data folder (${uri}) does not run`,
      'It runs with the service: mnemograph start',
    )
    return undefined
  }
  const neo4j = connectDriver(address)
  const caller = () => ({
    app: { neo4j },
    signal: AbortSignal.any([signal, AbortSignal.timeout(LONGEST_MS)]),
  })
  try {
    await readAsIs(caller(), 'RETURN 1')
    ok(`${await checkVersion(caller())} answers at ${uri} (${provider})`)
    return { neo4j, uri, caller }
  } catch (error) {
    await neo4j[Symbol.asyncDispose]()
    failure(...refusal(error, uri, provider))
    return undefined
  }
}

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

const NOTICED_MS = 2_000
const WRONG_MS = 60_000

/** The clock of the database against that of this machine, at the middle of the way there and back. */
export async function examineClock({ caller }: ExaminedDatabase, { warning, failure }: Report) {
  // The first statement on a connection pays for what the second finds ready.
  await readClock(caller())
  const began = Date.now()
  const theirs = await readClock(caller())
  const ended = Date.now()
  const off = theirs - (began + ended) / 2
  const certain = Math.max(0, Math.abs(off) - (ended - began) / 2)
  const report = certain > WRONG_MS ? failure : warning
  if (certain > NOTICED_MS)
    report(
      `the database is ${(Math.abs(off) / 1000).toFixed(1)} s ${off < 0 ? 'behind' : 'ahead of'} this machine`,
      'Keep both in step (NTP). Leases and time limits go by the database, the expiry of keys by the service.',
    )
  return `the database is within ${NOTICED_MS / 1000} s of this machine`
}
