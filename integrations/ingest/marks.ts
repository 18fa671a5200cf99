import type { Memory } from '../../src/contract/memory.ts'
import type { Metadata } from '../../src/contract/values.ts'
import { digest } from '../reading/values.ts'
import type { SourceFile } from './files.ts'
import type { TextSection } from './sections.ts'

/**
 * Where a memory comes from is kept in its own fields, and nowhere else: the write that makes the memory makes the
 * record of it too. So there is no moment between the two in which a run can be killed, nothing to lose with a data
 * folder, and a run from another machine sees the same.
 */

/** On every memory that was loaded from a file. */
export const LOADED = { ingested: true }

/** What a mark says once the section is gone from its file. */
export const PRUNED = 'pruned'

export const rootDigest = (root: string) => digest(root, 8)
export const fileDigest = (identity: string) => digest(identity, 16)
export const sectionDigest = ({ content }: TextSection) => digest(content, 16)

const LONGEST = { source: 2_048, session: 200, heading: 500 }

/** A file is the source and the session of its sections. */
export function originOf(file: SourceFile, section: TextSection) {
  const metadata: Metadata = {
    section: Array.from(section.heading).slice(0, LONGEST.heading).join(''),
    ...LOADED,
    ingested_folder: rootDigest(file.root),
    ingested_file: fileDigest(file.identity),
    ingested_content: sectionDigest(section),
  }
  return {
    source: end(file.identity, LONGEST.source),
    session_id: end(file.identity, LONGEST.session),
    metadata,
  }
}

const end = (text: string, most: number) => Array.from(text.toWellFormed()).slice(-most).join('').trim()

/** Digests of the folder that was named, the file and the content as it was loaded. */
export function readMark({ metadata }: Pick<Memory, 'metadata'>) {
  const { ingested_folder: root, ingested_file: file, ingested_content: section } = metadata
  const isMark = typeof root === 'string' && typeof file === 'string' && typeof section === 'string'
  return isMark ? { root, file, section } : undefined
}

/** The metadata of a memory whose section is gone from its file. */
export const prunedMetadata = ({ metadata }: Pick<Memory, 'metadata'>): Metadata => ({
  ...metadata,
  ingested_content: PRUNED,
})
