import { readdir, realpath, stat } from 'node:fs/promises'
import { basename, dirname, extname, join, relative, sep } from 'node:path'

/** A text that is to become memories. */
export type SourceFile = {
  /** Where it is read. */
  path: string
  /** Its path below the folder that was named, with `/`. */
  name: string
  /** What it is known by from one run to the next. */
  identity: string
  /** The same for the folder that was named. */
  root: string
  tags: readonly string[]
}

const EXTENSIONS = new Set(['.md', '.markdown', '.mdown', '.mkd', '.txt', '.text'])

/** Whether a file is Markdown; the other texts have paragraphs alone. */
export const isMarkdown = ({ path }: Pick<SourceFile, 'path'>) => !/\.(txt|text)$/i.test(path)

/**
 * The Markdown and text files below a folder, or the one file, in a fixed order. Hidden folders, `node_modules` and
 * symbolic links are left out. A file is known by its real path, or, with `source`, by that name and its path below
 * the folder, which is the same on every machine. `root` is what the folder is known by, also if it has none.
 */
export async function findFiles(folder: string, source?: string) {
  const real = await realpath(folder)
  const isFolder = (await stat(real)).isDirectory()
  const base = isFolder ? real : dirname(real)
  const root = source ?? real.normalize('NFC')
  const paths = isFolder ? await textsBelow(real) : [real]
  const files = paths.map((path): SourceFile => {
    // macOS writes letters and their accents apart, the service writes them together.
    const name = relative(base, path).split(sep).join('/').normalize('NFC')
    return {
      path,
      name,
      identity: source === undefined ? path.normalize('NFC') : `${source}/${name}`,
      root,
      tags: tagsOfPath([basename(base).normalize('NFC'), ...name.split('/')]),
    }
  })
  return { root, files }
}

async function textsBelow(folder: string): Promise<string[]> {
  const entries = await readdir(folder, { withFileTypes: true })
  const found = await Promise.all(
    entries
      .filter(({ name }) => !name.startsWith('.') && name !== 'node_modules')
      .sort((a, b) => (a.name < b.name ? -1 : 1))
      .map(entry => {
        const path = join(folder, entry.name)
        if (entry.isDirectory()) return textsBelow(path)
        return entry.isFile() && EXTENSIONS.has(extname(path).toLowerCase()) ? [path] : []
      }),
  )
  return found.flat()
}

const MAXIMUM_TAGS = 20
const MAXIMUM_CHARACTERS = 100

/** One tag for each folder and one for the file without its ending. A comma would divide a tag in a query. */
function tagsOfPath(parts: readonly string[]): string[] {
  const file = parts.at(-1) ?? ''
  const names = [...parts.slice(0, -1), file.slice(0, file.length - extname(file).length)]
  const tags = names.map(name =>
    Array.from(
      name
        .toWellFormed()
        .replaceAll(/[,\p{Cc}]/gu, ' ')
        .trim(),
    )
      .slice(0, MAXIMUM_CHARACTERS)
      .join('')
      .trim(),
  )
  return [...new Set(tags.filter(tag => tag !== ''))].slice(-MAXIMUM_TAGS)
}
