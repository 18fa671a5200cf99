import { execFile } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { resolve } from 'node:path'
import { promisify } from 'node:util'
import type { Machine } from '../config.ts'
import { packageFolder } from '../package-folder.ts'
import type { Database } from './database.ts'
import { makePassword } from './password.ts'
import { freePort } from './ports.ts'
import { readState, saveState } from './state.ts'

const run = promisify(execFile)

type State = { project: string; port: number; password: string }

/** Whether a Docker engine answers within three seconds. */
export async function dockerAnswers({ environment: env }: Machine): Promise<boolean> {
  try {
    const limits = { timeout: 3_000, killSignal: 'SIGKILL' } as const
    await run('docker', ['info', '--format', '{{.ServerVersion}}'], { env, ...limits })
    return true
  } catch {
    return false
  }
}

/**
 * Brings up the compose file's Neo4j and waits until it is healthy. It stays up when the service ends, as other
 * containers do. Its compose project is named in the data folder next to its password, so that one data folder
 * always meets the volume that knows this password.
 */
export async function startInDocker(
  dataDir: string,
  machine: Machine,
  report: (line: string) => void,
  signal?: AbortSignal,
): Promise<Database> {
  const state = await readOrMakeState(resolve(dataDir, 'docker.json'))
  report('Starting Neo4j with docker compose (the first time it pulls the image)')
  await run('docker', ['compose', '-p', state.project, 'up', '-d', '--wait', 'neo4j'], {
    cwd: packageFolder,
    env: { ...machine.environment, NEO4J_PASSWORD: state.password, NEO4J_BOLT_PORT: String(state.port) },
    timeout: 15 * 60_000,
    ...(signal && { signal }),
  })
  const uri = `bolt://127.0.0.1:${state.port}`
  return {
    uri,
    username: 'neo4j',
    password: state.password,
    database: 'neo4j',
    provider: 'docker',
    summary: `in Docker at ${uri}, compose project ${state.project}`,
    [Symbol.asyncDispose]: async () => {},
  }
}

async function readOrMakeState(file: string): Promise<State> {
  const known = readState<State>(file)
  const state = {
    project: known.project ?? `mnemograph-${randomBytes(4).toString('hex')}`,
    port: known.port ?? (await freePort()),
    password: known.password ?? makePassword(),
  }
  saveState(file, state)
  return state
}
