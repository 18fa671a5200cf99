import { join } from 'node:path'
import { sections } from '../../contract/bundle.ts'
import { LineError } from '../bundle/line-error.ts'
import { checkFile } from '../bundle/verify.ts'
import { answering, jsonOption, UsageError } from '../shell/command.ts'
import type { Terminal } from '../shell/terminal.ts'
import { type Manifest, readManifest } from './manifest.ts'
import { readRecordLines } from './records.ts'

export const verify = answering({
  word: ['FOLDER', 'the folder of the backup'],
  summary: 'Check a backup: every line of every bundle, and the digests. No service is needed',
  examples: ['backup verify backups/2026-11-25'],
  options: jsonOption,
  async answer({ word: folder }, terminal) {
    const bundles = await checkedBundles(folder, undefined, terminal)
    return { folder, tenants: bundles.map(({ tenant, lines }) => ({ tenant, lines })) }
  },
  show: ({ tenants }, { finish }) => finish(`The backup is whole: ${tenants.length} tenants.`),
})

export type Bundle = Omit<Manifest['tenants'][number], 'records'> & {
  path: string
  lines: number
  records: Awaited<ReturnType<typeof readRecordLines>>
}

/** The bundles of a backup, each read to its end. @throws UsageError, LineError */
export async function checkedBundles(
  folder: string,
  tenant: string | undefined,
  terminal: Terminal,
): Promise<Bundle[]> {
  const { complete, tenants } = await readManifest(folder)
  if (!complete) throw new UsageError(`The backup in ${folder} is not complete: run \`backup create\` again`)
  const wanted = tenants.filter(each => tenant === undefined || each.tenant === tenant)
  if (wanted.length === 0) throw new UsageError(`The backup in ${folder} has no tenant “${tenant}”`)
  const bundles: Bundle[] = []
  for (const entry of wanted) {
    const path = join(folder, entry.file)
    const { sums, lines } = await checkFile(path, terminal)
    if (sections.some(name => sums[name].sha256 !== entry.sections[name].sha256))
      throw new LineError(lines, `of ${entry.file} has other digests than backup.json says`)
    const records = await readRecordLines(join(folder, entry.records.file), entry.records.sha256)
    bundles.push({ ...entry, path, lines, records })
  }
  return bundles
}
