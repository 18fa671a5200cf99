import { existsSync, statSync } from 'node:fs'
import { resolve } from 'node:path'
import type { Config } from '../config.ts'
import type { Database } from './database.ts'
import { NoDatabaseError } from './errors.ts'
import { isServing } from './server.ts'
import { readState } from './state.ts'

type Address = Pick<Database, 'uri' | 'username' | 'password' | 'database' | 'provider'>

/**
 * Where the Neo4j of a service is: the one that the settings name, else the one that a service on this data folder
 * started last. Starts nothing and sends nothing. @throws NoDatabaseError if none is known
 */
export function addressOfRunning({ neo4j, dataDir }: Config): Address {
  const { provider, uri, username, password = '', database } = neo4j
  if (uri && (provider ?? 'external') === 'external')
    return { uri, username, password, database, provider: 'external' }
  const files = { docker: resolve(dataDir, 'docker.json'), managed: resolve(dataDir, 'neo4j', 'state.json') }
  const [last] = (provider && provider !== 'external' ? [files[provider]] : Object.values(files))
    .filter(file => existsSync(file))
    .sort((a, b) => statSync(b).mtimeMs - statSync(a).mtimeMs)
  const known = last ? readState<{ port: number; password: string }>(last) : {}
  if (!known.port || !known.password)
    throw new NoDatabaseError(
      `No Neo4j is known: set NEO4J_URI, or run this in the folder of a service that has started one (${resolve(dataDir)}).`,
    )
  return {
    uri: `bolt://127.0.0.1:${known.port}`,
    username: 'neo4j',
    password: known.password,
    database: 'neo4j',
    provider: last === files.docker ? 'docker' : 'managed',
  }
}

/** Whether an address is of a managed Neo4j that runs no more. */
export const hasEnded = ({ provider }: Address, dataDir: string): boolean =>
  provider === 'managed' && !isServing(resolve(dataDir, 'neo4j'))
