/**
 * A process of its own between the service and Neo4j. It holds the reading end of a pipe whose writing end only the
 * service has: when that closes, because the service asks for it or because it died in any way, Neo4j is ended.
 * The first line on the pipe says what to run; without it, nothing is started. The second says that Neo4j answered:
 * from then on the supervisor restarts a Neo4j that ends on its own.
 */
import { type ChildProcess, spawn } from 'node:child_process'
import { createInterface } from 'node:readline'
import { lowerCompiler } from './compiler.ts'
import { identifyProcess } from './processes.ts'
import { saveState } from './state.ts'

/** What the service hands over as the first line: the program, and the file for the identity of its process. */
export type Order = { command: string; args: string[]; identityFile: string }

/** The first stop on a machine also writes the archive of classes: that takes 20 s where the processors are busy. */
const graceMs = 60_000

/** One that was started again must live this long before it is started again once more. */
const provenMs = 15_000

let server: ChildProcess | undefined
let proven = false
let ending = false

const input = createInterface({ input: process.stdin })
input.once('line', line => {
  start(JSON.parse(line) as Order)
  input.once('line', prove)
})
input.once('close', end)
for (const signal of ['SIGTERM', 'SIGINT', 'SIGHUP'] as const) process.on(signal, end)

function start(order: Order) {
  server = spawn(order.command, order.args, { stdio: ['ignore', 'inherit', 'inherit'] })
  if (server.pid) {
    saveState(order.identityFile, identifyProcess(server.pid) ?? {})
    // A process that has ended has no threads; the end itself is noticed below.
    lowerCompiler(server.pid).catch(() => {})
  }
  server.once('error', () => process.exit(1))
  server.once('exit', code => {
    if (ending || !proven) process.exit(code ?? 1)
    process.stderr.write('Neo4j ended unexpectedly and is restarted\n')
    proven = false
    setTimeout(prove, provenMs)
    start(order)
  })
}

function prove() {
  proven = true
}

function end() {
  if (ending) return
  ending = true
  if (!server) process.exit(0)
  server.kill('SIGTERM')
  setTimeout(() => server?.kill('SIGKILL'), graceMs)
}
