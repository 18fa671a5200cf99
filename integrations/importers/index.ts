import type { ImportSource, SourceAccess } from '../reading/found.ts'
import { readNotes } from './basic-memory.ts'
import { readGraphiti } from './graphiti.ts'
import { readMem0 } from './mem0.ts'
import { readServerMemory } from './server-memory.ts'
import { readService } from './service.ts'

/**
 * The tools whose memories can be imported, with what reads all that one keeps: in a file, a folder or at an address.
 * @throws SourceError for what cannot be read
 */
export const importers = new Map<string, (place: string, access: SourceAccess) => Promise<ImportSource>>([
  ['server-memory', readServerMemory],
  ['mem0', readMem0],
  ['basic-memory', readNotes],
  ['obsidian', readNotes],
  ['graphiti', readGraphiti],
  ['service', readService],
])
