import { readFile } from 'node:fs/promises'
import { packageFolder } from './package-folder.ts'

/** The version of this package. */
export async function readVersion(): Promise<string> {
  const text = await readFile(new URL('package.json', packageFolder), 'utf8')
  return (JSON.parse(text) as { version: string }).version
}
