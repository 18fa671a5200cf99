import type { Client } from '../client.ts'
import { type AuditEntry, auditLine } from '../contract/audit.ts'
import { chain } from '../platform/digest.ts'
import { callCommand } from './shell/call.ts'
import { command, type Group, given, numberOf, wordsOf } from './shell/command.ts'
import { connectClient, connectionOptions } from './shell/connect.ts'
import { shortTime, table } from './shell/table.ts'

const PAGE = 500

const list = callCommand({
  summary: 'List who did what, newest first',
  examples: [
    'audit list',
    'audit list --key operator --outcome ok',
    'audit list --since 2026-11-01T00:00:00Z',
  ],
  options: {
    operation: { value: 'NAME', describe: 'Only this operation, for instance deleteKey' },
    key: { value: 'ID', describe: 'Only calls with this key; operator for the operator key' },
    outcome: { value: 'CODE', describe: 'Only calls with this outcome: ok, or the code of a problem' },
    since: { value: 'TIME', describe: 'Only from this time on' },
    until: { value: 'TIME', describe: 'Only before this time' },
    limit: { value: 'N', short: 'n', describe: 'At most this many (default: 50)' },
  },
  call({ values, words }) {
    wordsOf(words)
    const { operation, key, outcome, since, until } = values
    const limit = numberOf(values.limit, '--limit')
    const input = given({ operation, key_id: key, outcome, since, until, limit })
    return (client, options) => client.listAudit(input, options)
  },
  show({ entries, next_before }, terminal) {
    if (entries.length === 0) return terminal.note('No entries.')
    const rows = entries.map(entry => [
      String(entry.number),
      shortTime(entry.at),
      entry.key_name ?? entry.key_id ?? '–',
      entry.operation,
      entry.outcome,
      entry.target ?? '–',
    ])
    terminal.say(table(terminal, ['NO', 'TIME', 'KEY', 'OPERATION', 'OUTCOME', 'TARGET'], rows))
    if (next_before !== null) terminal.note('There is more; --limit shows it.')
  },
})

const verify = command({
  summary: 'Check that no entry of the audit log was changed or removed',
  details: 'It computes the digest of every entry again. Exit code 1 if one does not match.',
  examples: ['audit verify'],
  options: connectionOptions,
  async run({ values, words }, terminal) {
    wordsOf(words)
    const { entries, fault } = await check(await connectClient(values), terminal.signal)
    if (values.json) terminal.json({ entries, fault })
    else terminal.note(fault ?? `All ${entries} entries are as they were written.`)
    return fault === null ? undefined : 1
  },
})

/** Reads the log from its end to its beginning. */
async function check(
  client: Client,
  signal: AbortSignal,
): Promise<{ entries: number; fault: string | null }> {
  let newer: AuditEntry | undefined
  let count = 0
  for await (const entry of entriesOf(client, signal)) {
    const { previous, digest, ...rest } = entry
    if (chain(previous, auditLine(rest)) !== digest)
      return { entries: count, fault: `Entry ${entry.number} was changed.` }
    if (newer && newer.number !== entry.number + 1)
      return { entries: count, fault: `The entry before ${newer.number} is missing.` }
    if (newer && newer.previous !== digest)
      return { entries: count, fault: `Entry ${entry.number} was replaced.` }
    newer = entry
    count += 1
  }
  return { entries: count, fault: null }
}

async function* entriesOf(client: Client, signal: AbortSignal): AsyncGenerator<AuditEntry> {
  for (let before: number | null | undefined; before !== null; ) {
    const page = await client.listAudit({ limit: PAGE, ...given({ before }) }, { signal })
    yield* page.entries
    before = page.next_before
  }
}

export const audit: Group = {
  summary: 'See who did what, and check that the record is whole',
  actions: { list, verify },
}
