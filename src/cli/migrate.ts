import { type Config, readClientConfig } from '../platform/config.ts'
import { NoDatabaseError } from '../platform/neo4j/errors.ts'
import { addressOfRunning } from '../platform/neo4j/running.ts'
import type { Neo4j } from '../store/neo4j/attempts.ts'
import { awaitAnswer, connectDriver } from '../store/neo4j/driver.ts'
import {
  awaitIndexes,
  checkVersion,
  definitionsOf,
  type MigrationState,
  migrate,
  migrationStates,
  readMigrations,
} from '../store/neo4j/schema.ts'
import { answering, jsonOption, UsageError } from './shell/command.ts'
import { shortTime, table } from './shell/table.ts'

const LONGEST_MS = 600_000

export const migrateCommand = answering({
  words: '[status]',
  summary: 'Apply the pending migrations, as a start does',
  details: [
    'For operators, before a roll-out. It connects to Neo4j directly, with the settings of the service.',
    'Runs at the same time, or during a start, wait for each other. Run it again after an interruption.',
  ].join('\n'),
  examples: ['migrate status', 'migrate'],
  options: {
    'dry-run': {
      describe: 'Show which are applied and which are pending, and change nothing, like migrate status',
    },
    ...jsonOption,
  },
  async answer({ values, words }, { signal, note }) {
    if (words.length > 1 || (words[0] ?? 'status') !== 'status')
      throw new UsageError('Use: migrate, or migrate status')
    await using neo4j = await openDatabase(readClientConfig(), signal, note)
    const caller = { app: { neo4j }, signal: AbortSignal.any([signal, AbortSignal.timeout(LONGEST_MS)]) }
    await checkVersion(caller)
    const migrations = await readMigrations()
    const applied = isStatus({ values, words }) ? [] : await migrate(caller, migrations)
    if (!isStatus({ values, words })) await awaitIndexes(caller, [...definitionsOf(migrations).keys()])
    const states = await migrationStates(caller, migrations)
    return {
      applied,
      migrations: states.map(({ name, state, appliedAt }) => ({ name, state, applied_at: appliedAt })),
    }
  },
  show({ applied, migrations }, terminal, typed) {
    const rows = migrations.map(({ name, state, applied_at }) => [name, shortTime(applied_at), state])
    terminal.say(table(terminal, ['MIGRATION', 'APPLIED', 'STATE'], rows))
    const count = (wanted: MigrationState['state']) =>
      migrations.filter(({ state }) => state === wanted).length
    if (!isStatus(typed))
      terminal.note(
        applied.length > 0
          ? `Applied ${applied.length}; all indexes are online.`
          : 'All were applied already.',
      )
    else if (count('unknown') + count('changed') > 0)
      terminal.note('The database is of another version: a start of this one would be refused.')
    else terminal.note(count('pending') > 0 ? `${count('pending')} would be applied.` : 'All are applied.')
  },
})

const isStatus = ({ values, words }: { values: { 'dry-run'?: boolean }; words: string[] }) =>
  words.length === 1 || values['dry-run'] === true

const WAIT_MS = 30_000

/**
 * The Neo4j that the settings name, or that a service on the data folder has started, when it answers.
 * @throws NoDatabaseError, NoEntryError
 */
async function openDatabase(
  config: Config,
  signal: AbortSignal,
  note: (line: string) => void,
): Promise<Neo4j> {
  const address = addressOfRunning(config)
  const neo4j = connectDriver(address)
  const limit = AbortSignal.timeout(WAIT_MS)
  try {
    await awaitAnswer(neo4j, AbortSignal.any([signal, limit]), () =>
      note(`Waiting for Neo4j at ${address.uri} to answer`),
    )
    return neo4j
  } catch (error) {
    await neo4j[Symbol.asyncDispose]()
    if (!limit.aborted) throw error
    throw new NoDatabaseError(
      `Neo4j at ${address.uri} does not respond. Run mnemograph doctor to find the cause.`,
      { cause: error },
    )
  }
}
