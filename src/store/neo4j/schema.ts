import { createSecretKey, hash, type KeyObject, randomBytes } from 'node:crypto'
import { readdir, readFile } from 'node:fs/promises'
import { setTimeout as pause } from 'node:timers/promises'
import { packageFolder } from '../../platform/package-folder.ts'
import type { Caller } from './attempts.ts'
import { acquireLease } from './lease.ts'
import { isoTime } from './projections.ts'
import { read, readAsIs, transact, write } from './statements.ts'

/** This Neo4j, or its content, is not for this version of the service. */
export class SchemaError extends Error {
  override readonly name = 'SchemaError'
}

const OLDEST_VERSION = [2026, 2] as const

/** @throws SchemaError when the database is older than the vector filters that search needs. */
export async function checkVersion(caller: Caller): Promise<string> {
  const [row] = await readAsIs<{ version: string }>(
    caller,
    `CALL dbms.components() YIELD name, versions WHERE name = 'Neo4j Kernel' RETURN versions[0] AS version`,
  )
  return requireVersion(row?.version ?? 'unknown')
}

/** Aura runs the newest version under a number that stands still. @throws SchemaError */
export function requireVersion(version: string): string {
  if (version.endsWith('-aura')) return version
  const [year = 0, month = 0] = version.split('.').map(Number)
  const newEnough = year > OLDEST_VERSION[0] || (year === OLDEST_VERSION[0] && month >= OLDEST_VERSION[1])
  if (!newEnough)
    throw new SchemaError(
      `This is Neo4j ${version}; version 2026.02 or newer is needed for filters inside vector indexes.`,
    )
  return version
}

export type Migration = { name: string; checksum: string; statements: string[] }

/** The migrations in the order of their numbers. */
export async function readMigrations(
  folder: URL = new URL('schema/migrations/', packageFolder),
): Promise<Migration[]> {
  const names = (await readdir(folder)).filter(name => name.endsWith('.cypher')).sort()
  return Promise.all(
    names.map(async name => {
      const text = await readFile(new URL(name, folder), 'utf8')
      const code = text.replace(/^[^\S\n]*\/\/.*$/gm, '')
      const statements = code
        .split(/;\s*$/m)
        .map(part => part.trim())
        .filter(part => part !== '')
      return {
        name: name.replace(/\.cypher$/, ''),
        checksum: hash('sha256', text),
        statements,
      }
    }),
  )
}

/**
 * Applies what has not been applied, one starting process at a time; every statement can be repeated, so the next
 * start completes one that crashed. Returns the names of those it applied.
 * @throws SchemaError when an applied migration has changed, or the database knows one that this version does not.
 */
export async function migrate(starting: Caller, migrations: readonly Migration[]): Promise<string[]> {
  const caller = { ...starting, transactionMs: MIGRATION_MS }
  for (const statement of OWN_CONSTRAINTS) await write(caller, statement)
  if ((await pendingOf(caller, migrations)).length === 0) return []
  await using _lease = await acquireLease(caller, 'migrating')
  // Read again: the process that held the lease before has applied them.
  const pending = await pendingOf(caller, migrations)
  for (const { name, checksum, statements } of pending) {
    for (const statement of statements) await write(caller, statement)
    await write(
      caller,
      `MERGE (m:Migration {name: $name}) ON CREATE SET m.checksum = $checksum, m.appliedAt = datetime.realtime('Z')`,
      { name, checksum },
    )
  }
  return pending.map(({ name }) => name)
}

/** A migration may look at all there is. */
const MIGRATION_MS = 300_000

/** What the lease and the record of applied migrations need themselves. */
const OWN_CONSTRAINTS = [
  'CREATE CONSTRAINT migration_name IF NOT EXISTS FOR (m:Migration) REQUIRE m.name IS UNIQUE',
  'CREATE CONSTRAINT setting_name IF NOT EXISTS FOR (s:Setting) REQUIRE s.name IS UNIQUE',
]

