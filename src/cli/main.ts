#!/usr/bin/env node
import { commandSections } from './sections.ts'
import { exit } from './shell/failures.ts'
import { outcomeOf } from './shell/program.ts'
import { createTerminal, type Terminal } from './shell/terminal.ts'

const interrupt = new AbortController()
process.once('SIGINT', () => interrupt.abort())
process.stdout.on('error', ignoreClosedPipe)
process.exitCode = await main(
  process.argv.slice(2),
  createTerminal(process.stdout, process.stderr, interrupt.signal),
)
// A connection to a database that hangs must not keep a command that is done.
process.stdout.write('', () => setTimeout(() => process.exit(), 1_000).unref())

async function main(words: readonly string[], terminal: Terminal): Promise<number> {
  if (isSupported(process.versions.node)) return outcomeOf(commandSections, words, terminal)
  terminal.note(`Mnemograph needs Node.js 24.9 or newer; this is ${process.versions.node}.`)
  return exit.config
}

/** As `engines` in package.json has it, which only installing looks at, and not everywhere. */
function isSupported(version: string): boolean {
  const [major = 0, minor = 0] = version.split('.').map(Number)
  return major > 24 || (major === 24 && minor >= 9)
}

/** The reader has closed the pipe, as with `| head`. */
function ignoreClosedPipe(error: NodeJS.ErrnoException) {
  if (error.code !== 'EPIPE') throw error
  process.exit(exit.done)
}
