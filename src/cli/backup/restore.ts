import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type Sums, sections } from '../../contract/bundle.ts'
import { exportFile } from '../bundle/export-file.ts'
import { importFile } from '../bundle/import-file.ts'
import { countsOf } from '../bundle/verify.ts'
import { answering } from '../shell/command.ts'
import { type ConnectedClient, connectClient } from '../shell/connect.ts'
import { exit } from '../shell/failures.ts'
import type { Terminal } from '../shell/terminal.ts'
import { backupOptions } from './create.ts'
import { restoreRecords, restoreWebhooks } from './records.ts'
import { type Bundle, checkedBundles } from './verify.ts'

export const restore = answering({
  word: ['FOLDER', 'the folder of the backup'],
  summary: 'Take over all tenants of a backup, and show that they are equal (operator key)',
  details: [
    'Every bundle is checked before anything is sent. Run it again after an interruption.',
    'It exports each restored tenant again, and compares the digests. Exit code 65 if one differs, as in',
    'a tenant that had memories before. Keys, webhooks and quotas that are there already stay as they are.',
  ].join('\n'),
  examples: [
    'backup restore backups/2026-11-25',
    'backup restore backups/2026-11-25 --tenant acme --replace',
  ],
  options: {
    replace: { describe: 'Let the backup win, and remove what is not in it' },
    ...backupOptions,
  },
  async answer({ values, word: folder }, terminal) {
    const mode = values.replace ? 'replace' : 'merge'
    const tenants: Restored[] = []
    for (const bundle of await checkedBundles(folder, values.tenant, terminal)) {
      const client = await connectClient({ ...values, tenant: bundle.tenant })
      tenants.push(await restoreTenant(client, bundle, mode, terminal))
    }
    return { folder, tenants }
  },
  show({ tenants }, { finish, note }) {
    const unequal = unequalOf(tenants)
    if (unequal === 0) finish(`All ${tenants.length} tenants are equal to the backup.`)
    else note(`${unequal} of ${tenants.length} tenants are not equal to the backup.`)
  },
  code: ({ tenants }) => (unequalOf(tenants) > 0 ? exit.data : exit.done),
})

type Restored = { tenant: string; equal: boolean; differs: string[]; left_out: number }

const unequalOf = (tenants: readonly Restored[]) => tenants.filter(({ equal }) => !equal).length

async function restoreTenant(
  client: ConnectedClient,
  { tenant, path, lines, records, sections: stated }: Bundle,
  mode: 'merge' | 'replace',
  terminal: Terminal,
): Promise<Restored> {
  if (!(await restoreRecords(client, tenant, records)))
    terminal.note(`${tenant}: the service has another audit log, so that of the backup was left out`)
  const options = { mode, dry_run: false }
  const { leftOut, found } = await withoutJobs(client, async () => ({
    leftOut: (await importFile(client, path, { tenant, lines, options, terminal })).leftOut,
    found: await exportedAgain(client, tenant, terminal),
  }))
  await restoreWebhooks(client, tenant, records)
  const differs = sections.filter(name => stated[name].sha256 !== found[name].sha256)
  terminal.finish(
    `${tenant}: ${countsOf(found)}${differs.length > 0 ? `; not equal: ${differs.join(', ')}` : ''}`,
  )
  return { tenant, equal: differs.length === 0, differs, left_out: leftOut }
}

/** A restore that is killed leaves the jobs of its tenant paused for no longer than this. */
const PAUSE_MS = 120_000

/**
 * Jobs of the tenant wait in the meantime: discovery goes on where it was when the backup was made, and would add to what is
 * compared. If this process dies, the pause ends on its own.
 */
async function withoutJobs<Result>(client: ConnectedClient, run: () => Promise<Result>): Promise<Result> {
  const { paused_until } = await client.listJobs({ limit: 1 })
  if (paused_until !== null && Date.parse(paused_until) > Date.now() + PAUSE_MS) return run()
  const pause = () => client.pauseQueue({ until: new Date(Date.now() + PAUSE_MS).toISOString() })
  let renewed: Promise<unknown> = pause()
  await renewed
  const renewing = setInterval(() => {
    // One that fails is followed by others before the pause ends.
    renewed = pause().catch(() => undefined)
  }, PAUSE_MS / 4)
  try {
    return await run()
  } finally {
    clearInterval(renewing)
    await renewed
    await client.resumeQueue({})
  }
}

/** What the service holds of the tenant now. */
async function exportedAgain(client: ConnectedClient, tenant: string, terminal: Terminal): Promise<Sums> {
  const folder = await mkdtemp(join(tmpdir(), 'mnemograph-restored-'))
  try {
    const file = join(folder, 'again.ndjson')
    return (await exportFile(client, file, { tenant, vectors: true, terminal })).sums
  } finally {
    await rm(folder, { recursive: true, force: true })
  }
}
