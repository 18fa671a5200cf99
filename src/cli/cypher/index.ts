import { addAbortSignal } from 'node:stream'
import { text } from 'node:stream/consumers'
import { readClientConfig } from '../../platform/config.ts'
import { addressOfRunning } from '../../platform/neo4j/running.ts'
import { command, jsonIn, jsonOption, numberOf, UsageError } from '../shell/command.ts'
import { type ConnectionValues, connectClient } from '../shell/connect.ts'
import { clip, table } from '../shell/table.ts'
import type { Terminal } from '../shell/terminal.ts'
import { parameterOf, type QueryRows, runReadOnly } from './run.ts'

export const cypher = command({
  words: '[QUERY]',
  summary: 'Query the graph in Cypher, read-only',
  details:
    'For operators: it speaks to Neo4j itself, with the settings of the service, and sees every tenant. With a key it asks the service, and sees one tenant. Without a QUERY it reads one from standard input.',
  examples: [
    'cypher "MATCH (m:Memory {tenant: $tenant}) RETURN count(m)"',
    'cypher --api-key KEY "MATCH (m:Memory) RETURN count(m)"',
    'cypher --connection',
  ],
  options: {
    param: {
      value: 'NAME=VALUE',
      many: true,
      describe: 'A parameter, in JSON or as text; may be given again',
    },
    tenant: { value: 'NAME', describe: 'The parameter $tenant (default: default)' },
    limit: { value: 'N', describe: 'Read at most so many rows (default: 100, at most 100000)' },
    timeout: {
      value: 'SECONDS',
      describe: 'Longest time that the database may take (default: 5, at most 600)',
    },
    'api-key': {
      value: 'KEY',
      describe: 'Ask the service with this key: the query sees the graph of the tenant alone',
    },
    url: { value: 'URL', describe: 'Ask the service at this address, with a key as in other commands' },
    connection: { describe: 'Show where Neo4j answers, with user and password, for other programs' },
    ...jsonOption,
  },
  async run({ values, words }, terminal) {
    if (values.connection) return showConnection(terminal, values.json)
    if (words.length > 1) throw new UsageError('Quote the query, so that it is one word')
    const typed = words[0] ?? (await text(addAbortSignal(terminal.signal, process.stdin)))
    const query = typed.trim().replace(/;$/, '')
    if (query === '') throw new UsageError('There is no query')
    const most = within('--limit', values.limit, 100, 100_000)
    const { columns, rows, more } = await find(values, query, most, terminal)
    if (values.json)
      terminal.json(rows.map(row => Object.fromEntries(columns.map((name, at) => [name, row[at]]))))
    else if (rows.length === 0) terminal.note('No rows.')
    else
      terminal.say(
        table(
          terminal,
          columns,
          rows.map(row => row.map(value => clip(cellOf(value), CELL))),
        ),
      )
    if (more) terminal.note(`These are the first ${most} rows; --limit shows more.`)
    return undefined
  },
})

const CELL = 48

type Values = ConnectionValues & { param?: string[]; timeout?: string }

/** From the service where a key or an address is given, else from Neo4j itself. */
async function find(values: Values, query: string, most: number, { signal }: Terminal): Promise<QueryRows> {
  if (values['api-key'] !== undefined || values.url !== undefined) {
    if (values.timeout !== undefined)
      throw new UsageError('--timeout is for Neo4j itself: a service has its own')
    const parameters = parametersOf(values.param, given => jsonIn(given, given))
    const client = await connectClient(values)
    const { columns, rows, truncated } = await client.runCypher({ query, parameters }, { signal })
    const shown = rows.slice(0, most).map(row => columns.map(name => row[name]))
    return { columns, rows: shown, more: truncated || rows.length > most }
  }
  const timeoutMs = 1000 * within('--timeout', values.timeout, 5, 600)
  const parameters = { tenant: values.tenant ?? 'default', ...parametersOf(values.param, parameterOf) }
  const address = addressOfRunning(readClientConfig())
  return runReadOnly(address, { text: query, parameters, most, timeoutMs, signal })
}

function showConnection(terminal: Terminal, json: boolean | undefined) {
  const { uri, username, password, database } = addressOfRunning(readClientConfig())
  const rows = Object.entries({ address: uri, user: username, password, database })
  if (json) terminal.json({ uri, username, password, database })
  else terminal.say(table(terminal, ['setting', 'value'], rows))
  return undefined
}

function cellOf(value: unknown): string {
  if (value === null) return '–'
  return typeof value === 'string' ? value : JSON.stringify(value)
}

const parametersOf = (given: readonly string[] = [], read: (text: string) => unknown) =>
  Object.fromEntries(
    given.map(each => {
      const [, name, value] = /^(\w+)=(.*)$/s.exec(each) ?? []
      if (name === undefined || value === undefined) throw new UsageError('--param must be NAME=VALUE')
      return [name, read(value)]
    }),
  )

function within(option: string, given: string | undefined, fallback: number, most: number): number {
  const number = numberOf(given, option) ?? fallback
  if (!Number.isInteger(number) || number < 1 || number > most)
    throw new UsageError(`${option} must be a whole number from 1 to ${most}`)
  return number
}
