import { readdir, readFile, stat } from 'node:fs/promises'
import { join, sep } from 'node:path'
import { type ImportSource, leaveOut, lose, SourceError } from '../../reading/found.ts'
import { decode } from '../../reading/text.ts'

/** A file of a folder of notes. `changed` is the time of the file. */
export type NoteFile = { path: string; text: string; changed: string }

/** The Markdown files below a folder. Hidden folders, such as `.obsidian` and `.trash`, are left out; what else is, is reported. */
export async function readFolder(folder: string, found: ImportSource): Promise<NoteFile[]> {
  const names = await readdir(folder, { recursive: true }).catch((error: NodeJS.ErrnoException) => {
    throw error.code === 'ENOTDIR' ? new SourceError(`${folder} is a file, not a folder of notes.`) : error
  })
  const paths = names.map(name => name.split(sep).join('/')).filter(path => /\.md$/i.test(path))
  const hidden = (path: string) => path.split('/').find(part => part.startsWith('.'))
  for (const path of paths) {
    const part = hidden(path)
    if (part) lose(found, `a note in “${part}”, which is hidden`)
  }
  const visible = paths.filter(path => !hidden(path)).toSorted()
  const notes: NoteFile[] = []
  for (const path of visible) {
    const note = await readNote(folder, path).catch((error: NodeJS.ErrnoException) =>
      leaveOut(found, path, whyUnreadable(error)),
    )
    if (note) notes.push(note)
  }
  return notes
}

/** Nothing for a folder whose name ends in `.md`. */
async function readNote(folder: string, path: string): Promise<NoteFile | undefined> {
  const file = join(folder, path)
  const status = await stat(file)
  if (status.isDirectory()) return undefined
  const bytes = await readFile(file)
  const text = decode(bytes, { fatal: true }).replaceAll(/\r\n?/g, '\n')
  return { path, text, changed: status.mtime.toISOString() }
}

function whyUnreadable({ code, message }: NodeJS.ErrnoException): string {
  if (code === 'ENOENT') return 'is a link that leads to nothing'
  if (code === 'ELOOP') return 'is a link that leads back to itself'
  if (code === 'EACCES' || code === 'EPERM') return 'may not be read'
  return code === 'ERR_ENCODING_INVALID_ENCODED_DATA' ? 'is not in UTF-8' : `cannot be read: ${message}`
}
