import { execFileSync } from 'node:child_process'
import { rmSync } from 'node:fs'
import { GenericContainer, Wait } from 'testcontainers'
import type { TestProject } from 'vitest/node'
import { readMachine } from '../../src/platform/config.ts'
import { dockerAnswers } from '../../src/platform/neo4j/docker.ts'
import { startManaged } from '../../src/platform/neo4j/managed.ts'
import { neo4jVersion } from '../../src/platform/neo4j/maven.ts'
import { removeFoldersAtExit, temporaryFolder } from '../../tools/temporary-folder.ts'
import { containerSettings } from './container-settings.ts'
import { startLender, type TestDatabase } from './lender.ts'
import { refuseLeaks } from './output.ts'
import { refuseMore } from './statement-count.ts'

declare module 'vitest' {
  export interface ProvidedContext {
    neo4j: TestDatabase
    /** The address where test files borrow a database of their own, and a browser. */
    lender: string
  }
}

const others = {
  // All files run the same statements. Replanning them as memories come and go would take most of its time.
  'dbms.cypher.min_replan_interval': '1h',
  // Neo4j keeps 1,000 plans by default. The files have 2,000 in all.
  'server.memory.query_cache.per_db_cache_num_entries': '8000',
  // One plan of a statement for texts and lists of all lengths.
  'internal.cypher.use_parameter_size': 'false',
  // Wherever the database is, times are in UTC.
  'db.temporal.timezone': '+02:00',
}
const sizing = { heap: 1_280, pageCache: 128, others }
const resources = new AsyncDisposableStack()

/**
 * What all files share: the pages, and one Neo4j, the one at MNEMOGRAPH_TEST_NEO4J_URI, else a container where a Docker engine answers,
 * else a managed one in a temporary folder. Tests read its address with `inject('neo4j')`.
 */
export async function setup(project: TestProject): Promise<void> {
  removeFoldersAtExit()
  execFileSync(process.execPath, ['scripts/pages.mjs'])
  const { uri, username, password, database } = given() ?? (await contained()) ?? (await managed())
  project.provide('neo4j', { uri, username, password, database })
  project.provide('lender', resources.use(await startLender()).url)
  const output = temporaryFolder()
  project.provide('output', output)
  resources.defer(() => refuseLeaks(output, password))
  const statements = temporaryFolder()
  project.provide('statements', statements)
  resources.defer(() => refuseMore(statements))
}

export const teardown = () => resources.disposeAsync()

function given(): TestDatabase | undefined {
  const { MNEMOGRAPH_TEST_NEO4J_URI: uri, MNEMOGRAPH_TEST_NEO4J_PASSWORD: password = '' } = process.env
  return uri ? { uri, username: 'neo4j', password, database: 'neo4j' } : undefined
}

async function contained(): Promise<TestDatabase | undefined> {
  if (!(await dockerAnswers(readMachine()))) return undefined
  const password = 'of-the-tests'
  const container = await new GenericContainer(`neo4j:${neo4jVersion}`)
    .withEnvironment({ NEO4J_AUTH: `neo4j/${password}`, ...containerSettings(sizing) })
    .withExposedPorts(7687)
    .withWaitStrategy(Wait.forLogMessage('Started.'))
    .start()
  resources.defer(async () => void (await container.stop()))
  const uri = `bolt://${container.getHost()}:${container.getMappedPort(7687)}`
  return { uri, username: 'neo4j', password, database: 'neo4j' }
}

async function managed(): Promise<TestDatabase> {
  const folder = temporaryFolder()
  resources.defer(() => rmSync(folder, { recursive: true, force: true }))
  return resources.use(
    await startManaged(folder, sizing, readMachine(), line => process.stderr.write(`${line}\n`)),
  )
}
