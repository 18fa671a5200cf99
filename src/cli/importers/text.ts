import { readFile } from 'node:fs/promises'
import { type ImportSource, lose, SourceError } from './found.ts'

/**
 * The text of a file in UTF-8, or in UTF-16 with a byte-order mark, as PowerShell writes it. Bytes that are no text are
 * replaced, and counted as a loss.
 * @throws SourceError for a folder
 */
export async function decodeText(path: string, found: Pick<ImportSource, 'losses'>): Promise<string> {
  const bytes = await readFile(path).catch((error: NodeJS.ErrnoException) => {
    throw error.code === 'EISDIR' ? new SourceError(`${path} is a folder, not a file.`) : error
  })
  const text = new TextDecoder(encodingOf(bytes)).decode(bytes)
  if (text.includes('\uFFFD'))
    lose(found, `a character of ${path} that cannot be read, and became �`, text.split('\uFFFD').length - 1)
  return text
}

function encodingOf([first, second]: Buffer): string {
  if (first === 0xff && second === 0xfe) return 'utf-16le'
  return first === 0xfe && second === 0xff ? 'utf-16be' : 'utf-8'
}
