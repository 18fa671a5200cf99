import { rename, writeFile } from 'node:fs/promises'

/** Written to a temporary file and renamed, so that the file is never incomplete. */
export async function writeWhole(path: string, text: string, mode?: number): Promise<void> {
  await writeFile(`${path}.new`, text, mode === undefined ? {} : { mode })
  await rename(`${path}.new`, path)
}
