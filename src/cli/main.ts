#!/usr/bin/env node
import { cypher } from './cypher/index.ts'
import { demo } from './demo.ts'
import { doctor } from './doctor/index.ts'
import { exportCommand } from './export.ts'
import { get } from './get.ts'
import { importCommand } from './import.ts'
import { ingest } from './ingest.ts'
import { jobs } from './jobs.ts'
import { keys } from './keys.ts'
import { maintain } from './maintain.ts'
import { mcp } from './mcp.ts'
import { migrateCommand } from './migrate.ts'
import { related } from './related.ts'
import { search } from './search.ts'
import { type Command, readArguments } from './shell/command.ts'
import { describeFailure, exit } from './shell/failures.ts'
import { createTerminal, type Terminal } from './shell/terminal.ts'
import { start } from './start.ts'
import { verifyCommand } from './verify.ts'

const commands: Record<string, Command> = {
  start,
  ingest,
  demo,
  search,
  get,
  related,
  keys,
  jobs,
  maintain,
  cypher,
  export: exportCommand,
  import: importCommand,
  verify: verifyCommand,
  mcp,
  migrate: migrateCommand,
  doctor,
}

const interrupt = new AbortController()
process.once('SIGINT', () => interrupt.abort())
process.stdout.on('error', ignoreClosedPipe)
process.exitCode = await main(
  process.argv.slice(2),
  createTerminal(process.stdout, process.stderr, interrupt.signal),
)
// A connection to a database that hangs must not keep a command that is done.
process.stdout.write('', () => setTimeout(() => process.exit(), 1_000).unref())

async function main([name = '--help', ...words]: string[], terminal: Terminal): Promise<number> {
  if (!isSupported(process.versions.node)) {
    terminal.note(`Mnemograph needs Node.js 22.21, or 24.9 or newer; this is ${process.versions.node}.`)
    return exit.config
  }
  if (['--help', '-h', 'help'].includes(name)) {
    terminal.say(overview(terminal))
    return exit.done
  }
  const command = Object.hasOwn(commands, name) ? commands[name] : undefined
  if (!command) {
    terminal.note(`There is no command “${name}”.\n\n${overview(terminal)}`)
    return exit.usage
  }
  try {
    const { help, ...invocation } = readArguments(command, words)
    if (help) terminal.say(helpOf(command, terminal))
    return help ? exit.done : ((await command.run(invocation, terminal)) ?? exit.done)
  } catch (error) {
    const { code, lines } = describeFailure(error, interrupt.signal.aborted)
    terminal.note(lines.join('\n'))
    if (code === exit.usage) terminal.note(`Usage: mnemograph ${command.usage}`)
    return code
  }
}

/** As `engines` in package.json has it, which only installing looks at, and not everywhere. */
function isSupported(version: string): boolean {
  const [major = 0, minor = 0] = version.split('.').map(Number)
  return major === 22 ? minor >= 21 : major > 24 || (major === 24 && minor >= 9)
}

function overview({ paint }: Terminal): string {
  const width = Math.max(...Object.keys(commands).map(name => name.length))
  return [
    'Usage: mnemograph COMMAND …',
    '',
    ...Object.entries(commands).map(
      ([name, { summary }]) => `  ${paint('bold', name.padEnd(width))}  ${summary}`,
    ),
    '',
    'Run mnemograph COMMAND --help for details.',
  ].join('\n')
}

function helpOf({ usage, summary, details, options }: Command, { paint }: Terminal): string {
  const names = Object.entries(options).map(([name, { value }]) => `--${name}${value ? ` ${value}` : ''}`)
  const width = Math.max(...names.map(name => name.length))
  return [
    `Usage: mnemograph ${usage}`,
    '',
    `${summary}.`,
    ...(details ? ['', details] : []),
    '',
    ...Object.values(options).map(
      ({ describe }, index) => `  ${paint('bold', (names[index] ?? '').padEnd(width))}  ${describe}`,
    ),
  ].join('\n')
}

/** The reader has closed the pipe, as with `| head`. */
function ignoreClosedPipe(error: NodeJS.ErrnoException) {
  if (error.code !== 'EPIPE') throw error
  process.exit(exit.done)
}