export type MigrationState = {
  name: string
  /** `changed`: its text is another than the one that was applied. `unknown`: of another version of the service. */
  state: 'applied' | 'pending' | 'changed' | 'unknown'
  appliedAt: string | null
}

/** The migrations that this version has and those that the database has, in order. Changes nothing. */
export async function migrationStates(
  caller: Caller,
  migrations: readonly Migration[],
): Promise<MigrationState[]> {
  const known = new Map(migrations.map(({ name, checksum }) => [name, checksum]))
  const applied = (await appliedMigrations(caller)).map(({ name, checksum, appliedAt }): MigrationState => {
    const state = known.get(name) === checksum ? 'applied' : known.has(name) ? 'changed' : 'unknown'
    return { name, state, appliedAt }
  })
  const recorded = new Set(applied.map(({ name }) => name))
  const pending = migrations
    .filter(({ name }) => !recorded.has(name))
    .map(({ name }): MigrationState => ({ name, state: 'pending', appliedAt: null }))
  return [...applied, ...pending].sort((a, b) => (a.name < b.name ? -1 : 1))
}

async function pendingOf(caller: Caller, migrations: readonly Migration[]): Promise<Migration[]> {
  const states = await migrationStates(caller, migrations)
  for (const { name, state } of states) {
    if (state === 'unknown')
      throw new SchemaError(`The database was migrated by a newer version of the service (${name}).`)
    if (state === 'changed') throw new SchemaError(`Migration ${name} was changed after it had been applied.`)
  }
  const pending = new Set(states.filter(({ state }) => state === 'pending').map(({ name }) => name))
  return migrations.filter(({ name }) => pending.has(name))
}

const appliedMigrations = (caller: Caller) =>
  read<{ name: string; checksum: string; appliedAt: string | null }>(
    caller,
    `MATCH (m:Migration)
    RETURN m.name AS name, m.checksum AS checksum, ${isoTime('m.appliedAt')} AS appliedAt`,
  )

/** A secret of 32 bytes that all replicas share, made by the one that starts first. */
export async function sharedSecret(caller: Caller, name: string): Promise<KeyObject> {
  const [row] = await transact(caller, ({ run }) =>
    run<{ value: string }>(
      'MERGE (s:Setting {name: $name}) ON CREATE SET s.value = $value RETURN s.value AS value',
      { name, value: randomBytes(32).toString('base64url') },
    ),
  )
  return createSecretKey(row?.value ?? '', 'base64url')
}

/** What makes each index and constraint that is there after these migrations, by its name. */
export function definitionsOf(migrations: readonly Migration[]): Map<string, string> {
  const definitions = new Map<string, string>()
  for (const statement of migrations.flatMap(each => each.statements)) {
    const made = /^CREATE \w+(?: INDEX)? (\w+) IF NOT EXISTS/.exec(statement)?.[1]
    const dropped = /^DROP \w+ (\w+)/.exec(statement)?.[1]
    if (made) definitions.set(made, statement)
    if (dropped) definitions.delete(dropped)
  }
  return definitions
}

/** Those of the named indexes that are there and not online. What else is in the database is no concern of the service. */
export const unreadyIndexes = (caller: Caller, names: readonly string[]) =>
  read<{ name: string; state: string }>(
    caller,
    `SHOW INDEXES YIELD name, state WHERE name IN $names AND state <> 'ONLINE'
    RETURN name, state`,
    { names },
  )

const LOOK_MS = 250

/**
 * Waits until the named indexes can be used, at most for the time of the caller's signal.
 * @throws SchemaError when one has failed, or is still being filled then
 */
export async function awaitIndexes(caller: Caller, names: readonly string[]): Promise<void> {
  for (;;) {
    const unready = await unreadyIndexes(caller, names)
    if (unready.length === 0) return
    const failed = unready.find(({ state }) => state === 'FAILED')
    if (failed)
      throw new SchemaError(`The index ${failed.name} has failed: mnemograph doctor says what to do.`)
    await pause(LOOK_MS)
    if (caller.signal.aborted)
      throw new SchemaError(`Still being filled: ${unready.map(({ name }) => name).join(', ')}.`)
  }
}
