import { readFile } from 'node:fs/promises'
import { type ImportSource, lose, SourceError } from './found.ts'

/**
 * The text of a file in UTF-8, or in UTF-16 with a byte-order mark, as PowerShell writes it. Bytes that are no text are
 * replaced.
 * @throws SourceError for a folder
 */
export async function readTextFile(path: string): Promise<string> {
  const bytes = await readFile(path).catch((error: NodeJS.ErrnoException) => {
    throw error.code === 'EISDIR' ? new SourceError(`${path} is a folder, not a file.`) : error
  })
  return decode(bytes)
}

/** The same; each byte that is no text counts as a loss. */
export async function decodeText(path: string, found: Pick<ImportSource, 'losses'>): Promise<string> {
  const text = await readTextFile(path)
  if (text.includes('\uFFFD'))
    lose(found, `a character of ${path} that cannot be read, and became �`, text.split('\uFFFD').length - 1)
  return text
}

/** @throws TypeError with `fatal` for bytes that are no text */
export function decode(bytes: Buffer, options: { fatal?: boolean } = {}): string {
  const [first, second] = bytes
  const encoding =
    first === 0xff && second === 0xfe ? 'utf-16le' : first === 0xfe && second === 0xff ? 'utf-16be' : 'utf-8'
  return new TextDecoder(encoding, options).decode(bytes)
}
