import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { readFileSync, rmSync, statSync } from 'node:fs'
import { join } from 'node:path'
import neo4j from 'neo4j-driver'
import { afterAll, expect, test, vi } from 'vitest'
import { readConfig } from '../../src/platform/config.ts'
import { waitUntilAnswering } from '../../src/platform/neo4j/answering.ts'
import type { Database } from '../../src/platform/neo4j/database.ts'
import { findDatabase } from '../../src/platform/neo4j/index.ts'
import { isGoneWithin, isRunning, type ProcessIdentity } from '../../src/platform/neo4j/processes.ts'
import { temporaryFolder } from '../../tools/temporary-folder.ts'

type Address = Pick<Database, 'uri' | 'password'>

const dataDir = temporaryFolder()
const config = readConfig({ SERVICE_NEO4J: 'managed', SERVICE_DATA_DIR: dataDir })
const holders: ChildProcess[] = []

vi.setConfig({ testTimeout: 180_000, hookTimeout: 60_000 })

afterAll(async () => {
  await Promise.all(holders.map(kill))
  await isGoneWithin(neo4jProcess(), 30_000)
  rmSync(dataDir, { recursive: true, force: true })
})

test('a data folder has one service at a time, and its Neo4j ends when that service is killed', async () => {
  const { holder, address } = await startHolder()
  await ask(address, "CREATE (:Note {text: 'kept'})")
  const neo4jOfHolder = neo4jProcess()

  await expect(findDatabase(config, () => {})).rejects.toMatchObject({
    name: 'FolderInUseError',
    holder: holder.pid,
    message: expect.stringContaining(`process ${holder.pid}`),
  })
  expect(isRunning(neo4jOfHolder)).toBe(true)

  await kill(holder)
  expect(await isGoneWithin(neo4jOfHolder, 30_000)).toBe(true)
})

test('the next start ends a Neo4j that nobody watches any more, and has its data and its password', async () => {
  const { holder, address } = await startHolder()
  const orphan = neo4jProcess()
  process.kill(readIdentity('supervisor.json').pid, 'SIGKILL')
  await kill(holder)
  expect(isRunning(orphan)).toBe(true)

  await using database = await findDatabase(config, () => {})
  expect(isRunning(orphan)).toBe(false)
  expect(database).toMatchObject({ provider: 'managed', password: address.password })
  expect(await ask(database, 'MATCH (n:Note) RETURN n.text')).toEqual(['kept'])

  process.kill(neo4jProcess().pid, 'SIGKILL')
  await waitUntilAnswering(database, 60_000, new AbortController().signal)
  expect(await ask(database, 'MATCH (n:Note) RETURN n.text')).toEqual(['kept'])

  const last = neo4jProcess()
  await database[Symbol.asyncDispose]()
  expect(isRunning(last)).toBe(false)
  expect(isRunning(readIdentity('supervisor.json'))).toBe(false)
})

test('passwords are readable by their owner alone', () => {
  expect(statSync(join(dataDir, 'neo4j', 'state.json')).mode & 0o777).toBe(0o600)
  expect(statSync(join(dataDir, 'neo4j')).mode & 0o777).toBe(0o700)
})

test('a start that is called off leaves nothing running', async () => {
  const stop = new AbortController()
  const report = (line: string) => line.startsWith('Starting') && stop.abort(new Error('called off'))
  await expect(findDatabase(config, report, stop.signal)).rejects.toThrow('called off')
  expect(isRunning(readIdentity('supervisor.json'))).toBe(false)
  expect(isRunning(neo4jProcess())).toBe(false)
})

async function startHolder(): Promise<{ holder: ChildProcess; address: Address }> {
  const script = join(import.meta.dirname, '..', 'support', 'hold-database.ts')
  const holder = spawn(process.execPath, [script, dataDir], { stdio: ['ignore', 'pipe', 'inherit'] })
  holders.push(holder)
  const [line] = (await once(holder.stdout, 'data')) as [Buffer]
  return { holder, address: JSON.parse(String(line)) as Address }
}

async function kill(holder: ChildProcess) {
  if (holder.exitCode !== null || holder.signalCode !== null) return
  holder.kill('SIGKILL')
  await once(holder, 'exit')
}

async function ask({ uri, password }: Address, query: string): Promise<unknown[]> {
  await using driver = neo4j.driver(uri, neo4j.auth.basic('neo4j', password))
  const { records } = await driver.executeQuery(query, {}, { database: 'neo4j' })
  return records.map(record => record.get(0))
}

const neo4jProcess = () => readIdentity('process.json')

const readIdentity = (file: string) =>
  JSON.parse(readFileSync(join(dataDir, 'neo4j', file), 'utf8')) as ProcessIdentity
