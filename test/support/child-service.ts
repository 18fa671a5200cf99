import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { temporaryFolder } from '../../tools/temporary-folder.ts'
import { keepOutput } from './output.ts'
import { OPERATOR_KEY } from './service.ts'

/** The services of a run compile the source once. */
const compiled = process.env.NODE_COMPILE_CACHE ?? join(temporaryFolder(), 'compiled')
/** What its managed Neo4j needs; without the options of the run it would compile twice. */
const java = Object.fromEntries(
  Object.entries(process.env).filter(([name]) => ['JAVA_HOME', 'JAVA_TOOL_OPTIONS'].includes(name)),
) as Record<string, string>
const main = join(import.meta.dirname, '..', '..', 'src', 'main.ts')

/**
 * The program itself as a process of its own, for what can only be done to a process. Answers when it serves, or with
 * what it said when it ended before.
 */
export async function startChildService(settings: Record<string, string>) {
  const child = spawnService(settings)
  const url = await child.address()
  if (url === undefined) throw new Error(`The service ended with ${await child.ended}:\n${child.said()}`)
  return { ...child, url, baseUrl: `${url}/api/v1` }
}

export type ChildService = Awaited<ReturnType<typeof startChildService>>

export function spawnService(settings: Record<string, string>) {
  const child = spawn(process.execPath, [main], {
    stdio: ['ignore', 'pipe', 'pipe'],
    env: {
      PATH: process.env.PATH,
      HOME: process.env.HOME,
      NODE_COMPILE_CACHE: compiled,
      ...java,
      SERVICE_PORT: '0',
      SERVICE_SERVER_API_KEY: OPERATOR_KEY,
      SERVICE_LOG_LEVEL: 'warn',
      SERVICE_EMBEDDING_PROVIDER: 'hash',
      SERVICE_WARM_UP: 'off',
      ...settings,
    },
  })
  const lines: string[] = []
  const listening = new Promise<string>(resolve => {
    for (const stream of [child.stdout, child.stderr])
      createInterface({ input: stream }).on('line', line => {
        lines.push(line)
        if (stream === child.stderr) keepOutput(line)
        const url = /^\s*API\s+(http\S+)\/api\/v1/.exec(line)?.[1]
        if (url) resolve(url)
      })
  })
  const ended = once(child, 'exit').then(([code, signal]) => (code ?? signal) as number | string)
  return {
    pid: child.pid as number,
    /** Its exit code, or the signal that ended it. */
    ended,
    said: () => lines.join('\n'),
    /** Where it answers; undefined when it ends without. */
    address: () => Promise.race([listening, ended.then(() => undefined)]),
    signal: (name: NodeJS.Signals) => void child.kill(name),
    async kill() {
      child.kill('SIGKILL')
      return ended
    },
    [Symbol.asyncDispose]: () => stop(child, ended),
  }
}

async function stop(child: ChildProcess, ended: Promise<unknown>) {
  if (child.exitCode !== null || child.signalCode !== null) return
  child.kill('SIGTERM')
  await ended
}
