import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { createInterface } from 'node:readline'
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio'
import { StdioClientTransport as OldStdioTransport } from '@modelcontextprotocol/sdk/client/stdio.js'
import type { Transport as OldTransport } from '@modelcontextprotocol/sdk/shared/transport.js'
import { hostEnvironment, PROGRAM } from './cli.ts'
import { connect, type Kind } from './mcp.ts'
import type { TestService } from './service.ts'

type Where = Pick<TestService, 'url' | 'tenant'>

const words = ({ url, tenant }: Where) => [PROGRAM, 'mcp', '--url', url, '--tenant', tenant]

/** A client of this kind that starts the bridge as a host does. */
export function connectBridge(kind: Kind, where: Where, env: Record<string, string> = {}) {
  const parameters = {
    command: process.execPath,
    args: words(where),
    env: { ...hostEnvironment, ...env },
    stderr: 'inherit' as const,
  }
  return connect(kind, {
    old: () => new OldStdioTransport(parameters) as OldTransport,
    current: () => new StdioClientTransport(parameters),
  })
}

/** The bridge as a process of its own, with whatever is written into it. */
export function startBridge(where: Where, env: Record<string, string> = {}) {
  const child = spawn(process.execPath, words(where), {
    stdio: ['pipe', 'pipe', 'pipe'],
    env: { ...hostEnvironment, ...env },
  })
  const lines: string[] = []
  const notes: string[] = []
  createInterface({ input: child.stdout }).on('line', line => lines.push(line))
  createInterface({ input: child.stderr }).on('line', line => notes.push(line))
  return {
    /** What it has said on standard output: nothing but messages. */
    messages: () =>
      lines.map(
        line =>
          JSON.parse(line) as { id?: unknown; result?: never; error?: { code: number; message: string } },
      ),
    notes,
    write: (text: string | Buffer) => void child.stdin.write(text),
    send: (message: unknown) => void child.stdin.write(`${JSON.stringify(message)}\n`),
    end: () => void child.stdin.end(),
    ended: once(child, 'close').then(() => child.exitCode),
    signal: (name: NodeJS.Signals) => void child.kill(name),
    [Symbol.asyncDispose]: () => stop(child),
  }
}

async function stop(child: ChildProcess) {
  if (child.exitCode !== null || child.signalCode !== null) return
  child.kill('SIGKILL')
  await once(child, 'close')
}
