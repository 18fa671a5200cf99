import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import type { Machine } from '../config.ts'
import { waitUntilAnswering } from './answering.ts'
import type { Database } from './database.ts'
import { ManagedNeo4jError } from './errors.ts'
import { findJava, type Java, javaCandidates } from './java.ts'
import { lockFolder } from './lock.ts'
import { neo4jClasspath, neo4jVersion } from './maven.ts'
import { initialUser, makePassword } from './password.ts'
import { freePort } from './ports.ts'
import { endLeftover, type Server, startNeo4j } from './server.ts'
import { argumentFile, neo4jConf, type Sizing, serverArguments } from './settings.ts'
import { readState, saveState } from './state.ts'

const startTimeoutMs = 120_000

type State = { port: number; password: string }

/**
 * Runs Neo4j Community as a child below `dataDir` and returns when it answers. Disposing stops it.
 * @throws FolderInUseError when another service lives there, ManagedNeo4jError when it cannot be downloaded or started.
 */
export async function startManaged(
  dataDir: string,
  sizing: Sizing,
  machine: Machine,
  report: (line: string) => void,
  signal: AbortSignal = new AbortController().signal,
): Promise<Database> {
  const folder = resolve(dataDir, 'neo4j')
  mkdirSync(folder, { recursive: true, mode: 0o700 })
  await using resources = new AsyncDisposableStack()
  resources.use(lockFolder(folder))
  await endLeftover(folder, report)
  const java = await findJava(javaCandidates(machine), signal)
  const classpath = await neo4jClasspath(machine, java, report, signal)
  const state = await prepare(folder, sizing)
  setFirstPassword(folder, state.password)
  const archive = archiveOfClasses(machine, java)
  writeFileSync(
    join(folder, 'server.args'),
    argumentFile(serverArguments(folder, classpath, sizing, archive)),
  )
  report(`Starting Neo4j Community ${neo4jVersion} on port ${state.port} with Java ${java.version}`)
  const server = resources.use(startNeo4j(folder, java.path, [`@${join(folder, 'server.args')}`]))
  const address = { uri: `bolt://127.0.0.1:${state.port}`, username: 'neo4j', database: 'neo4j' }
  await waitUntilUp(server, { ...address, password: state.password }, folder, signal)
  server.keepUp()
  const owned = resources.move()
  return {
    ...address,
    password: state.password,
    provider: 'managed',
    summary: `managed Community ${neo4jVersion} at ${address.uri}, data in ${folder}`,
    [Symbol.asyncDispose]: () => owned.disposeAsync(),
  }
}

/** Where this Java keeps the classes of this Neo4j from one start to the next. */
export function archiveOfClasses({ cacheDir }: Machine, { version }: Java): string {
  mkdirSync(cacheDir, { recursive: true })
  return join(cacheDir, `neo4j-${neo4jVersion}-java-${version}.jsa`)
}

/** Chooses port and password, the ones of the run before where there was one, and writes the settings. */
async function prepare(folder: string, sizing: Sizing): Promise<State> {
  const file = join(folder, 'state.json')
  const known = readState<State>(file)
  if (!known.password && hasStarted(folder))
    throw new ManagedNeo4jError(
      `${file} is missing. It holds the password of the data next to it. Restore the file, or move the data away to start with an empty database.`,
    )
  const state = {
    port: await freePort(known.port),
    password: known.password ?? makePassword(),
  }
  saveState(file, state)
  mkdirSync(join(folder, 'conf'), { recursive: true })
  writeFileSync(join(folder, 'conf', 'neo4j.conf'), neo4jConf(state.port, sizing))
  return state
}

function setFirstPassword(folder: string, password: string) {
  if (hasStarted(folder)) return
  const users = join(folder, 'home', 'data', 'dbms')
  mkdirSync(users, { recursive: true })
  writeFileSync(join(users, 'auth.ini'), initialUser(password), { mode: 0o600 })
}

const hasStarted = (folder: string) => existsSync(join(folder, 'home', 'data', 'databases', 'system'))

async function waitUntilUp(
  server: Server,
  address: Parameters<typeof waitUntilAnswering>[0],
  folder: string,
  signal: AbortSignal,
) {
  const ended = new AbortController()
  void server.exited.then(() => ended.abort(new ManagedNeo4jError('Neo4j ended while it was starting')))
  try {
    await waitUntilAnswering(address, startTimeoutMs, AbortSignal.any([signal, ended.signal]))
  } catch (error) {
    signal.throwIfAborted()
    const log = join(folder, 'neo4j.log')
    const last = readFileSync(log, 'utf8').trimEnd().split('\n').slice(-8).join('\n')
    throw new ManagedNeo4jError(`Neo4j did not come up; ${log} ends with:\n${last}`, { cause: error })
  }
}
