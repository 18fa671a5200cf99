import { rmSync } from 'node:fs'
import neo4j from 'neo4j-driver'
import { readMachine } from '../../src/platform/config.ts'
import { startManaged } from '../../src/platform/neo4j/managed.ts'
import { temporaryFolder } from '../../tools/temporary-folder.ts'
import type { TestDatabase } from './database.ts'

const sizing = {
  heap: 384,
  pageCache: 64,
  // As the database of the run: few plans, which last.
  others: { 'dbms.cypher.min_replan_interval': '1h', 'internal.cypher.use_parameter_size': 'false' },
}

let resources = new AsyncDisposableStack()
let started: Promise<TestDatabase> | undefined

/**
 * An empty Neo4j next to the one of the run, for what concerns all tenants. It is the same one each time,
 * emptied: parts of a test file may use it one after the other.
 */
export async function emptyDatabase(): Promise<TestDatabase> {
  started ??= start()
  const database = await started
  await empty(database)
  return database
}

/** Ends it. Other files of the same process start another one. */
export async function endDatabase(): Promise<void> {
  const ended = resources
  resources = new AsyncDisposableStack()
  started = undefined
  await ended.disposeAsync()
}

async function start(): Promise<TestDatabase> {
  const folder = temporaryFolder()
  resources.defer(() => rmSync(folder, { recursive: true, force: true }))
  const { uri, username, password, database } = resources.use(
    await startManaged(folder, sizing, readMachine(), () => {}),
  )
  return { uri, username, password, database }
}

async function empty({ uri, username, password }: TestDatabase): Promise<void> {
  await using driver = neo4j.driver(uri, neo4j.auth.basic(username, password))
  const run = async (text: string) => (await driver.executeQuery(text)).records
  await run('MATCH (n) DETACH DELETE n')
  for (const row of await run('SHOW CONSTRAINTS YIELD name'))
    await run(`DROP CONSTRAINT \`${row.get('name')}\``)
  for (const row of await run('SHOW INDEXES YIELD name, type WHERE type <> "LOOKUP"'))
    await run(`DROP INDEX \`${row.get('name')}\``)
}
