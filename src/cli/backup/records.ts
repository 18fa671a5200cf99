import { createHash } from 'node:crypto'
import { readFile } from 'node:fs/promises'
import { ProblemError } from '../../client.ts'
import type { Input, Output } from '../../contract/index.ts'
import { auditEntries } from '../audit.ts'
import { writeWhole } from '../bundle/write-whole.ts'
import { UsageError } from '../shell/command.ts'
import type { ConnectedClient } from '../shell/connect.ts'

type Entries = Output<'listAudit'>['entries']

/** What a tenant has besides its bundle: hashed keys, webhooks with their secrets, the quota, and the audit log, oldest first. */
type Records = Output<'exportRecords'> & { entries: Entries }

const ENTRIES_AT_A_TIME = 1_000

/** Writes the records of a tenant into a file that only its owner can read, and answers its digest. */
export async function writeRecords(
  client: ConnectedClient,
  tenant: string,
  path: string,
  signal: AbortSignal,
): Promise<string> {
  const entries = (await Array.fromAsync(auditEntries(client, signal))).reverse()
  const text = `${JSON.stringify({ ...(await client.exportRecords({ tenant })), entries })}\n`
  await writeWhole(path, text, 0o600)
  return digestOf(text)
}

/** @throws UsageError if the file is not the one that the backup has */
export async function readRecordLines(path: string, sha256: string): Promise<Records> {
  const text = await readFile(path, 'utf8')
  if (digestOf(text) !== sha256) throw new UsageError(`${path} has another digest than backup.json says`)
  return JSON.parse(text) as Records
}

/** Restores all but the webhooks, which must not hear of what is restored after them. Returns whether the log fits. */
export async function restoreRecords(
  client: ConnectedClient,
  tenant: string,
  { entries, keys, quota }: Records,
): Promise<boolean> {
  let fits = true
  for (let at = 0; fits && at < entries.length; at += ENTRIES_AT_A_TIME)
    await client
      .importRecords({ tenant, entries: entries.slice(at, at + ENTRIES_AT_A_TIME) })
      .catch((error: unknown) => {
        if (!(error instanceof ProblemError) || error.problem?.code !== 'audit_log_differs') throw error
        fits = false
      })
  await client.importRecords({ tenant, keys, quota })
  return fits
}

export const restoreWebhooks = (client: ConnectedClient, tenant: string, { webhooks }: Records) =>
  client.importRecords({ tenant, webhooks: webhooks as Input<'importRecords'>['webhooks'] })

const digestOf = (text: string) => createHash('sha256').update(text).digest('hex')
