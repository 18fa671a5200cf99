import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { closeSync, mkdirSync, openSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import neo4j from 'neo4j-driver'
import { readMachine } from '../../src/platform/config.ts'
import { waitUntilAnswering } from '../../src/platform/neo4j/answering.ts'
import { findJava, javaCandidates } from '../../src/platform/neo4j/java.ts'
import { archiveOfClasses } from '../../src/platform/neo4j/managed.ts'
import { neo4jClasspath } from '../../src/platform/neo4j/maven.ts'
import { freePort } from '../../src/platform/neo4j/ports.ts'
import { argumentFile, neo4jConf, serverArguments } from '../../src/platform/neo4j/settings.ts'
import { temporaryFolder } from '../../tools/temporary-folder.ts'
import type { TestDatabase } from '../support/lender.ts'

const MEMORY = { heap: 768, pageCache: 128 }
const START_MS = 120_000

/** A Neo4j as a plain child, with the settings that the service gives to its own: it can be killed, stopped and started. */
export async function startChaosDatabase() {
  const folder = temporaryFolder()
  const machine = readMachine()
  const java = await findJava(javaCandidates(machine))
  const classpath = await neo4jClasspath(machine, java, () => {})
  const port = await freePort()
  const address = { uri: `bolt://127.0.0.1:${port}`, username: 'neo4j', password: 'any', database: 'neo4j' }
  mkdirSync(join(folder, 'conf'), { recursive: true })
  // It listens on loopback alone and lives as long as the run: a password would only cost a second start.
  const conf = neo4jConf(port, MEMORY).replace('auth_enabled=true', 'auth_enabled=false')
  writeFileSync(join(folder, 'conf', 'neo4j.conf'), conf)
  const args = join(folder, 'server.args')
  writeFileSync(
    args,
    argumentFile(serverArguments(folder, classpath, MEMORY, archiveOfClasses(machine, java))),
  )

  const launch = async () => {
    const log = openSync(join(folder, 'neo4j.log'), 'a')
    const child = spawn(java.path, [`@${args}`], { stdio: ['ignore', log, log] })
    closeSync(log)
    process.once('exit', () => child.kill('SIGKILL'))
    const ended = new AbortController()
    child.once('exit', () => ended.abort(new Error('Neo4j ended while it was starting')))
    await waitUntilAnswering(address, START_MS, ended.signal).catch(async error => {
      await end(child)
      throw error
    })
    return child
  }
  let child = await launch()
  const { query, close } = queriesOf(address)

  return {
    ...address,
    signal: (name: NodeJS.Signals) => void child.kill(name),
    kill: () => end(child),
    /** Starts it again on the same data, and answers when it does. */
    async start() {
      child = await launch()
    },
    query,
    async [Symbol.asyncDispose]() {
      await close()
      await end(child)
      rmSync(folder, { recursive: true, force: true })
    },
  }
}

export type ChaosDatabase = Awaited<ReturnType<typeof startChaosDatabase>>

/** One that other tests use before and after, for scenarios that leave the database alone. */
export function lentDatabase(address: TestDatabase): ChaosDatabase {
  const { query, close } = queriesOf(address)
  const refuse = () => {
    throw new Error('A database that was lent is neither killed nor started')
  }
  return {
    ...{ ...address, query, signal: refuse, start: refuse, kill: refuse },
    [Symbol.asyncDispose]: close,
  }
}

function queriesOf({ uri, username, password }: TestDatabase) {
  const driver = neo4j.driver(uri, neo4j.auth.basic(username, password), { disableLosslessIntegers: true })
  return {
    async query<T>(text: string, parameters: Record<string, unknown> = {}): Promise<T[]> {
      const { records } = await driver.executeQuery(text, parameters)
      return records.map(record => record.toObject() as T)
    },
    close: () => driver.close(),
  }
}

async function end(child: ChildProcess) {
  if (child.exitCode !== null || child.signalCode !== null) return
  child.kill('SIGKILL')
  await once(child, 'exit')
}
