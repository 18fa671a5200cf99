import { CommanderError, Command as Program, Option as ProgramOption } from 'commander'
import { readVersion } from '../../platform/version.ts'
import {
  AN_ID,
  ANOTHER_ID,
  type Command,
  type CommandGroup,
  type Invocation,
  type Option,
  UsageError,
} from './command.ts'
import { describeFailure, exit } from './failures.ts'
import type { Terminal } from './terminal.ts'

type Entries = Readonly<Record<string, Command | CommandGroup>>

/** Commands by the headings of the help. */
export type Sections = Readonly<Record<string, Entries>>

export const entriesOf = (sections: Sections): Entries => Object.assign({}, ...Object.values(sections))

/** What the help shows: the examples of the command, or its name with an id for each of its words. */
export const examplesOf = (name: string, { words, examples }: Command): readonly string[] =>
  examples ?? [[name, ...[AN_ID, ANOTHER_ID].slice(0, words ? words.split(' ').length : 0)].join(' ')]

/** Runs the command that the words name, and returns its exit code. What goes wrong is said on the terminal. */
export async function outcomeOf(
  sections: Sections,
  words: readonly string[],
  terminal: Terminal,
): Promise<number> {
  try {
    return (await runProgram(sections, words, { terminal, version: await readVersion() })) ?? exit.done
  } catch (error) {
    const { code, lines, problem } = describeFailure(error, terminal.signal.aborted)
    if (words.includes('--json'))
      terminal.note(JSON.stringify({ error: { exit_code: code, message: lines.join('\n'), problem } }))
    else {
      terminal.note(lines.join('\n'))
      if (code === exit.usage) terminal.note(`Usage: ${usageOf(sections, words)}`)
    }
    return code
  }
}

/**
 * Runs the command that the words name, and returns its exit code. `--help` and `--version` are 0.
 * @throws UsageError for words and options that it does not know, and what the command throws
 */
export async function runProgram(
  sections: Sections,
  words: readonly string[],
  { terminal, version }: { terminal: Terminal; version: string },
): Promise<number | undefined> {
  let code: number | undefined
  const program = prepare(new Program('mnemograph'), terminal)
    .version(version, '-v, --version', 'Print the version')
    .description('Long-term memory for agents and applications, on Neo4j.')
    .usage('COMMAND …')
    .helpOption('-h, --help', 'Show this help')
    .addHelpText('after', '\nRun mnemograph COMMAND --help for its options and examples.')
  const run: Run = async (command, invocation) => {
    code = await command.run(invocation, terminal)
  }
  for (const [heading, entries] of Object.entries(sections)) {
    program.commandsGroup(heading)
    for (const [name, entry] of Object.entries(entries)) add(program, name, entry, run)
  }
  try {
    await program.parseAsync(words.length > 0 ? words : ['--help'], { from: 'user' })
  } catch (error) {
    if (!(error instanceof CommanderError)) throw error
    if (error.exitCode !== 0) throw new UsageError(messageOf(error), { cause: error })
  }
  return code
}

/** The usage of the command that the words name, as far as they name one. */
function usageOf(sections: Sections, [name = '', action = '']: readonly string[]): string {
  const found = Object.entries(entriesOf(sections)).find(
    ([each, entry]) => each === name || ('aliases' in entry && entry.aliases?.includes(name)),
  )
  if (!found) return 'mnemograph COMMAND …'
  const [known, entry] = found
  if (!('actions' in entry)) return usage(known, entry)
  const chosen = Object.hasOwn(entry.actions, action) ? entry.actions[action] : undefined
  return chosen
    ? usage(`${name} ${action}`, chosen)
    : `mnemograph ${name} ${Object.keys(entry.actions).join('|')}`
}

const usage = (name: string, { words }: Command) => ['mnemograph', name, words].filter(Boolean).join(' ')

type Run = (command: Command, invocation: Invocation) => Promise<void>

function add(parent: Program, path: string, entry: Command | CommandGroup, run: Run) {
  const program = parent
    .command(path.slice(path.lastIndexOf(' ') + 1))
    .summary(entry.summary)
    .description([`${entry.summary}.`, ...(entry.details ? ['', entry.details] : [])].join('\n'))
    .helpOption('-h, --help', 'Show this help')
  if ('actions' in entry) {
    program.usage('ACTION …').helpCommand(false)
    for (const [action, command] of Object.entries(entry.actions))
      add(program, `${path} ${action}`, command, run)
    return
  }
  program
    .aliases([...(entry.aliases ?? [])])
    .usage([entry.words, '[options]'].filter(Boolean).join(' '))
    .argument('[words...]')
    .addHelpText(
      'after',
      ['\nExamples:', ...examplesOf(path, entry).map(line => `  mnemograph ${line}`)].join('\n'),
    )
    .action((words: string[]) => run(entry, { words, values: valuesOf(program, entry.options) }))
  for (const [option, definition] of Object.entries(entry.options))
    program.addOption(optionOf(option, definition))
}

/** Says what it has to say on the terminal, and throws instead of ending the process. Its commands inherit that. */
const prepare = (program: Program, terminal: Terminal) =>
  program
    .exitOverride()
    .configureOutput({
      writeOut: text => terminal.say(text.trimEnd()),
      writeErr: () => {},
      outputError: () => {},
      getOutHelpWidth: () => terminal.width,
    })
    .configureHelp({
      minWidthToWrap: 20,
      styleTitle: text => terminal.paint('bold', text),
      styleSubcommandText: text => terminal.paint('bold', text),
      styleOptionTerm: text => terminal.paint('bold', text),
      subcommandTerm: each => each.name(),
      visibleArguments: () => [],
    })
    .helpCommand(false)

function optionOf(name: string, { describe, short, value, many }: Option): ProgramOption {
  const flags = `${short ? `-${short}, ` : ''}--${name}${value ? ` <${value}>` : ''}`
  const option = new ProgramOption(flags, describe)
  return many ? option.argParser((each: string, before: string[] = []) => [...before, each]) : option
}

/** By the names of the options; what was not typed is left out. */
function valuesOf(program: Program, options: Record<string, Option>): Invocation['values'] {
  const typed = program.opts()
  const values = Object.keys(options).flatMap(name => {
    const option = program.options.find(({ long }) => long === `--${name}`)
    const value = typed[option?.attributeName() ?? '']
    const given = option?.negate ? (value === false ? true : undefined) : value
    if ([given].flat().some(each => typeof each === 'string' && each.trim() === ''))
      throw new UsageError(`--${name} has no value. If it comes from a variable, that variable is not set`)
    return given === undefined ? [] : [[name, given]]
  })
  return Object.fromEntries(values)
}

/** The message of the library as a sentence, with its suggestion. */
function messageOf({ message }: CommanderError): string {
  const [first = '', ...rest] = message.replace(/^error: /, '').split('\n')
  return [first.charAt(0).toUpperCase() + first.slice(1), ...rest].join('\n').trim()
}
