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
  usage: 'migrate | migrate status',
  summary: 'Apply the migrations that the database still lacks, as a start would',
  details: [
    'For operators who do so before a roll-out. It speaks to Neo4j itself, with the settings of the service.',
    'Several at once, or during a start, wait for each other. After an interruption run it again.',
  ].join('\n'),
  options,
  run,
})

const LONGEST_MS = 600_000

async function run({ values, words }: Invocation<typeof options>, terminal: Terminal) {
  if (words.length > 1 || (words[0] ?? 'status') !== 'status')
    throw new UsageError('It is: migrate, or migrate status')
  await using neo4j = await openDatabase(readClientConfig(), terminal.signal, terminal.note)
  const signal = AbortSignal.any([terminal.signal, AbortSignal.timeout(LONGEST_MS)])
  const caller = { app: { neo4j }, signal }
  await checkVersion(caller)
  const migrations = await readMigrations()
  const onlyTell = words.length === 1 || values['dry-run'] === true
  const applied = onlyTell ? [] : await migrate(caller, migrations)
  if (!onlyTell) await awaitIndexes(caller, [...definitionsOf(migrations).keys()])
  const states = await migrationStates(caller, migrations)
  if (values.json) terminal.json({ applied, migrations: states.map(told) })
  else show(states, applied, onlyTell, terminal)
  return undefined
}

const told = ({ name, state, appliedAt }: MigrationState) => ({ name, state, applied_at: appliedAt })

function show(states: MigrationState[], applied: string[], onlyTell: boolean, terminal: Terminal) {
  const rows = states.map(({ name, state, appliedAt }) => [name, shortTime(appliedAt), state])
  terminal.say(table(terminal, ['MIGRATION', 'APPLIED', 'STATE'], rows))
  if (!onlyTell)
    return terminal.note(
      applied.length > 0 ? `Applied ${applied.length}; all indexes are online.` : 'All were applied already.',
    )
  const of = (wanted: MigrationState['state']) => states.filter(({ state }) => state === wanted).length
  if (of('unknown') + of('changed') > 0)
    terminal.note('The database is of another version: a start of this one would be refused.')
  else terminal.note(of('pending') > 0 ? `${of('pending')} would be applied.` : 'All are applied.')
}
