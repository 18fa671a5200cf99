import type { Config } from '../../platform/config.ts'
import { answering, UsageError } from '../shell/command.ts'
import { type ConnectionValues, connectionOptions } from '../shell/connect.ts'
import { exit } from '../shell/failures.ts'
import { wrap } from '../shell/table.ts'
import type { Terminal } from '../shell/terminal.ts'
import { examineExpiry, examineGraph, examineQueue } from './contents.ts'
import { type ExaminedDatabase, examineClock, examineDatabase } from './database.ts'
import { examineDisk } from './disk.ts'
import { examineEmbeddings } from './embeddings.ts'
import { type Examine, type Finding, findingsOf, type Report, reportTo } from './finding.ts'
import { examineMemory } from './memory.ts'
import { examineIndexes, examineMigrations } from './schema.ts'
import { examineServer } from './server.ts'
import { examineOperatorKey, examineSettings } from './settings.ts'

const { tenant: _, ...connection } = connectionOptions

export const doctor = answering({
  words: '',
  summary: 'Check everything from the settings to the service, and report how to fix what is wrong',
  details: [
    'It reads the settings that a start reads, speaks to Neo4j itself, and changes nothing without --repair. It looks at',
    'as much as it can, also while Neo4j or the service is down. A failure makes the exit code 1; a warning does not.',
    '--graph reads all memories and connections: with millions of them it takes minutes.',
  ].join('\n'),
  examples: ['doctor', 'doctor --graph'],
  options: {
    graph: { describe: 'Also check that everything holds in the graph that always should, in all tenants' },
    repair: { describe: 'With --graph: repair what can be repaired' },
    ...connection,
  },
  async answer({ values, words }, terminal) {
    if (words.length > 0) throw new UsageError('doctor takes options only')
    if (values.repair && !values.graph) throw new UsageError('--repair goes with --graph')
    const findings: Finding[] = []
    const config = examineSettings(findings)
    if (config) {
      const database = await examineDatabase(config, terminal.signal, reportTo(findings, 'neo4j'))
      await using _closing = database?.neo4j
      findings.push(...(await examineParts(config, values, database, terminal)))
    }
    terminal.signal.throwIfAborted()
    return { ok: !findings.some(({ status }) => status === 'failure'), findings }
  },
  show: ({ findings }, terminal) => show(findings, terminal),
  code: ({ ok }) => (ok ? exit.done : exit.refused),
})

type Values = ConnectionValues & { graph?: boolean; repair?: boolean }

async function examineParts(
  config: Config,
  values: Values,
  database: ExaminedDatabase | undefined,
  terminal: Terminal,
): Promise<Finding[]> {
  const inDatabase =
    (examine: (database: ExaminedDatabase, report: Report) => Promise<unknown>): Examine =>
    async report =>
      database ? examine(database, report) : report.skipped('not known while Neo4j does not answer')
  const parts: [check: string, examine: Examine][] = [
    ['migrations', inDatabase(examineMigrations)],
    ['indexes', inDatabase(examineIndexes)],
    ['memory', inDatabase(examineMemory)],
    ['embeddings', report => examineEmbeddings(config, database, terminal, report)],
    ['queue', inDatabase(examineQueue)],
    ['clock', inDatabase(examineClock)],
    ['keys', report => examineOperatorKey(config, report)],
    ['keys', inDatabase(examineExpiry)],
    ['disk', report => examineDisk(config, database, report)],
    ['server', report => examineServer(config, values, terminal.signal, report)],
  ]
  if (values.graph) parts.push(['graph', inDatabase(examineGraph(values.repair ?? false, terminal))])
  return (await Promise.all(parts.map(([check, examine]) => findingsOf(check, examine)))).flat()
}

const colours = { ok: 'green', warning: 'yellow', failure: 'red', skipped: 'dim' } as const
const INDENT = ' '.repeat(22)
const LINES = 20

function show(findings: readonly Finding[], { say, paint, width, note }: Terminal) {
  const room = width - INDENT.length
  for (const { check, status, message, remedy } of findings) {
    const [first = '', ...rest] = wrap(message, room, LINES)
    say(`${paint(colours[status], status.padEnd(8))}  ${check.padEnd(10)}  ${first}`)
    for (const line of rest) say(INDENT + line)
    for (const [at, line] of wrap(remedy ?? '', room - 2, LINES).entries())
      say(INDENT + paint('cyan', `${at === 0 ? '→' : ' '} ${line}`))
  }
  const count = (wanted: 'failure' | 'warning') => {
    const many = findings.filter(({ status }) => status === wanted).length
    return many === 1 ? `1 ${wanted}` : `${many} ${wanted}s`
  }
  const isWell = findings.every(({ status }) => status === 'ok' || status === 'skipped')
  note(isWell ? 'All is well.' : `${count('failure')}, ${count('warning')}.`)
}
