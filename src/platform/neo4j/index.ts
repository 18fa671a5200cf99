import { type Config, type Machine, readMachine } from '../config.ts'
import type { Database } from './database.ts'
import { dockerAnswers, startInDocker } from './docker.ts'
import { FolderInUseError, NoDatabaseError, noneFound } from './errors.ts'
import { startManaged } from './managed.ts'

const memory = { heap: 768, pageCache: 256 }

/**
 * Finds a Neo4j: the one at NEO4J_URI, else one in Docker, else one that the service runs itself. Says through
 * `report` which, and why not the ones before. An external one is not asked whether it answers; the others are
 * returned when they do.
 * @throws NoDatabaseError with the remedies, FolderInUseError when another service has the data folder.
 */
export async function findDatabase(
  config: Config,
  report: (line: string) => void,
  signal?: AbortSignal,
  machine: Machine = readMachine(),
): Promise<Database> {
  const faults: string[] = []
  const candidates = config.neo4j.provider
    ? [config.neo4j.provider]
    : (['external', 'docker', 'managed'] as const)
  for (const provider of candidates) {
    try {
      const database = await providers[provider](config, report, signal, machine)
      report(`Neo4j: ${database.summary}${faults.map(fault => `; not ${fault}`).join('')}`)
      return database
    } catch (error) {
      signal?.throwIfAborted()
      if (error instanceof FolderInUseError) throw error
      faults.push(`${provider}: ${error instanceof Error ? error.message : String(error)}`)
    }
  }
  throw new NoDatabaseError(noneFound(faults, config.neo4j.provider))
}

type Provider = (
  config: Config,
  report: (line: string) => void,
  signal: AbortSignal | undefined,
  machine: Machine,
) => Promise<Database>

/** Each answers a database or throws why it does not apply here. */
const providers: Record<Database['provider'], Provider> = {
  async external({ neo4j: { uri, username, password = '', database } }) {
    if (!uri) throw new Error('NEO4J_URI is not set')
    const summary = `the one at ${uri} (NEO4J_URI)`
    return { uri, username, password, database, provider: 'external', summary, ...runningOn }
  },
  async docker(config, report, signal, machine) {
    if (!(await dockerAnswers(machine))) throw new Error('no Docker engine answers')
    return startInDocker(config.dataDir, machine, report, signal)
  },
  managed: (config, report, signal, machine) => startManaged(config.dataDir, memory, machine, report, signal),
}

const runningOn = { [Symbol.asyncDispose]: async () => {} }
