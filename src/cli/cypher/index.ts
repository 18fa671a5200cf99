import { addAbortSignal } from 'node:stream'
import { text } from 'node:stream/consumers'
import { readClientConfig } from '../../platform/config.ts'
import { addressOfRunning } from '../../platform/neo4j/running.ts'
import { command, type Invocation, numberOf, UsageError } from '../shell/command.ts'
import { clip, table } from '../shell/table.ts'
import type { Terminal } from '../shell/terminal.ts'
import { type QueryRows, runReadOnly } from './run.ts'
import { parameterOf } from './values.ts'

const options = {
  param: { value: 'NAME=VALUE', many: true, describe: 'A parameter, in JSON or as text; may be given again' },
  tenant: { value: 'NAME', describe: 'The parameter $tenant (default: default)' },
  limit: { value: 'N', describe: 'Read at most so many rows (default: 100, at most 100000)' },
  timeout: {
    value: 'SECONDS',
    describe: 'Longest time that the database may take (default: 5, at most 600)',
  },
  json: { describe: 'Answer in JSON, for programs' },
} as const

export const cypher = command({
  words: '[QUERY]',
  summary: 'Query the graph in Cypher, read-only',
  details:
    'For operators: it speaks to Neo4j itself, with the settings of the service, and sees every tenant. Without a QUERY it reads one from standard input.',
  examples: ['cypher "MATCH (m:Memory {tenant: $tenant}) RETURN count(m)"'],
  options,
  run,
})

const CELL = 48

async function run({ values, words }: Invocation<typeof options>, terminal: Terminal) {
  if (words.length > 1) throw new UsageError('Quote the query, so that it is one word')
  const typed = words[0] ?? (await text(addAbortSignal(terminal.signal, process.stdin)))
  const query = typed.trim().replace(/;$/, '')
  if (query === '') throw new UsageError('There is no query')
  const parameters = { tenant: values.tenant ?? 'default', ...parametersOf(values.param ?? []) }
  const most = within('--limit', values.limit, 100, 100_000)
  const timeoutMs = 1000 * within('--timeout', values.timeout, 5, 600)
  const found = await runReadOnly(addressOfRunning(readClientConfig()), {
    text: query,
    parameters,
    most,
    timeoutMs,
    signal: terminal.signal,
  })
  if (values.json)
    terminal.json(found.rows.map(row => Object.fromEntries(found.columns.map((name, at) => [name, row[at]]))))
  else show(found, terminal)
  if (found.more) terminal.note(`These are the first ${most} rows; --limit shows more.`)
  return undefined
}

function show({ columns, rows }: QueryRows, terminal: Terminal) {
  if (rows.length === 0) return terminal.note('No rows.')
  const cells = rows.map(row => row.map(value => clip(cellOf(value), CELL)))
  terminal.say(table(terminal, columns, cells))
}

function cellOf(value: unknown): string {
  if (value === null) return '–'
  return typeof value === 'string' ? value : JSON.stringify(value)
}

const parametersOf = (given: readonly string[]) =>
  Object.fromEntries(
    given.map(each => {
      const [, name, value] = /^(\w+)=(.*)$/s.exec(each) ?? []
      if (name === undefined || value === undefined) throw new UsageError('--param must be NAME=VALUE')
      return [name, parameterOf(value)]
    }),
  )

function within(option: string, given: string | undefined, fallback: number, most: number): number {
  const number = numberOf(given, option) ?? fallback
  if (!Number.isInteger(number) || number < 1 || number > most)
    throw new UsageError(`${option} must be a whole number from 1 to ${most}`)
  return number
}
