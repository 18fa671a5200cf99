import type { Config } from '../platform/config.ts'
import { NoDatabaseError } from '../platform/neo4j/errors.ts'
import { addressOfRunning } from '../platform/neo4j/running.ts'
import type { Neo4j } from '../store/neo4j/attempts.ts'
import { awaitAnswer, connectDriver } from '../store/neo4j/driver.ts'

const WAIT_MS = 30_000

/**
 * The Neo4j that the settings name, or that a service on the data folder has started, when it answers.
 * @throws NoDatabaseError, NoEntryError
 */
export async function openDatabase(
  config: Config,
  signal: AbortSignal,
  note: (line: string) => void,
): Promise<Neo4j> {
  const address = addressOfRunning(config)
  const neo4j = connectDriver(address)
  const limit = AbortSignal.timeout(WAIT_MS)
  try {
    await awaitAnswer(neo4j, AbortSignal.any([signal, limit]), () =>
      note(`Waiting for Neo4j at ${address.uri} to answer`),
    )
    return neo4j
  } catch (error) {
    await neo4j[Symbol.asyncDispose]()
    if (!limit.aborted) throw error
    throw new NoDatabaseError(
      `Neo4j at ${address.uri} does not respond. Run mnemograph doctor to find the cause.`,
      { cause: error },
    )
  }
}
