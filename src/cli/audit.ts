import type { Client } from '../client.ts'
import { type AuditEntry, auditLine } from '../contract/audit.ts'
import { chain } from '../platform/digest.ts'
import { auditCommand } from './operations/administration.ts'
import { answering, type CommandGroup, given } from './shell/command.ts'
import { connectClient, connectionOptions } from './shell/connect.ts'
import { exit } from './shell/failures.ts'

const PAGE = 500

const verify = answering({
  summary: 'Check that no entry of the audit log was changed or removed',
  details: 'It computes the digest of every entry again. Exit code 1 if one does not match.',
  options: connectionOptions,
  answer: async ({ values }, { signal }) => check(await connectClient(values), signal),
  show: ({ entries, fault }, { note }) => note(fault ?? `All ${entries} entries are as they were written.`),
  code: ({ fault }) => (fault === null ? exit.done : exit.refused),
})

/** Reads the log from its end to its beginning. */
async function check(
  client: Client,
  signal: AbortSignal,
): Promise<{ entries: number; fault: string | null }> {
  let newer: AuditEntry | undefined
  let count = 0
  for await (const entry of auditEntries(client, signal)) {
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

/** The entries of the audit log, newest first. */
export async function* auditEntries(client: Client, signal: AbortSignal): AsyncGenerator<AuditEntry> {
  for (let before: number | null | undefined; before !== null; ) {
    const page = await client.listAudit({ limit: PAGE, ...given({ before }) }, { signal })
    yield* page.entries
    before = page.next_before
  }
}

export const auditLog: CommandGroup = {
  summary: 'See who did what, and check that the record is whole',
  actions: { list: auditCommand, verify },
}
