import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import { createInterface } from 'node:readline'

/** A program of this folder as a process of its own. Its lines are JSON; it is killed when it is disposed. */
export function startProgram(name: string, args: readonly string[], password: string) {
  const child = spawn(process.execPath, [join(import.meta.dirname, name), ...args], {
    stdio: ['pipe', 'pipe', 'inherit'],
    env: { ...process.env, NEO4J_PASSWORD: password },
  })
  const ended = once(child, 'exit')
  const lines = createInterface({ input: child.stdout })
  return {
    pid: child.pid as number,
    signal: (signal: NodeJS.Signals) => void child.kill(signal),
    tell: () => void child.stdin.end('\n'),
    /** Everything it says, as it says it. */
    async *said<T>(): AsyncGenerator<T> {
      for await (const line of lines) yield JSON.parse(line) as T
    },
    /** @throws when it does not end well */
    async end() {
      const [code] = await ended
      if (code !== 0) throw new Error(`${name} ended with ${code}`)
    },
    async [Symbol.asyncDispose]() {
      if (child.exitCode === null && child.signalCode === null) child.kill('SIGKILL')
      await ended
    },
  }
}
