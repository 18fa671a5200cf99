import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdirSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { text } from 'node:stream/consumers'
import { fileURLToPath } from 'node:url'
import { temporaryFolder } from '../../tools/temporary-folder.ts'
import { keepOutput } from './output.ts'
import { OPERATOR_KEY, type TestService } from './service.ts'

/** The command line. */
export const PROGRAM = fileURLToPath(new URL('../../src/cli/main.ts', import.meta.url))

/** What one process has compiled the next need not: each starts in half the time. */
const NODE_COMPILE_CACHE = join(temporaryFolder(), 'compiled')

/** What the command line needs of the environment, and a key. */
export const hostEnvironment = {
  PATH: process.env.PATH as string,
  NODE_COMPILE_CACHE,
  SERVICE_MCP_API_KEY: OPERATOR_KEY,
  SERVICE_EMBEDDING_PROVIDER: 'hash',
  SERVICE_WARM_UP: 'off',
}

type Surroundings = { service?: TestService; env?: Record<string, string>; input?: string }

/** Runs a command as a process of its own, for the service's tenant, to its end. */
export async function mnemograph(words: readonly string[], surroundings: Surroundings = {}) {
  const child = startMnemograph(words, surroundings)
  child.stdin?.end(surroundings.input)
  const [out, err] = await Promise.all([
    child.stdout ? text(child.stdout) : '',
    child.stderr ? text(child.stderr) : '',
    once(child, 'close'),
  ])
  keepOutput(err)
  return { code: child.exitCode, out, err }
}

/** Starts a command and does not wait for it. */
export function startMnemograph(
  words: readonly string[],
  { service, env = {}, input }: Surroundings = {},
): ChildProcess {
  const where = service ? ['--url', service.url, '--tenant', service.tenant] : []
  return spawn(process.execPath, [PROGRAM, ...words, ...where], {
    stdio: [input === undefined ? 'ignore' : 'pipe', 'pipe', 'pipe'],
    env: { ...hostEnvironment, ...env },
  })
}

/** A new folder that holds these files. */
export function folderOf(files: Record<string, string>): string {
  const folder = temporaryFolder()
  writeInto(folder, files)
  return folder
}

export function writeInto(folder: string, files: Record<string, string>) {
  for (const [name, content] of Object.entries(files)) {
    mkdirSync(dirname(join(folder, name)), { recursive: true })
    writeFileSync(join(folder, name), content)
  }
}
