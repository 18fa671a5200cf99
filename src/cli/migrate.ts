import { readClientConfig } from '../platform/config.ts'
import {
  awaitIndexes,
  checkVersion,
  definitionsOf,
  type MigrationState,
  migrate,
  migrationStates,
  readMigrations,
} from '../store/neo4j/schema.ts'
import { openDatabase } from './database.ts'
import { command, type Invocation, UsageError } from './shell/command.ts'
import { shortTime, table } from './shell/table.ts'
import type { Terminal } from './shell/terminal.ts'

const options = {
  'dry-run': {
    describe: 'Show which are applied and which are pending, and change nothing, like migrate status',
  },
  json: { describe: 'Answer in JSON, for programs' },
}

export const migrateCommand = command({
  words: '[status]',
  summary: 'Apply the pending migrations, as a start does',
  details: [
    'For operators, before a roll-out. It connects to Neo4j directly, with the settings of the service.',
    'Runs at the same time, or during a start, wait for each other. Run it again after an interruption.',
  ].join('\n'),
  examples: ['migrate status', 'migrate'],
  options,
  run,
})

const LONGEST_MS = 600_000

async function run({ values, words }: Invocation<typeof options>, terminal: Terminal) {
  if (words.length > 1 || (words[0] ?? 'status') !== 'status')
    throw new UsageError('Use: migrate, or migrate status')
  await using neo4j = await openDatabase(readClientConfig(), terminal.signal, terminal.note)
  const signal = AbortSignal.any([terminal.signal, AbortSignal.timeout(LONGEST_MS)])
  const caller = { app: { neo4j }, signal }
  await checkVersion(caller)
  const migrations = await readMigrations()
  const statusOnly = words.length === 1 || values['dry-run'] === true
  const applied = statusOnly ? [] : await migrate(caller, migrations)
  if (!statusOnly) await awaitIndexes(caller, [...definitionsOf(migrations).keys()])
  const states = await migrationStates(caller, migrations)
  if (values.json) terminal.json({ applied, migrations: states.map(toRow) })
  else show(states, applied, statusOnly, terminal)
  return undefined
}

const toRow = ({ name, state, appliedAt }: MigrationState) => ({ name, state, applied_at: appliedAt })

function show(states: MigrationState[], applied: string[], statusOnly: boolean, terminal: Terminal) {
  const rows = states.map(({ name, state, appliedAt }) => [name, shortTime(appliedAt), state])
  terminal.say(table(terminal, ['MIGRATION', 'APPLIED', 'STATE'], rows))
  if (!statusOnly)
    return terminal.note(
      applied.length > 0 ? `Applied ${applied.length}; all indexes are online.` : 'All were applied already.',
    )
  const of = (wanted: MigrationState['state']) => states.filter(({ state }) => state === wanted).length
  if (of('unknown') + of('changed') > 0)
    terminal.note('The database is of another version: a start of this one would be refused.')
  else terminal.note(of('pending') > 0 ? `${of('pending')} would be applied.` : 'All are applied.')
}
