import { mkdir, readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { z } from 'zod'
import { sums } from '../../contract/bundle.ts'
import { writeWhole } from '../bundle/write-whole.ts'
import { jsonIn, UsageError } from '../shell/command.ts'

const manifest = z.object({
  format: z.literal('mnemograph-backup'),
  version: z.literal(1),
  made_at: z.string(),
  /** False until every tenant is in it: then the command resumes it. */
  complete: z.boolean(),
  tenants: z.array(
    z.object({
      tenant: z.string(),
      file: z.string().regex(/^[a-z0-9_~-]+\.ndjson$/),
      sections: sums,
      records: z.object({
        file: z.string().regex(/^[a-z0-9_~-]+\.records\.json$/),
        sha256: z.string(),
      }),
    }),
  ),
})

/** What a folder with a backup holds: for each tenant a bundle, with the digests of its sections, and its records. */
export type Manifest = z.output<typeof manifest>

const pathOf = (folder: string) => join(folder, 'backup.json')

/** The backup in a folder. @throws UsageError if there is none that this version reads */
export async function readManifest(folder: string): Promise<Manifest> {
  const found = manifest.safeParse(jsonIn(await readFile(pathOf(folder), 'utf8')))
  if (!found.success)
    throw new UsageError(`${pathOf(folder)} is not the list of a backup that this version reads`)
  return found.data
}

/** The unfinished backup in a folder, or a new one. @throws UsageError if the folder holds anything else */
export async function beginManifest(folder: string): Promise<Manifest> {
  await mkdir(folder, { recursive: true, mode: 0o700 })
  const names = await readdir(folder)
  if (names.length === 0) {
    const begun: Manifest = {
      format: 'mnemograph-backup',
      version: 1,
      made_at: new Date().toISOString(),
      complete: false,
      tenants: [],
    }
    await writeManifest(folder, begun)
    return begun
  }
  if (!names.includes('backup.json')) throw new UsageError(`${folder} is not empty: name a new folder`)
  const found = await readManifest(folder)
  if (found.complete) throw new UsageError(`${folder} has a complete backup: name a new folder`)
  return found
}

export const writeManifest = (folder: string, contents: Manifest): Promise<void> =>
  writeWhole(pathOf(folder), `${JSON.stringify(contents, null, 2)}\n`, 0o600)
