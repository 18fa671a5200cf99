import { join } from 'node:path'
import { sections } from '../../contract/bundle.ts'
import { exportFile } from '../bundle/export-file.ts'
import { countsOf } from '../bundle/verify.ts'
import { answering, given } from '../shell/command.ts'
import { type ConnectedClient, connectClient, connectionOptions } from '../shell/connect.ts'
import { beginManifest, writeManifest } from './manifest.ts'
import { writeRecords } from './records.ts'

export const backupOptions = {
  ...connectionOptions,
  tenant: { value: 'NAME', describe: 'Only this tenant (default: all)' },
} as const

export const createBackup = answering({
  word: ['FOLDER', 'the folder to write'],
  summary: 'Write all tenants into a folder, a bundle for each (operator key)',
  details: [
    'The service goes on serving in the meantime. Run it again after an interruption: it goes on where it was.',
    'A backup has the memories with their earlier versions, vectors, connections, rejected connections and',
    'policies, the hashes of keys, the webhooks with their secrets, the quota and the audit log. It does not have',
    'jobs, plans and the change feed: for these, use a dump of Neo4j.',
  ].join('\n'),
  examples: ['backup create backups/2026-11-25'],
  options: backupOptions,
  async answer({ values, word: folder }, terminal) {
    const client = await connectClient(values)
    const contents = await beginManifest(folder)
    const names = values.tenant === undefined ? await tenantsOf(client, terminal.signal) : [values.tenant]
    const done = new Set(contents.tenants.map(({ tenant }) => tenant))
    for (const tenant of names.filter(name => !done.has(name))) {
      const [file, records] = [`${tenant}.ndjson`, `${tenant}.records.json`]
      const of = await connectClient({ ...values, tenant })
      const { sums } = await exportFile(of, join(folder, file), { tenant, vectors: true, terminal })
      const sha256 = await writeRecords(of, tenant, join(folder, records), terminal.signal)
      contents.tenants.push({ tenant, file, sections: sums, records: { file: records, sha256 } })
      await writeManifest(folder, contents)
      terminal.finish(`${tenant}: ${countsOf(sums)}`)
    }
    contents.complete = true
    await writeManifest(folder, contents)
    return { folder, ...contents }
  },
  show({ folder, tenants }, { finish }) {
    const count = (name: (typeof sections)[number]) =>
      tenants.reduce((sum, { sections: each }) => sum + each[name].count, 0)
    const all = Object.fromEntries(sections.map(name => [name, { count: count(name) }]))
    finish(`${folder} has ${tenants.length} tenants: ${countsOf(all)}`)
  },
})

/** All tenants, page by page. */
async function tenantsOf(client: ConnectedClient, signal: AbortSignal): Promise<string[]> {
  const names: string[] = []
  for (let after: string | null | undefined; after !== null; ) {
    const page = await client.listTenants({ limit: 500, ...given({ after }) }, { signal })
    names.push(...page.tenants.map(({ tenant }) => tenant))
    after = page.next_after
  }
  return names
}
