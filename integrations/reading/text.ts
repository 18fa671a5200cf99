import { readFile } from 'node:fs/promises'
import { SourceError } from './found.ts'

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

/** @throws TypeError with `fatal` for bytes that are no text */
export function decode(bytes: Buffer, options: { fatal?: boolean } = {}): string {
  const [first, second] = bytes
  const encoding =
    first === 0xff && second === 0xfe ? 'utf-16le' : first === 0xfe && second === 0xff ? 'utf-16be' : 'utf-8'
  return new TextDecoder(encoding, options).decode(bytes)
}

/** The front matter of a Markdown text, where it is YAML, and the text below it, without a byte-order mark. */
export function divideFrontMatter(whole: string): { yaml: string | undefined; text: string } {
  const [matter = '', fence, inside = ''] =
    /^(---|\+\+\+)[ \t]*\n(?:([\s\S]*?)\n)??\1[ \t]*(?:\n|$)/.exec(whole) ?? []
  return {
    yaml: fence === '---' ? inside : undefined,
    text: whole.slice(matter.length).replace(/^\uFEFF/, ''),
  }
}
