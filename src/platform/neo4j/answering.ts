import { setTimeout as pause } from 'node:timers/promises'
import neo4j, { Neo4jError } from 'neo4j-driver'

const everyMs = 150

/** Waits until a database answers a query with these credentials, `timeoutMs` at most. */
export async function waitUntilAnswering(
  address: { uri: string; username: string; password: string; database: string },
  timeoutMs: number,
  signal: AbortSignal,
): Promise<void> {
  const auth = neo4j.auth.basic(address.username, address.password)
  await using driver = neo4j.driver(address.uri, auth, { connectionTimeout: 2_000, telemetryDisabled: true })
  const deadline = performance.now() + timeoutMs
  for (;;) {
    signal.throwIfAborted()
    try {
      // Not executeQuery, which retries for 30 s on its own and takes no signal.
      await using session = driver.session({ database: address.database })
      await session.run('RETURN 1')
      return
    } catch (error) {
      if (isRefusal(error) || performance.now() > deadline) throw error
    }
    await pause(everyMs, undefined, { signal })
  }
}

const isRefusal = (error: unknown) =>
  error instanceof Neo4jError && error.code.startsWith('Neo.ClientError.Security')
