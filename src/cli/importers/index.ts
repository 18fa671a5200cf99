import { UsageError } from '../shell/command.ts'
import { baseUrlOf } from '../shell/connect.ts'
import { readNotes } from './basic-memory.ts'
import type { ImportSource } from './found.ts'
import { readGraphiti } from './graphiti.ts'
import { readMem0 } from './mem0.ts'
import { readServerMemory } from './server-memory.ts'
import { readService } from './service.ts'

/** What a source that is a service of its own asks for. */
type Access = {
  username: string
  secret: string
  group: string | undefined
  database: string
  signal: AbortSignal
}

const readers: Record<string, (path: string, access: Access) => Promise<ImportSource>> = {
  'server-memory': readServerMemory,
  mem0: readMem0,
  'basic-memory': readNotes,
  obsidian: readNotes,
  graphiti: (uri, { username, secret, group, database }) =>
    readGraphiti(uri, { username, password: secret, database }, group),
  service: (url, { secret, signal }) => readService(baseUrlOf(url), secret, signal),
}

export const importKinds = Object.keys(readers)

/** Reads all that a tool keeps. @throws UsageError for a tool that is not known, SourceError for what cannot be read */
export function readSource(kind: string, path: string, access: Access): Promise<ImportSource> {
  const read = Object.hasOwn(readers, kind) ? readers[kind] : undefined
  if (!read) throw new UsageError(`--from is one of ${importKinds.join(', ')}`)
  return read(path, access)
}
