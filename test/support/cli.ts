import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdirSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { PassThrough, Readable } from 'node:stream'
import { text } from 'node:stream/consumers'
import { fileURLToPath } from 'node:url'
import { commandSections } from '../../src/cli/sections.ts'
import { outcomeOf } from '../../src/cli/shell/program.ts'
import { createTerminal } from '../../src/cli/shell/terminal.ts'
import { temporaryFolder } from '../../tools/temporary-folder.ts'
import { keepOutput } from './output.ts'
import { OPERATOR_KEY, type TestService } from './service.ts'

/** The command line. */
export const PROGRAM = fileURLToPath(new URL('../../src/cli/main.ts', import.meta.url))

/** What one process has compiled the next need not: each starts in half the time. */
const NODE_COMPILE_CACHE = process.env.NODE_COMPILE_CACHE ?? join(temporaryFolder(), 'compiled')

/** What the command line needs of the environment, and a key. */
export const hostEnvironment = {
  PATH: process.env.PATH as string,
  NODE_COMPILE_CACHE,
  SERVICE_MCP_API_KEY: OPERATOR_KEY,
  SERVICE_EMBEDDING_PROVIDER: 'hash',
  SERVICE_WARM_UP: 'off',
}

type Surroundings = { service?: TestService; env?: Record<string, string>; input?: string }

/**
 * Runs a command to its end for the service's tenant: in this process, with the environment and the input that one of its own
 * would have, since to start that costs more than most commands do.
 */
export async function mnemograph(
  words: readonly string[],
  { service, env = {}, input = '' }: Surroundings = {},
) {
  return runHere([...words, ...placeOf(service)], { ...hostEnvironment, ...env }, input)
}

/** Runs a command in this process with just this environment. */
export async function runHere(words: readonly string[], env: Record<string, string>, input = '') {
  const [out, err] = [new PassThrough(), new PassThrough()]
  const said = Promise.all([text(out), text(err)])
  const takeBack = surround(env, input)
  const terminal = createTerminal(
    out as unknown as NodeJS.WriteStream,
    err as unknown as NodeJS.WriteStream,
    new AbortController().signal,
  )
  const code = await outcomeOf(commandSections, words, terminal).finally(takeBack)
  for (const stream of [out, err]) stream.end()
  const [shown, noted] = await said
  keepOutput(noted)
  return { code, out: shown, err: noted }
}

/** Gives this process an environment and an input, until that is taken back. */
function surround(env: Record<string, string>, input: string): () => void {
  const before = { ...process.env }
  const stdin = Object.getOwnPropertyDescriptor(process, 'stdin') as PropertyDescriptor
  for (const name of Object.keys(before))
    if (/^(NODE_ENV|FORCE_COLOR|COLUMNS|SERVICE_|NEO4J_|OPENAI_)/.test(name)) delete process.env[name]
  Object.assign(process.env, env)
  Object.defineProperty(process, 'stdin', { configurable: true, value: Readable.from([input]) })
  return () => {
    Object.defineProperty(process, 'stdin', stdin)
    for (const name of Object.keys(env)) delete process.env[name]
    Object.assign(process.env, before)
  }
}

/** Runs a command as a process of its own to its end. */
export async function mnemographProcess(words: readonly string[], surroundings: Surroundings = {}) {
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
  return spawn(process.execPath, [PROGRAM, ...words, ...placeOf(service)], {
    stdio: [input === undefined ? 'ignore' : 'pipe', 'pipe', 'pipe'],
    env: { ...hostEnvironment, ...env },
  })
}

const placeOf = (service: TestService | undefined) =>
  service ? ['--url', service.url, '--tenant', service.tenant] : []

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
