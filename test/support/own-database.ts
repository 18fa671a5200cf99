import { rmSync } from 'node:fs'
import { readMachine } from '../../src/platform/config.ts'
import { startManaged } from '../../src/platform/neo4j/managed.ts'
import type { TestDatabase } from './database.ts'
import { temporaryFolder } from './folder.ts'

const MEMORY = { heap: 384, pageCache: 64 }

/** A Neo4j for one test file alone, for what concerns all tenants; it goes with the file. */
export async function startOwnDatabase(): Promise<TestDatabase & AsyncDisposable> {
  const folder = temporaryFolder()
  const database = await startManaged(folder, MEMORY, readMachine(), () => {})
  const { uri, username, password } = database
  return {
    uri,
    username,
    password,
    database: database.database,
    async [Symbol.asyncDispose]() {
      await database[Symbol.asyncDispose]()
      rmSync(folder, { recursive: true, force: true })
    },
  }
}
