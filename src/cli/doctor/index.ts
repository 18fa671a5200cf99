import type { Config } from '../../platform/config.ts'
import { command, type Invocation, UsageError } from '../shell/command.ts'
import { connectionOptions } from '../shell/connect.ts'
import { exit } from '../shell/failures.ts'
import { wrap } from '../shell/table.ts'
import type { Terminal } from '../shell/terminal.ts'
import { examineClock } from './clock.ts'
import { type ExaminedDatabase, examineDatabase } from './database.ts'
import { examineDisk } from './disk.ts'
import { examineEmbeddings } from './embeddings.ts'
import { type Finding, findingsOf } from './finding.ts'
import { examineGraph } from './graph.ts'
import { examineExpiry, examineOperatorKey } from './keys.ts'
import { examineMemory } from './memory.ts'
import { examineQueue } from './queue.ts'
import { examineSchema } from './schema.ts'
import { examineServer } from './server.ts'
import { examineSettings } from './settings.ts'

const { tenant: _, ...connection } = connectionOptions

const options = {
  graph: { describe: 'Also check that everything holds in the graph that always should, in all tenants' },
  repair: { describe: 'With --graph: repair what can be repaired' },
  ...connection,
}

export const doctor = command({
  summary: 'Check everything from the settings to the service, and report how to fix what is wrong',
  details: [
    'It reads the settings that a start reads, speaks to Neo4j itself, and changes nothing without --repair. It looks at',
    'as much as it can, also while Neo4j or the service is down. A failure makes the exit code 1; a warning does not.',
    '--graph reads all memories and connections: with millions of them it takes minutes.',
  ].join('\n'),
  examples: ['doctor', 'doctor --graph'],
  options,
  run,
})

type Values = Invocation<typeof options>['values']

async function run({ values, words }: Invocation<typeof options>, terminal: Terminal) {
  if (words.length > 0) throw new UsageError('doctor takes options only')
  if (values.repair && !values.graph) throw new UsageError('--repair goes with --graph')
  const { config, findings } = examineSettings()
  if (config) findings.push(...(await examineAll(config, values, terminal)))
  terminal.signal.throwIfAborted()
  const failures = findings.filter(({ status }) => status === 'failure').length
  if (values.json) terminal.json({ ok: failures === 0, findings })
  else show(findings, failures, terminal)
  return failures === 0 ? exit.done : exit.refused
}

async function examineAll(config: Config, values: Values, terminal: Terminal): Promise<Finding[]> {
  const { database, findings } = await examineDatabase(config, terminal.signal)
  try {
    return [...findings, ...(await examineParts(config, values, database, terminal))]
  } finally {
    await database?.neo4j[Symbol.asyncDispose]()
  }
}

async function examineParts(
  config: Config,
  values: Values,
  database: ExaminedDatabase | undefined,
  terminal: Terminal,
): Promise<Finding[]> {
  const inDatabase = async (check: string, examine: (database: ExaminedDatabase) => Promise<Finding[]>) =>
    database ? examine(database) : [unknown(check)]
  const parts: Record<string, () => Promise<Finding[]>> = {
    migrations: async () => [
      ...(await inDatabase('migrations', examineSchema)),
      ...(database ? [] : [unknown('indexes')]),
    ],
    memory: () => inDatabase('memory', examineMemory),
    embeddings: () => examineEmbeddings(config, database, terminal),
    queue: () => inDatabase('queue', examineQueue),
    clock: () => inDatabase('clock', examineClock),
    keys: async () => [...(await examineOperatorKey(config)), ...(await inDatabase('keys', examineExpiry))],
    disk: () => examineDisk(config, database),
    server: () => examineServer(config, values, terminal.signal),
    ...(values.graph
      ? {
          graph: () =>
            inDatabase('graph', found => examineGraph(found, { repair: values.repair ?? false, terminal })),
        }
      : {}),
  }
  const found = await Promise.all(Object.entries(parts).map(([check, examine]) => safely(check, examine)))
  return found.flat()
}

const unknown = (check: string) => findingsOf(check).skipped('not known while Neo4j does not answer')

/** One look that goes wrong keeps no other from being taken. */
async function safely(check: string, examine: () => Promise<Finding[]>): Promise<Finding[]> {
  try {
    return await examine()
  } catch (error) {
    const { message, cause } = error as Error
    const reason = cause instanceof Error ? `${message} (${cause.message})` : message
    return [
      findingsOf(check).failure(
        `could not be looked at: ${reason}`,
        'Run it again; if it stays, look into the log of Neo4j.',
      ),
    ]
  }
}

const colours = { ok: 'green', warning: 'yellow', failure: 'red', skipped: 'dim' } as const
const INDENT = ' '.repeat(22)

function show(findings: readonly Finding[], failures: number, terminal: Terminal) {
  const { say, paint, width, note } = terminal
  const room = width - INDENT.length
  for (const { check, status, message, remedy } of findings) {
    const [first = '', ...rest] = wrap(message, room, LINES)
    say(`${paint(colours[status], status.padEnd(8))}  ${check.padEnd(10)}  ${first}`)
    for (const line of rest) say(INDENT + line)
    for (const [at, line] of wrap(remedy ?? '', room - 2, LINES).entries())
      say(INDENT + paint('cyan', `${at === 0 ? '→' : ' '} ${line}`))
  }
  const warnings = findings.filter(({ status }) => status === 'warning').length
  const count = (many: number, word: string) => `${many} ${word}${many === 1 ? '' : 's'}`
  note(
    failures + warnings === 0
      ? 'All is well.'
      : `${count(failures, 'failure')}, ${count(warnings, 'warning')}.`,
  )
}

const LINES = 20
